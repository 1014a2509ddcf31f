/** Commands about jobs, and those whose work is a job: what they ask, say and refuse. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Job } from "#domain/job/job.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { addressOf } from "../store/actor.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const run = (call: string, confirm: boolean | null = null) => home.runHere(call.split(" "), confirm);
async function says(call: string, text: string): Promise<void> {
  const { code, out, err } = await run(call);
  assert.deepEqual([code, out, err], [0, `${text}\n`, ""]);
}
async function fails(call: string, code: number, line: RegExp): Promise<void> {
  const ran = await run(call);
  assert.deepEqual([ran.code, ran.out], [code, ""], ran.err);
  assert.match(ran.err, line);
}

const CALLS = 3;
const NOW = Date.UTC(2026, 10, 14, 9, 30);
before(async () => {
  for (const call of [
    "account create Acme",
    "list create News",
    "list create Other",
    "subscriber add 1 ada@example.org",
    "subscriber add 1 ben@example.org",
    "subscriber unsubscribe ben@example.org",
  ])
    assert.equal((await run(call)).code, 0, call);
  const store = await SqliteStore.open(home.database, { days: 9000, rows: 1000, bytes: 2 ** 20 });
  for (let n = 0; n < CALLS; n += 1)
    await store.subscribers.add({
      ...{ account: 1, at: NOW, list: 7, address: addressOf(`r${n}@other.example`) },
      origin: { kind: "operator" },
      recordedCall: {
        operation: "Subscriber.Add",
        args: JSON.stringify({ EMail: `r${n}@other.example`, SubscribersListID: "1" }),
        isCut: n === 0,
      },
    });
  const lease = await store.jobs.start({
    ...{ account: 1, kind: "dismiss-refusals", name: "an older job", total: 7, at: NOW, audited: {} },
    args: { operation: "Op", outcome: "None", key: null, upTo: 0 },
    lease: { owner: "gone", until: NOW },
  });
  assert.equal(lease?.id, 1);
  await store.close();
});

test("a job is listed, shown and cancelled; a second time it has ended already", async () => {
  assert.match((await run("job list")).out, /^ID +NAME +STATE +DONE .*\n 1 +an older job +waiting +0 of 7 /);
  const shown = await run("job show 1");
  assert.match(
    shown.out,
    /^Job 1: an older job\n\nState +waiting\nBegun +2026-11-14 09:30:00Z, by -\nDone +0 of 7\n$/,
  );
  await says("job cancel 1", "Job 1 was cancelled. Done: 0 of 7.");
  await fails("job cancel 1", 1, /^mailroll: job 1 has ended already: it is cancelled\n$/);
  const job = await home.json<Record<string, unknown>>("job", "show", "1");
  assert.deepEqual([job.state, job.doneCount, job.totalCount], ["cancelled", 0, 7]);
  assert.deepEqual(await home.json("job", "list", "--all-accounts"), [job]);
});

test("an unknown job, a wrong id and contradicting options are errors", async () => {
  await fails("job show 99", 1, /there is no job 99; see 'bin\/mailroll job list'/);
  await fails("job cancel x", 2, /ID must be a number from 1; 'x' is not/);
  await fails("job list --all-accounts --account 1", 2, /--account and --all-accounts contradict/);
  await fails("job list --limit 501", 2, /--limit '501' must be a number from 1 to 500/);
});

test("refused calls are replayed by the group after confirmation, with a sample", async () => {
  const groups = await home.json<readonly { readonly rowCount: number }[]>("refused", "groups");
  assert.deepEqual(
    groups.map(({ rowCount }) => rowCount),
    [CALLS],
  );
  const call = "refused replay-all Subscriber.Add UnknownList";
  const no = await run(call, false);
  assert.equal(no.code, 1);
  assert.match(no.err, /^the newest:\nID +LAST +ARGUMENTS\n 3 .*EMail=r2@other\.example.*\n 2 /);
  assert.match(no.err, /\nReplay 3 refused calls of Subscriber\.Add with the outcome UnknownList\? .*\n/);
  assert.match(no.err, /\nmailroll: nothing was replayed\n$/);
  await fails(call, 2, /this replays 3 refused calls .*give --yes/);
  await fails(`${call} --list 99 --yes`, 2, /--list takes NAME=VALUE; '99' is not of that form/);
  await fails(`${call} --list 98=1 --yes`, 2, /--list.*none of the calls names the list 98/);
  await fails(`${call} --list 99=12345 --yes`, 2, /there is no list 12345/);
  await fails(`${call} --field 1= --yes`, 2, /only calls that name a field which does not exist/);
  await says(
    `${call} --yes`,
    "2 calls were successful and removed from the list.\nNot replayable, because their arguments were not stored in full: 1.",
  );
  await says(
    "refused dismiss-all Subscriber.Add UnknownList --yes",
    "1 refused call was removed from the list.",
  );
  await fails(`${call} --yes`, 1, /no refused calls Subscriber\.Add .*see 'bin\/mailroll refused groups'/);
});

test("a change of many subscribers is previewed, asks, and says what was refused", async () => {
  const call = "subscriber bulk @example.org --add 2";
  const no = await run(call, false);
  assert.match(no.err, /^the first of them:\nEMAIL .*\nada@example\.org .*\nben@example\.org /);
  assert.match(no.err, /\nAdd 2 subscribers to list 2\? .*\nmailroll: nothing was changed\n$/);
  await fails(call, 2, /this adds 2 subscribers to list 2; .*give --yes/);
  await says(`${call} --yes`, "1 subscriber changed, 0 needed no change.\nRefused, Unsubscribed (206): 1");
  await says("subscriber bulk --list 2 --remove 2 --yes", "1 subscriber changed, 0 needed no change.");
  const { job } = await home.json<{ readonly job: Job }>(
    ..."subscriber bulk --all --unsubscribe --yes".split(" "),
  );
  assert.deepEqual([job.ending, job.result], ["finished", { changed: 3, unchanged: 1, refused: {} }]);
  const tried = "0 subscribers would be changed, 0 need no change. Nothing was changed.";
  await says(`${call} --dry-run`, `${tried}\nRefused, Unsubscribed (206): 2`);
});

test("a change of many subscribers without a condition, a change or a match is refused", async () => {
  await fails("subscriber bulk --add 2 --yes", 2, /give a condition .*or --all/);
  await fails("subscriber bulk @example.org --yes", 2, /give one change: --add ID, --remove ID or/);
  await fails("subscriber bulk @x.example --add 2 --remove 1 --yes", 2, /give one change/);
  await fails("subscriber bulk @example.org --add 99 --yes", 1, /there is no list 99; see/);
  await fails("subscriber bulk @nobody.example --unsubscribe --yes", 1, /no subscriber was found/);
  await fails("subscriber bulk a,b --unsubscribe --yes", 2, /SEARCH 'a,b' is neither an e-mail address/);
});

test("who started and who cancelled a job is in the audit log, without what was searched for", async () => {
  const { out } = await run("audit list");
  assert.match(out, /job\.cancel +job 1 /);
  assert.match(out, /refused\.replayGroup +job 2 .*outcome: UnknownList/);
  assert.match(out, /subscriber\.bulk +job 4 .*action: add; listId: 2/);
  assert.doesNotMatch(out, /example\.org/);
});
