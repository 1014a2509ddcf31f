/** What people are told to do when a campaign cannot be changed or sent as they want. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { stateText, wrongState } from "#admin/campaigns/compose.ts";
import { type Mailing, mailingChanges, mailingStates, mayChange } from "#domain/sending/mailing.ts";

const mailingIn = (state: Mailing["state"], purgedAt: number | null = null) =>
  ({ campaign: 3, state, scheduledAt: null, reason: null, purgedAt }) as Mailing;

test("every refused change of a campaign says what can be done instead", () => {
  for (const change of mailingChanges)
    for (const state of mailingStates) {
      const mailing = mailingIn(state);
      if (mayChange(change, state)) continue;
      const start = `campaign 3 ${stateText(mailing)}; `;
      const { message } = wrongState(mailing, change);
      assert.ok(message.startsWith(start) && message.length > start.length, `${change}: ${message}`);
    }
});

test("a campaign that has ended can be retried, as long as its recipients are stored", () => {
  for (const change of mailingChanges)
    for (const state of ["finished", "cancelled"] as const) {
      assert.match(wrongState(mailingIn(state), change).message, /only a retry sends it again.*new campaign/);
      const { message } = wrongState(mailingIn(state, 1), change);
      assert.match(message, /compose a new campaign/);
      assert.doesNotMatch(message, /retry/);
    }
});

test("no text of an action names a command or an option: its readers may use the API or the console", () => {
  const folder = new URL("../../../src/admin/", import.meta.url);
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((one) =>
    one.endsWith(".ts"),
  )) {
    const code = readFileSync(new URL(file, folder), "utf8").replaceAll(
      /\/\*\*?[\s\S]*?\*\/|^\s*\/\/.*$/gm,
      "",
    );
    assert.doesNotMatch(code, /['"`(]--[a-z]|\bmailroll [a-z]+ |the command line/, file);
  }
});
