/** What people are told to do when a campaign cannot be changed or sent as they want. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSender } from "../../../src/admin/campaigns/sending/checks.ts";
import { stateText, wrongState } from "../../../src/admin/campaigns/sending/states.ts";
import { valueOptions } from "../../../src/cli/commands/sender/given.ts";
import {
  emptyContent,
  type Mailing,
  mailingChanges,
  mailingStates,
  mayChange,
} from "../../../src/domain/sending/mailing.ts";
import { senderValues } from "../../sending-campaign.ts";

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
      assert.match(wrongState(mailingIn(state), change).message, /'mailroll campaign retry'.*new campaign/);
      const { message } = wrongState(mailingIn(state, 1), change);
      assert.match(message, /compose a new campaign/);
      assert.doesNotMatch(message, /retry/);
    }
});

test("the advice for a sender whose messages nobody signs names an option that exists", () => {
  const sender = { ...senderValues, id: 4, createdAt: 1, signing: "none" } as const;
  const checks = checkSender({ ...emptyContent, sender: 4 }, sender, "smtp://mail.example.org");
  const advice = checks.find(({ name }) => name === "signature")?.advice ?? "";
  const [, option = ""] = /'mailroll sender set 4 --(\S+) mailroll\|relay'/.exec(advice) ?? [];
  assert.ok(Object.hasOwn(valueOptions, option), advice);
});
