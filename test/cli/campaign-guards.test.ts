/** What the command line refuses while a campaign is scheduled, and what it says to do instead. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { emptyContent, type MailingChange } from "#domain/sending/mailing.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { finishAll } from "../store/job-steps.ts";
import { Installation } from "./program.ts";

const home = new Installation();
after(() => home.remove());
const retention = { days: 90, rows: 100, bytes: 2 ** 28 };
const one = { account: 1, campaign: 1, at: Date.UTC(2096, 1, 1), now: Date.UTC(2026, 1, 1) };

/** Whether a campaign could be sent does not matter here, so it is not scheduled by a command. */
async function inStore(use: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await SqliteStore.open(home.database, retention);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}
const change = (which: MailingChange) =>
  inStore(({ mailings }) => mailings.change({ ...one, change: which }));
async function fails(call: string, line: RegExp): Promise<void> {
  const { code, out, err } = await home.runHere(call.split(" "));
  assert.deepEqual([code, out], [1, ""], err);
  assert.match(err, line);
}

before(async () => {
  for (const call of ["account create Acme", "list create News", "list create Staff"])
    assert.equal((await home.runHere(call.split(" "))).code, 0, call);
  const content = { ...emptyContent, lists: [1], excludedLists: [2] };
  await inStore(({ mailings }) => mailings.create({ account: 1, name: "Spring", content, at: 1 }));
});

test("lists and a campaign that is scheduled are not deleted, and the error says what to do first", async () => {
  await change("schedule");
  for (const list of [1, 2])
    await fails(
      `list delete ${list} --yes`,
      new RegExp(
        `^mailroll: list ${list} cannot be deleted: campaign 1 \\(Spring\\) includes or excludes it, and has not ended; wait until it is finished, or unschedule or cancel it first`,
      ),
    );
  await fails(
    "campaign delete 1 --yes",
    /^mailroll: campaign 1 is sent by Mailroll, and has not ended; unschedule or cancel it first, then delete it/,
  );
  await change("cancel");
  assert.equal((await home.runHere(["list", "delete", "2", "--yes"])).code, 0);
});

test("a field and a campaign that a filter names are not deleted, and the content names the campaign", async () => {
  const run = (...words: string[]) => home.runHere(words);
  assert.equal((await run("field", "create", "Town", "--type", "STRING")).code, 0);
  await inStore(async ({ mailings, ledger }) => {
    const content = { ...emptyContent, lists: [1] };
    const made = await mailings.create({ account: 1, name: "Winter", content, at: 1 });
    assert.ok("campaign" in made);
    const winter = { account: 1, campaign: made.campaign.id };
    await mailings.change({ ...winter, at: 1, now: 1, change: "schedule" });
    await ledger.begin({ ...winter, now: 1 });
  });
  await inStore(finishAll);
  const made = await run(
    "campaign",
    "create",
    "Next",
    "--where",
    "Town is Berlin",
    "--where",
    "campaign 2 not received",
  );
  assert.equal(made.code, 0, made.err);
  assert.match(made.out, /Only if {4}Town is Berlin\n {2}and {6}campaign 2 \(Winter\) not received\n/);
  await inStore(({ mailings }) => mailings.change({ ...one, campaign: 3, change: "schedule" }));
  const [what, then] = [
    "cannot be deleted: campaign 3 \\(Next\\)",
    "and has not ended; wait until it is finished",
  ];
  await fails("field delete 1 --yes", new RegExp(`^mailroll: field 1 ${what} has it in its filter, ${then}`));
  await fails(
    "campaign delete 2 --yes",
    new RegExp(`^mailroll: campaign 2 ${what} asks in its filter who got it, ${then}`),
  );
});

test("the date of a campaign that is composed here cannot be set, and its name can", async () => {
  await fails(
    "campaign set 1 --sent 2026-01-02",
    /^mailroll: campaign 1 is sent by Mailroll, and has the dates of its sending; only its name can be set/,
  );
  const { code, err } = await home.runHere(["campaign", "set", "1", "--name", "Summer"]);
  assert.equal(code, 0, err);
  assert.equal((await home.runHere(["campaign", "delete", "1", "--yes"])).code, 0);
  await fails("campaign show 1", /there is no campaign 1/);
});
