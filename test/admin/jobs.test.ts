/** Actions that leave a job, and the actions about jobs, on both databases. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addBlock } from "#admin/blocks.ts";
import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import { cancelJob, listJobs, showJob } from "#admin/jobs.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import { deleteList } from "#admin/lists.ts";
import {
  dismissRefusalGroup,
  listRefusals,
  previewRefusalGroup,
  replayRefusal,
  replayRefusalGroup,
} from "#admin/refused-calls.ts";
import type { DataType } from "#domain/field/field.ts";
import { LEASE_MS, stateOfJob } from "#domain/job/job.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { doJob } from "#jobs/do-job.ts";
import { finishJob, leaveJob } from "#jobs/foreground.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { bothStores } from "../shared-postgres.ts";
import { actor, addressOf, forEachOf, NOW, newAccount } from "../store/actor.ts";
import { claim, finishAll } from "../store/job-steps.ts";
import { closeSound } from "../store/recount.ts";

for (const [name, open] of await bothStores())
  describe(`actions and jobs on ${name}`, () => {
    let store: Store;
    let admin: Admin;
    before(async () => {
      store = await open();
      const works = jobHandlers({ store, clock: () => NOW });
      admin = {
        store,
        clock: () => NOW,
        actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "administrator" },
        continueJob: finishJob(store.jobs, { works, clock: () => NOW }),
      };
    });
    after(() => closeSound(store));

    async function largeList() {
      const a = actor(store, await newAccount(store));
      const list = await a.list("Old");
      await forEachOf(Array.from({ length: JOB_STEP + 1 }), (_, n) => a.add(list, `p${n}@example.org`));
      return { ...a, list };
    }

    /** Calls that were refused because list 9999 did not exist. */
    async function refusedCalls(count: number) {
      const a = actor(store, await newAccount(store));
      const list = await a.list("News");
      for (let n = 0; n < count; n += 1)
        await store.subscribers.add({
          ...{ account: a.account, at: NOW, list: 99_999, address: addressOf(`r${n}@example.org`) },
          origin: { kind: "operator" },
          recordedCall: {
            operation: "Subscriber.Add",
            args: JSON.stringify({ EMail: `r${n}@example.org`, SubscribersListID: String(list) }),
            isCut: n === 1,
          },
        });
      const group = { account: a.account, operation: "Subscriber.Add", outcome: "UnknownList", key: null };
      const left = async () =>
        (await collect(store.refusals.all.pages({ account: a.account }))).map(({ args }) => args);
      return { ...a, list, group, left };
    }

    test("an adapter that leaves the job gets it at once, and the runner of its process is woken", async () => {
      await finishAll(store);
      const { account, list, members } = await largeList();
      let wakes = 0;
      const leaving = { ...admin, continueJob: leaveJob(store.jobs, () => (wakes += 1)) };
      const { job } = await perform(leaving, deleteList, { account, id: list });
      assert.ok(job);
      assert.deepEqual([stateOfJob(job, NOW), job.done, wakes], ["waiting", JOB_STEP, 1]);
      assert.equal(await members(list), 1);
      const [lease] = await claim(store, NOW, "runner");
      assert.equal(lease?.id, job.id, "the lease was handed back");
      assert.ok(lease);
      const { signal } = new AbortController();
      assert.equal(await doJob({ jobs: store.jobs, works: {}, clock: () => NOW, signal }, lease), "finished");
      assert.equal(await members(list), null);
    });

    test("an adapter that waits gets the job when it has ended; none if the first batch did all", async () => {
      const { account, list, add } = await largeList();
      const { job } = await perform(admin, deleteList, { account, id: list });
      assert.equal(job?.ending, "finished");
      const a = actor(store, account);
      const small = await a.list("Small");
      await add(small, "one@other.example");
      const blocked = await perform(admin, addBlock, { account, pattern: "@other.example" });
      assert.deepEqual(blocked, { pattern: "@other.example", isNew: true, job: null });
      assert.equal((await perform(admin, deleteList, { account, id: small })).job, null);
    });

    test("jobs are listed newest first, shown by id, and not found in another account", async () => {
      const { account, list } = await largeList();
      const { job } = await perform(admin, deleteList, { account, id: list });
      assert.ok(job);
      const { rows } = await perform(admin, listJobs, { account, limit: 10 });
      assert.deepEqual(rows, [job]);
      assert.deepEqual(await perform(admin, showJob, { account, id: job.id }), job);
      const all = await perform(admin, listJobs, { account: null, limit: 1 });
      assert.deepEqual([all.rows, all.next !== null], [[job], true]);
      const other = await newAccount(store);
      await assert.rejects(perform(admin, showJob, { account: other, id: job.id }), NotFound);
      await assert.rejects(perform(admin, listJobs, { account, limit: 0 }), InvalidInput);
      await assert.rejects(perform(admin, listJobs, { account, limit: 1, after: "x" }), InvalidInput);
    });

    test("a job that must end, or has ended, is not cancelled, and the message says why", async () => {
      const { account, list } = await largeList();
      const leaving = { ...admin, continueJob: leaveJob(store.jobs, () => {}) };
      const { job } = await perform(leaving, deleteList, { account, id: list });
      assert.ok(job);
      const cancelling = () => perform(admin, cancelJob, { account, id: job.id });
      await assert.rejects(cancelling(), (error) => {
        assert.ok(error instanceof NotPossible);
        assert.match(error.message, /cannot be cancelled: part of the list is deleted already/);
        return true;
      });
      await finishAll(store);
      await assert.rejects(cancelling(), /has ended already: it is finished/);
      await assert.rejects(perform(admin, cancelJob, { account, id: 987_654 }), NotFound);
    });

    test("a group of refused calls is replayed in order; what fails again stays and is counted", async () => {
      const { account, list, group, left, members, block } = await refusedCalls(5);
      await block("r2@example.org");
      const shown = await perform(admin, previewRefusalGroup, group);
      assert.deepEqual([shown.count, shown.isMore, shown.sample.length], [5, false, 5]);
      const { job } = await perform(admin, replayRefusalGroup, group);
      assert.deepEqual(
        [job?.ending, job?.done, job?.total, job?.result],
        ["finished", 5, 5, { succeeded: 3, notReplayable: 1, refused: { Blocked: 1 } }],
      );
      assert.equal(await members(list), 3);
      const stays = await left();
      assert.ok(stays.length === 2 && stays.every((args) => /r1@|r2@/.test(args)));
      assert.equal((await perform(admin, listJobs, { account, limit: 1 })).rows[0]?.id, job?.id);
    });

    /** A process that is killed after it has saved a number of pieces, and one that has replaced it. */
    async function killedAfter(pieces: number) {
      const { signal } = new AbortController();
      const works = jobHandlers({ store, clock: () => NOW });
      const doing = { jobs: store.jobs, works, clock: () => NOW, signal };
      const [first] = await claim(store, NOW, "killed");
      assert.ok(first);
      let saved = 0;
      const proceed: Store["jobs"]["proceed"] = async (args) => {
        if (saved === pieces) throw new Error("killed");
        saved += 1;
        return await store.jobs.proceed(args);
      };
      await assert.rejects(doJob({ ...doing, jobs: { ...store.jobs, proceed } }, first), /killed/);
      return async () => {
        const clock = () => NOW + LEASE_MS;
        const [second] = await claim(store, clock(), "other");
        assert.ok(second);
        assert.equal(await doJob({ ...doing, clock }, second), "finished");
        return await store.jobs.byId({ account: first.account, id: first.id });
      };
    }

    test("a replay that was killed does each call once, and counts it once", async () => {
      await finishAll(store);
      const { account, list, group, left, members, show } = await refusedCalls(120);
      const leaving = { ...admin, continueJob: leaveJob(store.jobs, () => {}) };
      await perform(leaving, replayRefusalGroup, group);
      const goOn = await killedAfter(1);
      assert.deepEqual([await members(list), (await left()).length], [49, 71]);
      // Whoever leaves the list meanwhile does not come back.
      const by = { account, at: NOW, list, origin: { kind: "operator" }, recordedCall: null } as const;
      await store.subscribers.remove({ ...by, address: addressOf("r0@example.org") });
      const job = await goOn();
      assert.deepEqual(
        [job?.done, job?.total, job?.result],
        [120, 120, { succeeded: 119, notReplayable: 1, refused: {} }],
      );
      assert.equal(await members(list), 118);
      const joined = (await show("r2@example.org"))?.history.filter(({ kind }) => kind === "joined");
      assert.equal(joined?.length, 1);
    });

    test("a call that somebody else replays while a group is replayed is executed once", async () => {
      await finishAll(store);
      const { account, list, group, members, show } = await refusedCalls(120);
      const leaving = { ...admin, continueJob: leaveJob(store.jobs, () => {}) };
      await Promise.all([
        perform(leaving, replayRefusalGroup, group),
        perform(leaving, replayRefusalGroup, group),
      ]);
      const goOn = await killedAfter(1);
      const { rows } = await perform(admin, listRefusals, { account, limit: 500 });
      const last = rows.find(({ args }) => args.includes("r119@"));
      assert.ok(last);
      const one = { account, id: last.id, corrections: {} };
      const twice = await Promise.allSettled([
        perform(admin, replayRefusal, one),
        perform(admin, replayRefusal, one),
      ]);
      assert.deepEqual(twice.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      const job = await goOn();
      assert.deepEqual(job?.result, { succeeded: 118, notReplayable: 1, refused: {} });
      assert.equal(await members(list), 119);
      for (const n of [0, 60, 119]) {
        const joined = (await show(`r${n}@example.org`))?.history.filter(({ kind }) => kind === "joined");
        assert.equal(joined?.length, 1, String(n));
      }
    });

    test("a call is executed once if it is read before somebody else replays it", async () => {
      await finishAll(store);
      const { account, list, group, members } = await refusedCalls(3);
      const works = jobHandlers({
        store: {
          ...store,
          refusals: {
            ...store.refusals,
            nextOfGroup: async (args) => {
              const found = await store.refusals.nextOfGroup(args);
              for (const { id, isCut } of found.refusals)
                if (!isCut) await perform(admin, replayRefusal, { account, id, corrections: {} });
              // They leave again: a second execution would bring them back.
              for (const n of [0, 2])
                await store.subscribers.remove({
                  ...{ account, at: NOW, list, origin: { kind: "operator" }, recordedCall: null },
                  address: addressOf(`r${n}@example.org`),
                });
              return found;
            },
          },
        },
        clock: () => NOW,
      });
      const continueJob = finishJob(store.jobs, { works, clock: () => NOW });
      const { job } = await perform({ ...admin, continueJob }, replayRefusalGroup, group);
      assert.deepEqual([job?.done, job?.result], [1, { succeeded: 0, notReplayable: 1, refused: {} }]);
      assert.equal(await members(list), 0);
    });

    /** Calls that gave values to fields that do not exist, in a list that does. */
    async function refusedValues(
      values: readonly (readonly { readonly field: bigint; readonly value: string }[])[],
    ) {
      const a = actor(store, await newAccount(store));
      const list = await a.list("News");
      for (const [n, given] of values.entries()) {
        const CustomsFields = given.map(({ field, value }) => ({
          Customfieldid: String(field),
          Value: value,
        }));
        await store.subscribers.addWithData({
          ...{ account: a.account, at: NOW, list, address: addressOf(`v${n}@example.org`) },
          origin: { kind: "operator" },
          data: {
            ...{ firstName: null, lastName: null, gender: null, birthday: null, countryNumber: null },
            values: given,
          },
          recordedCall: {
            operation: "Subscriber.AddwithBasicandCustoms",
            args: JSON.stringify({
              SubscribersListID: String(list),
              EMail: `v${n}@example.org`,
              CustomsFields,
            }),
            isCut: false,
          },
        });
      }
      const group = {
        ...{ account: a.account, operation: "Subscriber.AddwithBasicandCustoms", outcome: "UnknownField" },
        key: null,
      };
      const field = async (name: string, type: DataType) => {
        const made = { account: a.account, id: null, at: NOW, field: { name, type, isPrivate: false } };
        const created = await store.fields.create(made);
        assert.ok(typeof created === "object");
        return created.id;
      };
      return { ...a, list, group, field };
    }

    test("a group is replayed with the list that is meant; a new reason is kept with it", async () => {
      const { account, list, show, unsubscribe } = await refusedCalls(0);
      const group = { account, operation: "Subscriber.Add", outcome: "UnknownList", key: null };
      for (const [n, unknown] of [98, 99, 98, 97].entries())
        await store.subscribers.add({
          ...{ account, at: NOW + n, list: unknown, origin: { kind: "operator" } },
          address: addressOf(n === 2 ? "m0@example.org" : `m${n}@example.org`),
          recordedCall: {
            operation: "Subscriber.Add",
            args: JSON.stringify({
              SubscribersListID: n === 2 ? " 98" : String(unknown),
              EMail: n === 2 ? "m0@example.org" : `m${n}@example.org`,
            }),
            isCut: false,
          },
        });
      await unsubscribe("m0@example.org");
      const { unknown } = await perform(admin, previewRefusalGroup, group);
      assert.deepEqual(unknown, {
        lists: [
          { id: "98", calls: 2 },
          { id: "99", calls: 1 },
          { id: "97", calls: 1 },
        ],
        fields: [],
      });
      const { job } = await perform(admin, replayRefusalGroup, { ...group, lists: { 98: list, 99: list } });
      assert.deepEqual(job?.result, {
        succeeded: 1,
        notReplayable: 0,
        refused: { Unsubscribed: 2, UnknownList: 1 },
      });
      assert.equal((await show("m1@example.org"))?.lists.length, 1);
      const { rows } = await perform(admin, listRefusals, { account, limit: 10 });
      const kept = rows.map(({ outcome, args, count, firstAt, lastAt }) => ({
        ...{ outcome, count, list: (JSON.parse(args) as Record<string, string>).SubscribersListID },
        times: [firstAt - NOW, lastAt - NOW],
      }));
      assert.deepEqual(kept, [
        { outcome: "UnknownList", count: 1, list: "97", times: [3, 3] },
        { outcome: "Unsubscribed", count: 2, list: String(list), times: [0, 2] },
      ]);
      const entry = (
        await store.audit.all.page(
          { account, action: "refused.replayGroup", since: null },
          { after: null, limit: 1 },
        )
      ).rows[0];
      assert.deepEqual(entry?.after?.correctedLists, [`98 → ${list}`, `99 → ${list}`]);
    });

    test("a group is replayed with the fields that are meant, or without their values", async () => {
      const { group, show, field, list, members } = await refusedValues([
        [{ field: 901n, value: "London" }],
        [
          { field: 901n, value: "Paris" },
          { field: 902n, value: "x" },
        ],
        [{ field: 903n, value: "y" }],
      ]);
      const town = await field("Town", "STRING");
      const { job } = await perform(admin, replayRefusalGroup, {
        ...group,
        fields: { 901: town, 902: null },
      });
      assert.deepEqual(job?.result, { succeeded: 2, notReplayable: 0, refused: { UnknownField: 1 } });
      assert.equal(await members(list), 2);
      const valuesOf = async (email: string) =>
        (await show(email))?.values.map(({ name, value }) => [name, value]);
      assert.deepEqual(await valuesOf("v0@example.org"), [["Town", "London"]]);
      assert.deepEqual(await valuesOf("v1@example.org"), [["Town", "Paris"]]);
    });

    test("corrections of a group are checked before its job is started", async () => {
      const { group, field, account, list } = await refusedValues([[{ field: 901n, value: "London" }]]);
      const born = await field("Born", "DATE");
      const town = await field("Town", "STRING");
      const refused = (more: object, message: RegExp) =>
        assert.rejects(perform(admin, replayRefusalGroup, { ...group, ...more }), (error) => {
          assert.ok(error instanceof InvalidInput, String(error));
          assert.match(error.message, message);
          return true;
        });
      await refused({ fields: { 901: born } }, /^the field Born has the type DATE, and none of the values/);
      await refused({ fields: { 901: 12_345n } }, /^there is no field 12345$/);
      await refused({ fields: { 901: 2n ** 70n } }, /^there is no field/);
      await refused({ fields: { 999: town } }, /^none of the calls names the field 999$/);
      await refused({ lists: { 99: list } }, /^only calls that name a list which does not exist/);
      const lists = { ...group, outcome: "UnknownList", lists: { 99: 12_345 } };
      await store.subscribers.add({
        ...{ account, at: NOW, list: 99, address: addressOf("n@example.org"), origin: { kind: "operator" } },
        recordedCall: { operation: group.operation, args: '{"SubscribersListID":"99"}', isCut: false },
      });
      await refused(lists, /^there is no list 12345$/);
      assert.deepEqual((await perform(admin, listJobs, { account, limit: 10 })).rows, []);
    });

    test("a group of refused calls is dismissed, and no other one", async () => {
      const { group, left, account } = await refusedCalls(3);
      await store.fields.add({
        ...{ account, at: NOW, origin: { kind: "operator" }, field: null },
        recordedCall: { operation: "Field.Add", args: "{}", isCut: false },
      });
      const { job } = await perform(admin, dismissRefusalGroup, group);
      assert.deepEqual([job?.ending, job?.done], ["finished", 3]);
      assert.deepEqual(await left(), ["{}"]);
      await assert.rejects(perform(admin, dismissRefusalGroup, group), NotPossible);
      await assert.rejects(perform(admin, replayRefusalGroup, { ...group, key: 4 }), NotPossible);
    });
  });
