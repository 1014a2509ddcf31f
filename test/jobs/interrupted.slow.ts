/** A process is killed in the middle of a job, and others finish it, once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { Installation } from "../cli/program.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, addressOf, forEachOf, NOW, newAccount, newImport } from "../store/actor.ts";
import { wrongNumbers } from "../store/recount.ts";
import { databasesIn, finishedByRunners, membersOf } from "./killed-process.ts";

const MEMBERS = 12_000;
const REFUSED = 2000;
const folder = mkdtempSync(join(tmpdir(), "mailroll-killed-"));
const server = await sharedPostgres();
const installation = new Installation();
after(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true });
});

const databases = databasesIn(folder, server);

for (const [name, { url: newDatabase, open }] of Object.entries(databases))
  describe(`jobs of a killed process on ${name}`, () => {
    test("a deletion that kill -9 interrupts is finished once by two runners", async () => {
      const url = await newDatabase();
      const store = await open(url);
      const { account, list, kill } = await deleting(store, url);
      await kill();
      const left = await membersOf(store, account, list);
      assert.ok(left > 0 && left < MEMBERS, `${left} members were left`);
      const other = await open(url);
      await finishedByRunners([store, other], "delete-list");
      await other.close();
      await assertDeletedOnce(store, account, list);
      await store.close();
    });

    test("a job of a process that was killed on this machine goes on at once, before its lease expires", async () => {
      const url = await newDatabase();
      const store = await open(url);
      const { account, list, kill } = await deleting(store, url);
      await kill();
      assert.ok((await store.jobs.left()).some(({ leasedUntil }) => (leasedUntil ?? 0) > Date.now()));
      await finishedByRunners([store], "delete-list", Date.now);
      await assertDeletedOnce(store, account, list);
      await store.close();
    });

    test("a deletion that kill -9 interrupts is finished by the same command", async () => {
      const url = await newDatabase();
      const store = await open(url);
      const { account, list, kill, words } = await deleting(store, url);
      await kill();
      const again = await installation.run(words, { env: { MAILROLL_DATABASE: url } });
      assert.match(again.out, /^Deleted list/);
      assert.equal(again.code, 0);
      assert.ok((await store.jobs.left()).every(({ kind }) => kind !== "delete-list"));
      await assertDeletedOnce(store, account, list);
      await store.close();
    });

    test("a change of many subscribers that kill -9 interrupts is finished once by two runners", async () => {
      const url = await newDatabase();
      const store = await open(url);
      const account = await newAccount(store);
      const { list, show } = actor(store, account);
      const id = await list("Large");
      await fill(store, account, id);
      const words = [
        "subscriber",
        "bulk",
        "@example.org",
        "--unsubscribe",
        "--yes",
        "--account",
        `${account}`,
      ];
      await killedWhen(words, url, async () => (await membersOf(store, account, id)) < MEMBERS);
      assert.ok((await membersOf(store, account, id)) > 0, "somebody is left");
      const other = await open(url);
      await finishedByRunners([store, other], "change-subscribers");
      await other.close();
      const [job] = (await store.jobs.all.page({ account }, { after: null, limit: 1 })).rows;
      assert.deepEqual(
        [job?.ending, job?.done, job?.result],
        ["finished", MEMBERS, { changed: MEMBERS, unchanged: 0, refused: {} }],
      );
      for (let n = 0; n < MEMBERS; n += 249) {
        const entries = (await show(`p${n}@example.org`))?.history ?? [];
        assert.equal(entries.filter(({ kind }) => kind === "unsubscribed").length, 1);
      }
      assert.deepEqual(await wrongNumbers(store), []);
      await store.close();
    });

    test("a replay of refused calls that kill -9 interrupts is continued by two runners, once in effect", async () => {
      const url = await newDatabase();
      const store = await open(url);
      const account = await newAccount(store);
      const a = actor(store, account);
      const id = await a.list("News");
      await refuseCalls(store, account, id);
      const left = async () => (await collect(store.refusals.all.pages({ account }))).length;
      const words = [
        "refused",
        "replay-all",
        "Subscriber.Add",
        "UnknownList",
        "--yes",
        "--account",
        `${account}`,
      ];
      await killedWhen(words, url, async () => (await membersOf(store, account, id)) > 0);
      assert.ok((await left()) > 0, "some are left");
      const other = await open(url);
      await finishedByRunners([store, other], "replay-refusals");
      await other.close();
      assert.deepEqual([await left(), await membersOf(store, account, id)], [0, REFUSED]);
      for (let n = 0; n < REFUSED; n += 7) {
        const entries = (await a.show(`r${n}@example.org`))?.history ?? [];
        assert.equal(entries.filter(({ kind }) => kind === "joined").length, 1);
      }
      assert.deepEqual(await wrongNumbers(store), []);
      await store.close();
    });

    test("the deletion of an account that kill -9 interrupts is finished by two runners", async () => {
      const url = await newDatabase();
      const store = await open(url);
      const account = await newAccount(store);
      const { list, show } = actor(store, account);
      await fill(store, account, await list("Large"));
      const words = ["account", "delete", String(account), "--name", "Acme", "--yes"];
      await killedWhen(words, url, async () => (await show("p0@example.org")) === null);
      assert.ok(await show("p9999@example.org"), "somebody is left");
      assert.deepEqual(await wrongNumbers(store), []);
      const other = await open(url);
      await finishedByRunners([store, other], "delete-account");
      await other.close();
      assert.equal(await store.accounts.toDelete({ id: account }), null);
      assert.equal(await show("p9999@example.org"), null);
      assert.deepEqual(await wrongNumbers(store), []);
      await store.close();
    });
  });

/** Begins a command, and kills it as soon as it has begun its work. */
async function killedWhen(words: readonly string[], url: string, hasBegun: () => Promise<boolean>) {
  const child = installation.start(words, { MAILROLL_DATABASE: url });
  while (!(await hasBegun()) && child.exitCode === null);
  assert.equal(child.exitCode, null, "the command is still running");
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Calls that were refused because of a list that did not exist; they are recorded with one that does. */
async function refuseCalls(store: Store, account: number, list: number): Promise<void> {
  await forEachOf(Array.from({ length: REFUSED }), (_, n) => {
    const email = `r${n}@example.org`;
    const args = JSON.stringify({ EMail: email, SubscribersListID: String(list) });
    return store.subscribers.add({
      ...{ account, at: NOW, list: 99_999, address: addressOf(email), origin: { kind: "operator" } },
      recordedCall: { operation: "Subscriber.Add", args, isCut: false },
    });
  });
}

/** A command that is deleting a large list; `kill` ends it after it has begun. */
async function deleting(store: Store, url: string) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const list = await a.list("Large");
  await fill(store, account, list);
  const words = ["list", "delete", String(list), "--account", String(account), "--yes"];
  const kill = () => killedWhen(words, url, async () => (await membersOf(store, account, list)) < MEMBERS);
  return { account, list, words, kill };
}

async function fill(store: Store, account: number, list: number): Promise<void> {
  const importing = await newImport(store, account, list);
  for (let start = 0; start < MEMBERS; start += 1000) {
    const people = Array.from({ length: 1000 }, (_, n) => ({
      address: addressOf(`p${start + n}@example.org`),
      joinedAt: null,
      suppressions: {},
      data: {},
      values: [],
    }));
    await store.imports.add({ ...importing, at: NOW, people });
  }
}

/** Nobody is a member any more, and everybody left once. */
async function assertDeletedOnce(store: Store, account: number, list: number): Promise<void> {
  assert.deepEqual(await collect(store.lists.all.pages({ account })), []);
  const { show } = actor(store, account);
  // One of every batch.
  for (let n = 500; n < MEMBERS; n += 1000) {
    const person = await show(`p${n}@example.org`);
    const left = person?.history.filter((entry) => entry.kind === "left" && entry.list === list);
    assert.deepEqual([person?.lists, left?.length], [[], 1]);
  }
  assert.deepEqual(await wrongNumbers(store), []);
}
