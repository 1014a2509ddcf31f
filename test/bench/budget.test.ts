/** The verdict on CPU per call, by the ratios of the rounds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ALLOWED } from "../../bench/budget/base.ts";
import { budgetReport, isKept } from "../../bench/budget/report.ts";

const base = [0.1, 0.2, 0.1];
const spent = (factor: number) => ({ title: "Add", base, now: base.map((ms) => ms * factor) });

test("keeps the budget up to a tenth more CPU per call", () => {
  assert.equal(ALLOWED, 1.1);
  assert.ok(isKept(spent(1.099)));
  assert.ok(!isKept(spent(1.101)));
});

test("compares both versions within each round, so that a slow round affects both", () => {
  assert.ok(isKept({ title: "Add", base: [0.1, 0.1, 0.4], now: [0.105, 0.105, 0.42] }));
  assert.ok(!isKept({ title: "Add", base: [0.1, 0.4, 0.1], now: [0.12, 0.4, 0.12] }));
});

test("reports the CPU of both versions in microseconds, their ratio and the verdict", () => {
  const report = budgetReport([spent(1.05), spent(1.2)], new Date("2026-01-02T03:04:05Z"));
  assert.match(report, /Measured on 2026-01-02: .* in 3 rounds/);
  assert.match(report, /\| Add \| 100 \| 105 \| 1\.05 × \| 0 % \| kept \|/);
  assert.match(report, /\| Add \| 100 \| 120 \| 1\.20 × \| 0 % \| exceeded \|/);
});
