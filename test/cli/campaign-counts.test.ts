/** Results of a campaign that has more than are counted, on the command line. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { MAX_EVENTS } from "#domain/campaign.ts";
import { writeEvents } from "../many-events.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
const words = (call: string): readonly string[] => call.split(" ");

test("a campaign with more results than are counted is shown and deleted as one with more", async () => {
  for (const call of ["account create Acme", "list create News", "campaign record Large --list 1"])
    assert.equal((await home.runHere(words(call))).code, 0, call);
  const event = { campaign: 1, event: "bounced" } as const;
  writeEvents(home.database, { ...event, count: MAX_EVENTS + 1, at: Date.UTC(2026, 2, 3) });
  const shown = await home.runHere(words("campaign show 1"));
  assert.match(shown.out, /\nBounced {7}more than 100,000\nUnsubscribed {2}0\nComplained {4}0\n$/);
  const document = await home.json<{ counts: object; hasMoreEvents: boolean }>("campaign", "show", "1");
  assert.deepEqual(document.counts, { bounced: MAX_EVENTS, unsubscribed: 0, complained: 0 });
  assert.equal(document.hasMoreEvents, true);
  const asked = await home.runHere(words("campaign delete 1"));
  assert.equal(asked.code, 2);
  assert.match(asked.err, /this deletes campaign 1 \(Large\) with more than 100,000 results;/);
});
