/** The dashboard and the alerts use existing metrics and labels, and each alert is documented. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { newPair } from "../certificate-files.ts";
import { type Service, startService } from "../service.ts";
import { parseOpenMetrics, type Sample } from "./open-metrics.ts";

const folder = resolve(import.meta.dirname, "../../docs/operations");
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

let service: Service;
let certificates: string;
let samples: readonly Sample[];
before(async () => {
  // With everything on, so that there are all numbers.
  certificates = mkdtempSync(join(tmpdir(), "mailroll-papers-"));
  const { cert, key } = newPair(certificates, "mail.example.org");
  service = await startService({ "metrics-port": "0", "tls-cert": cert, "tls-key": key });
  const text = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text();
  samples = [...parseOpenMetrics(text).values()].flatMap((family) => family.samples);
});
after(async () => {
  await service.close();
  rmSync(certificates, { recursive: true });
});

/** Prometheus adds these by itself. */
const added = new Set(["instance", "job"]);

/** Every number that an expression names, with what it wants of the labels. */
function checkExpression(expression: string): void {
  const named = [...expression.matchAll(/\b((?:mailroll|process)_\w+)(?:\{([^}]*)\})?/g)];
  assert.ok(named.length > 0 || expression.startsWith("up{"), expression);
  for (const [, name = "", selector = ""] of named) {
    const found = samples.filter((sample) => sample.name === name);
    assert.ok(found.length > 0, `there is no ${name}`);
    for (const [, label = "", operator = "", value = ""] of selector.matchAll(/(\w+)(=~?)"([^"]*)"/g)) {
      if (added.has(label)) continue;
      // Each alternative by itself: one that never matches is a slip.
      for (const wanted of operator === "=" ? [value] : value.split("|")) {
        const pattern = operator === "=" ? null : new RegExp(`^(?:${wanted})$`);
        const isThere = found.some(({ labels }) =>
          pattern === null ? labels[label] === wanted : pattern.test(labels[label] ?? ""),
        );
        assert.ok(isThere, `${name} has no ${label} ${wanted}`);
      }
    }
  }
  for (const [, labels = ""] of expression.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of labels.split(", "))
      assert.ok(
        added.has(label) ||
          named.some(([, name]) => samples.some((one) => one.name === name && label in one.labels)),
        `nothing in ${expression} has a label ${label}`,
      );
}

describe("the dashboard", () => {
  interface Panel {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }
  const { panels } = JSON.parse(read("grafana-dashboard.json")) as { panels: readonly Panel[] };
  test("has panels with unique ids", () => {
    assert.ok(panels.length > 10);
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  });
  for (const { title, targets } of panels)
    test(`the panel "${title}" queries existing metrics`, () => {
      assert.ok(targets.length > 0);
      for (const { expr } of targets) checkExpression(expr);
    });
  test("shows every metric that makes sense by itself", () => {
    const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n");
    const families = new Set(samples.map(({ name }) => name.replace(/_(?:bucket|count|sum)$/, "")));
    families.delete("process_start_time_seconds");
    for (const family of families) assert.ok(shown.includes(family), family);
  });
});

describe("the alerts", () => {
  const rules = read("alerts.yml");
  const names = [...rules.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name = ""]) => name);
  const expressions = [...rules.matchAll(/^ {8}expr: (.*)$/gm)].map(([, expression = ""]) => expression);
  test("documents each alert on the page, and no others", () => {
    assert.ok(names.length > 10);
    assert.equal(expressions.length, names.length);
    const explained = [...read("alerts.md").matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    assert.deepEqual(explained, names);
  });
  for (const [at, name] of names.entries())
    test(`the alert ${name} queries existing metrics`, () => checkExpression(expressions[at] ?? ""));
});

test("the guide's table lists the existing metrics", () => {
  const page = readFileSync(resolve(folder, "../guide/monitoring.md"), "utf8");
  const told = [...page.matchAll(/`((?:mailroll|process)_\w+)`/g)].map(([, name = ""]) => name);
  const there = new Set(samples.map(({ name }) => name.replace(/_(?:bucket|count|sum)$/, "")));
  assert.deepEqual([...new Set(told)].toSorted(), [...there].toSorted());
});
