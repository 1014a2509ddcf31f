/** How the sending of a campaign is printed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sending } from "#admin/campaigns/progress.ts";
import { sendingLines } from "#cli/commands/campaign/show.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const sending: Sending = {
  account: 1,
  campaign: 1,
  state: "sending",
  allowsHttp: false,
  scheduledAt: null,
  startedAt: NOW - 60_000,
  endedAt: null,
  waitsUntil: null,
  waitsFor: null,
  isRetrying: false,
  reason: null,
  selected: 1000,
  counts: { queued: 750, sending: 0, sent: 200, deferred: 0, failed: 50, skipped: 0, unknown: 0 },
  bouncedCount: 50,
  purgedAt: null,
  progress: { done: 250, total: 1000, perSecond: null, secondsLeft: null, relayPerSecond: null },
};

test("numbers are separated from their labels", () => {
  const lines = sendingLines(sending);
  assert.ok(lines.includes("  bounced     50"), lines.join("\n"));
  for (const line of lines) assert.match(line, /^ {0,2}\S+(?: \S+)?(?: {2,}| (?=\d))\S/);
});

test("whom a cancellation left out was not sent to, and a retry does not change when that was", () => {
  const counts = { ...sending.counts, queued: 7, deferred: 3 };
  const cancelled = sendingLines({ ...sending, state: "cancelled", endedAt: NOW, counts }).join("\n");
  assert.match(cancelled, /^Ended {9}2026-11-16.*^ {2}not sent {4}10$/ms);
  assert.doesNotMatch(cancelled, /queued|deferred/);
  assert.match(sendingLines({ ...sending, endedAt: NOW }).join("\n"), /^Cancelled {5}2026-11-16/m);
});

test("a campaign that waits for the daily limit says so in place of a time left", () => {
  const lines = sendingLines({
    ...sending,
    waitsFor: "daily limit",
    waitsUntil: Date.UTC(2026, 10, 17),
    reason: "waits for the daily limit of its sender until 2026-11-17T00:00:00Z",
  });
  assert.match(lines[0] ?? "", /^State {9}waits for the daily limit of its sender until 2026-11-17/);
  assert.doesNotMatch(lines.join("\n"), /Reason|Next try|left/);
});

test("a campaign whose relay is the limit says how much that accepts", () => {
  const lines = sendingLines({ ...sending, progress: { ...sending.progress, relayPerSecond: 14 } });
  assert.ok(lines.includes("Relay         accepts about 14 messages a second"), lines.join("\n"));
});

test("a campaign that waits for the limit by domain says for which domains, and until when", () => {
  const reason = "the limit of its sender, 10 messages a minute to a domain, is reached for example.org";
  const waitsUntil = Date.UTC(2026, 10, 16, 12, 1);
  const lines = sendingLines({ ...sending, waitsFor: "domain limit", waitsUntil, reason });
  assert.match(lines[0] ?? "", /^State {9}waits for a limit of its sender until 2026-11-16/);
  assert.equal(lines[1], `Reason        ${reason}`);
});
