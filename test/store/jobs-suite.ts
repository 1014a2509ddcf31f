/** Jobs in every store: leases, steps, and what becomes of a job that is interrupted. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LEASE_MS, type Lease, retryDelay, stateOfJob } from "#domain/job/job.ts";
import { replacedJobs } from "#domain/job/kinds.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob } from "#jobs/foreground.ts";
import { addBlock, deleteList, removeBlock } from "#jobs/in-batches.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { actor, forEachOf, NOW, newAccount } from "./actor.ts";
import { claim, deletedOf, finish, finishAll, leaseAt, purge, stepOf } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const DAY_MS = 86_400_000;
const origin = { kind: "operator" } as const;

/** `open` opens the same database every time: each store is a node. */
export function jobsSuite(
  name: string,
  open: () => Promise<Store>,
  sql: (text: string) => Promise<unknown>,
): void {
  describe(`jobs in ${name}`, () => {
    let store: Store;
    let other: Store;
    before(async () => {
      store = await open();
      other = await open();
    });
    after(async () => {
      await other.close();
      await closeSound(store);
    });

    /**
     * A list with more members than a batch holds, of which the first batch is deleted; and the lease of the
     * rest.
     */
    async function newDeletion(members = 2 * JOB_STEP + 100, now = NOW, at = NOW + 1) {
      const a = actor(store, await newAccount(store));
      const list = await a.list("Old");
      await forEachOf(Array.from({ length: members }), (_, n) => a.add(list, `p${n}@example.org`));
      const deletion = { account: a.account, id: list, at, origin };
      const deleted = await store.lists.delete({ ...deletion, lease: leaseAt(now) });
      assert.ok(deleted !== null && "job" in deleted && deleted.job !== null);
      return { ...a, list, deletion, lease: deleted.job };
    }
    const jobOf = async ({ id }: Lease) => (await store.jobs.left()).find((job) => job.id === id);

    test("a deleted list of more members than a batch holds leaves a job, which ends the rest", async () => {
      const { list, lease, members, add, show } = await newDeletion();
      assert.equal(await members(list), JOB_STEP + 100);
      assert.equal(
        await add(list, "new@example.org"),
        "UnknownList",
        "a list that is being deleted is closed",
      );
      assert.equal(await stepOf(store, lease, NOW), "continues");
      assert.equal(await members(list), 100);
      assert.equal(await stepOf(store, lease, NOW), "finished");
      assert.equal(await members(list), null);
      assert.equal(await jobOf(lease), undefined);
      const person = await show(`p${2 * JOB_STEP + 99}@example.org`);
      assert.deepEqual(person?.lists, []);
      assert.deepEqual(
        person.history.map(({ kind, at, detail }) => [kind, at, detail]),
        [
          ["joined", NOW, null],
          ["left", NOW + 1, 'the list "Old" was deleted'],
        ],
      );
    });

    test("a command in batches asks for its lease by the clock that it was given", async () => {
      const a = actor(store, await newAccount(store));
      const id = await a.list();
      await forEachOf(Array.from({ length: 1.5 * JOB_STEP }), (_, n) => a.add(id, `p${n}@example.org`));
      const command = { account: a.account, id, at: NOW, origin };
      const found = await deleteList(store, command, (lease) =>
        store.jobs.byId({ account: null, id: lease.id }),
      );
      assert.ok(found !== null && "job" in found);
      assert.equal(found.job?.leasedUntil, NOW + LEASE_MS);
      const block = { account: a.account, pattern: "@example.org", at: 5, now: NOW, origin };
      for (const change of [addBlock, removeBlock]) {
        const { job } = await change(store, block, (lease) =>
          store.jobs.byId({ account: null, id: lease.id }),
        );
        assert.deepEqual([job?.createdAt, job?.leasedUntil], [NOW, NOW + LEASE_MS], "not of an old block");
      }
    });

    test("a small list is deleted without a job", async () => {
      const a = actor(store, await newAccount(store));
      const id = await a.list();
      await a.add(id, "ada@example.org");
      const deleted = await store.lists.delete({
        account: a.account,
        id,
        at: NOW,
        origin,
        lease: leaseAt(NOW),
      });
      const { list, job } = deletedOf(deleted);
      assert.deepEqual([list.members, job], [1, null]);
    });

    test("looks at many addresses in bounded steps, also if the domain has few", async () => {
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      await forEachOf(Array.from({ length: 1.5 * JOB_STEP }), (_, n) => a.add(list, `p${n}@spam.example`));
      await a.add(list, "ada@example.org");
      const block = { account: a.account, pattern: "@spam.example", at: NOW, origin };
      const { isChanged, job } = await store.blocks.add({ ...block, lease: leaseAt(NOW) });
      assert.ok(isChanged);
      assert.ok(job);
      assert.equal(await a.members(list), 0.5 * JOB_STEP + 1);
      assert.equal(await finish(store, job, NOW), 1);
      assert.equal(await a.members(list), 1);
    });

    test("a command about the same block replaces the job, and the former one cannot continue", async () => {
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      await forEachOf(Array.from({ length: 1.5 * JOB_STEP }), (_, n) => a.add(list, `p${n}@spam.example`));
      const block = { account: a.account, pattern: "@spam.example", at: NOW, origin };
      const added = await store.blocks.add({ ...block, lease: leaseAt(NOW, "first") });
      const removed = await other.blocks.remove({ ...block, lease: leaseAt(NOW, "second") });
      assert.ok(added.job && removed.job);
      assert.equal(await stepOf(store, added.job, NOW), "lost");
      assert.equal(await finish(other, removed.job, NOW), 1);
      assert.equal(await a.members(list), 1.5 * JOB_STEP);
    });

    test("starts again if the subscriber at which a block stopped was erased", async () => {
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      await forEachOf(Array.from({ length: 2.5 * JOB_STEP }), (_, n) =>
        a.add(list, `p${String(n).padStart(4, "0")}@spam.example`),
      );
      const block = { account: a.account, pattern: "@spam.example", at: NOW, origin };
      const { job } = await store.blocks.add({ ...block, lease: leaseAt(NOW) });
      assert.ok(job);
      const last = `p${String(JOB_STEP - 1).padStart(4, "0")}@spam.example`;
      const address = { text: last, key: last, domain: "spam.example" };
      await store.subscribers.erase({ account: a.account, address, at: NOW });
      assert.equal(await finish(store, job, NOW), 3);
      assert.equal(await a.members(list), 0);
    });

    test("gives each job that is due to one of two nodes that ask at the same time", async () => {
      await finishAll(store);
      const made: number[] = [];
      for (let n = 0; n < 4; n += 1) made.push((await newDeletion(JOB_STEP + 1)).lease.id);
      const later = NOW + LEASE_MS + 1;
      const claimed = await Promise.all(
        [store, other, store, other].map((node, n) => claim(node, later, `node ${n}`)),
      );
      const ids = claimed.flat().map(({ id }) => id);
      assert.deepEqual(
        ids.filter((id) => made.includes(id)).toSorted((x, y) => x - y),
        made,
      );
      for (const lease of claimed.flat()) await finish(store, lease, later);
    });

    test("gives at most as many jobs as are asked for", async () => {
      await finishAll(store);
      const first = await newDeletion(JOB_STEP + 1);
      const second = await newDeletion(JOB_STEP + 1);
      const later = NOW + LEASE_MS + 1;
      const [lease, ...more] = await store.jobs.claim({ ...leaseAt(later), now: later, limit: 1 });
      assert.deepEqual([lease?.id, more], [first.lease.id, []], "the longest due first");
      for (const left of [lease, ...(await claim(store, later, "other"))]) {
        assert.ok(left);
        await finish(store, left, later);
      }
      assert.equal(await jobOf(second.lease), undefined);
    });

    test("an expired lease cannot write any more, and whoever claims the job continues it", async () => {
      await finishAll(store);
      const { lease, list, members } = await newDeletion();
      assert.deepEqual(await claim(other, NOW + 1, "other"), [], "the lease is in force");
      const later = NOW + LEASE_MS;
      assert.equal(await stepOf(store, lease, later), "lost", "nobody has claimed it yet");
      assert.equal(await members(list), JOB_STEP + 100);
      const [taken] = await claim(other, later, "other");
      assert.ok(taken);
      assert.equal(taken.id, lease.id);
      assert.equal(await stepOf(other, taken, later), "continues");
      // The clock of the first node is slow: it believes that its lease is in force.
      assert.equal(await stepOf(store, lease, NOW + 1), "lost");
      await store.jobs.fail({ ...lease, now: NOW + 1, error: "late" });
      assert.equal(await members(list), 100);
      assert.equal(await stepOf(other, taken, later), "finished");
    });

    test("ignores a lease that no clock can have given", async () => {
      await finishAll(store);
      const { lease } = await newDeletion(JOB_STEP + 1, NOW + 365 * DAY_MS);
      const [taken] = await claim(other, NOW + 1, "other");
      assert.equal(taken?.id, lease.id);
      assert.ok(taken);
      await finish(other, taken, NOW + 1);
    });

    test("does not wait for a time that only a wrong clock can have stored", async () => {
      await finishAll(store);
      const wrong = NOW + 365 * DAY_MS;
      const { lease } = await newDeletion(JOB_STEP + 1, wrong, wrong);
      const [taken] = await claim(other, NOW + 1, "other");
      assert.equal(taken?.id, lease.id);
      assert.ok(taken);
      await finish(other, taken, NOW + 1);
    });

    test("repeats a job that failed, later each time, until a step succeeds", async () => {
      await finishAll(store);
      const { lease } = await newDeletion();
      await store.jobs.fail({ ...lease, now: NOW, error: "the disk is full" });
      const first = await jobOf(lease);
      assert.ok(first);
      assert.deepEqual(
        [first.attempts, first.lastError, first.dueAt, stateOfJob(first, NOW)],
        [1, "the disk is full", NOW + retryDelay(1), "retrying"],
      );
      assert.equal(await stepOf(store, lease, NOW), "lost", "a failure ends the lease");
      assert.deepEqual(await claim(store, first.dueAt - 1, "early"), []);
      const [again] = await claim(store, first.dueAt, "again");
      assert.ok(again);
      await store.jobs.fail({ ...again, now: first.dueAt, error: "the disk is full" });
      const second = await jobOf(lease);
      assert.ok(second);
      assert.equal(second.dueAt - first.dueAt, retryDelay(2));
      const [last] = await claim(store, second.dueAt, "last");
      assert.ok(last);
      assert.equal(await stepOf(store, last, second.dueAt), "continues");
      const healed = await jobOf(lease);
      assert.deepEqual([healed?.attempts, healed?.lastError], [0, null]);
      assert.equal(await stepOf(store, last, second.dueAt), "finished");
    });

    test("a node that stops gives its leases back", async () => {
      await finishAll(store);
      const { lease } = await newDeletion(JOB_STEP + 1);
      await store.jobs.release({ owner: "somebody else" });
      assert.deepEqual(await claim(other, NOW + 1, "other"), []);
      await store.jobs.release({ owner: "test" });
      const [taken] = await claim(other, NOW + 1, "other");
      assert.equal(taken?.id, lease.id);
      assert.ok(taken);
      await finish(other, taken, NOW + 1);
    });

    test("a job about a list or an account that does not exist any more ends quietly", async () => {
      const { lease, deletion } = await newDeletion(JOB_STEP + 1);
      const again = await other.lists.delete({ ...deletion, lease: leaseAt(NOW, "again") });
      const { list, job } = deletedOf(again);
      assert.deepEqual([list.members, job], [1, null]);
      assert.equal(await stepOf(store, lease, NOW), "lost");
      assert.equal(await jobOf(lease), undefined);
      const stale = await newDeletion(JOB_STEP + 1);
      await finish(store, stale.lease, NOW);
      assert.equal(await stepOf(store, stale.lease, NOW), "lost");
    });

    test("a periodic job starts once for all nodes, and again after its period", async () => {
      await finishAll(store);
      await Promise.all([store, other, store].map(({ jobs }) => jobs.ensurePeriodic({ now: NOW })));
      const purges = (await store.jobs.left()).filter(({ kind }) => kind === "purge");
      assert.equal(purges.length, 1);
      const due = purges[0]?.dueAt ?? 0;
      const claimed = await claim(store, due, "one");
      const lease = claimed.find(({ kind }) => kind === "purge");
      assert.ok(lease);
      assert.deepEqual(await claim(other, due, "two"), []);
      for (const each of claimed) await finish(store, each, due);
      assert.equal((await jobOf(lease))?.dueAt, due + 3_600_000);
      assert.deepEqual(await claim(other, due + 3_599_999, "two"), []);
      const next = await claim(other, due + 3_600_000, "two");
      assert.ok(next.some(({ id }) => id === lease.id));
      await other.jobs.release({ owner: "two" });
    });

    test("deletes the periodic jobs of earlier versions, and does none of them", async () => {
      await finishAll(store);
      for (const kind of replacedJobs)
        await sql(
          `INSERT INTO job (name, kind, args, created_at, due_at) VALUES ('${kind}', '${kind}', '{}', 1, 1)`,
        );
      const left = async () => (await store.jobs.left()).map(({ kind }) => kind);
      assert.ok((await left()).includes("purge-ledger"), "they can be listed");
      const isReplaced = ({ kind }: { readonly kind: string }) => kind.startsWith("purge-");
      assert.ok(!(await claim(store, NOW, "one")).some(isReplaced));
      await store.jobs.release({ owner: "one" });
      await store.jobs.ensurePeriodic({ now: NOW });
      assert.deepEqual(await left(), ["purge"]);
      await sql(
        `UPDATE job SET progress = '{"of":"what a newer version deletes","after":5}' WHERE name = 'purge'`,
      );
      assert.ok((await purge(store, NOW)) >= 1, "it begins again");
    });

    test("drops old refused calls in batches, of all accounts, and counts right", async () => {
      const accounts = [await newAccount(store), await newAccount(store)];
      const refuse = (account: number, args: string, at: number) =>
        store.fields.add({
          account,
          at,
          origin,
          recordedCall: { operation: "Op", args, isCut: false },
          field: null,
        });
      for (const account of accounts) {
        await forEachOf(Array.from({ length: 1200 }), (_, n) => refuse(account, `${n}`, NOW - 100 * DAY_MS));
        await refuse(account, "young", NOW);
      }
      assert.ok((await purge(store, NOW)) >= 4, "two batches of each account");
      for (const account of accounts)
        assert.deepEqual(
          (await collect(store.refusals.all.pages({ account }))).map(({ args }) => args),
          ["young"],
        );
    });

    test("drops little at a time of refused calls that are long", async () => {
      const account = await newAccount(store);
      for (let n = 0; n < 12; n += 1)
        await store.fields.add({
          account,
          at: NOW - 100 * DAY_MS,
          origin,
          recordedCall: { operation: "Op", args: String(n).padStart(2 ** 20, "x"), isCut: false },
          field: null,
        });
      assert.ok((await purge(store, NOW)) >= 3);
      assert.deepEqual(await collect(store.refusals.all.pages({ account })), []);
    });

    test("a command that lost its lease waits until another process has finished its job", async () => {
      const { lease } = await newDeletion();
      const now = NOW + LEASE_MS;
      const taken = await other.jobs.take({ ...leaseAt(now, "other"), now, id: lease.id });
      assert.ok(taken);
      let pauses = 0;
      await finishJob(store.jobs, {
        clock: () => now,
        pause: async () => {
          pauses += 1;
          await stepOf(other, taken, now);
        },
      })(lease);
      assert.equal(pauses, 2);
      assert.equal(await jobOf(lease), undefined);
    });

    test("a command that lost its lease takes it again if nobody else has it", async () => {
      const { lease } = await newDeletion();
      // The process was suspended for a minute.
      const now = NOW + 60_000;
      await finishJob(store.jobs, { clock: () => now, pause: () => assert.fail("nobody else has it") })(
        lease,
      );
      assert.equal(await jobOf(lease), undefined);
    });
  });
}
