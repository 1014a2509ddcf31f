/** What adapters can ask of actions: that a thing is as it was read, and that a repeat changes nothing. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deleteAccount, renameAccount, setAccount } from "#admin/accounts.ts";
import { deleteCampaign, setCampaign } from "#admin/campaigns/campaigns.ts";
import { deleteField, renameField } from "#admin/fields.ts";
import { createKey, listKeys, revokeKey } from "#admin/keys/keys.ts";
import { type Action, type Admin, perform } from "#admin/kit/action.ts";
import { Outdated } from "#admin/kit/errors.ts";
import { createList, deleteList, listLists, renameList } from "#admin/lists.ts";
import { createSender, deleteSender, setSender } from "#admin/senders/senders.ts";
import { setSubscriber } from "#admin/subscribers/correct.ts";
import { eraseSubscriber } from "#admin/subscribers/record.ts";
import { collect } from "#domain/paging.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { versionOf } from "#domain/version.ts";
import { finishJob } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor, addressOf, NOW, newAccount } from "../store/actor.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-guarantees-"));
let store: Store;
before(async () => {
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 });
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const admin = (on: Store, ifVersion?: string): Admin => ({
  store: on,
  clock: () => NOW,
  actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "administrator" },
  ifVersion: ifVersion === undefined ? undefined : [ifVersion],
  continueJob: finishJob(on.jobs),
});

test("every action that changes or deletes one thing fails if the thing has another version", async () => {
  const account = await newAccount(store);
  const a = actor(store, account);
  const [list, campaign, field] = [await a.list(), await a.campaign([]), await a.createField("Town")];
  assert.ok(typeof field === "object");
  const given = { account, label: "", scope: "full", expiresAt: null, existing: null } as const;
  const { key } = await perform(admin(store), createKey, given);
  await a.add(list, "ada@example.org");
  const nothing = { newEmail: null, lastName: null, gender: null, birthday: null, country: null };
  const noValues = { values: [], clear: [], clearFields: [] };
  const person = { account, email: "ada@example.org" };
  const run = <Args extends object>(action: Action<Args, unknown>, args: Args) =>
    assert.rejects(perform(admin(store, "another"), action, args), Outdated, action.name);
  await run(renameAccount, { account, name: "B" });
  await run(setAccount, { account, country: "AR" });
  await run(deleteAccount, { account, name: "Acme" });
  await run(revokeKey, { account, id: key.id });
  await run(renameList, { account, id: list, name: "B" });
  await run(deleteList, { account, id: list });
  await run(renameField, { account, id: field.id, name: "B" });
  await run(deleteField, { account, id: field.id });
  await run(setCampaign, { account, campaign, name: "B" });
  await run(deleteCampaign, { account, campaign });
  const values = { fromAddress: "news@example.org", postalAddress: "London", signing: "relay" } as const;
  const { sender } = await perform(admin(store), createSender, { account, ...values });
  await run(setSender, { account, id: sender.id, fromName: "B" });
  await run(deleteSender, { account, id: sender.id });
  await run(setSubscriber, { ...person, ...nothing, ...noValues, firstName: "Ada" });
  await run(eraseSubscriber, person);
  const found = (await perform(admin(store), listLists, { account, limit: 10 })).rows[0];
  assert.ok(found);
  const renamed = await perform(admin(store, versionOf("list", found)), renameList, {
    account,
    id: list,
    name: "B",
  });
  assert.equal(renamed.name, "B");
  const { entries } = { entries: await store.audit.all.page({ account, action: null, since: null }, first) };
  assert.deepEqual(
    entries.rows.map(({ action }) => action),
    ["list.rename", "sender.create", "key.create"],
    "a change that was not made leaves no entry",
  );
});
const first = { after: null, limit: 10 };

/** The same store, whose n-th command of an erasure fails. */
function failingAt(nth: number): Store {
  let commands = 0;
  const failing = <Args, Result>(command: (args: Args) => Promise<Result>) => {
    return async (args: Args): Promise<Result> => {
      commands += 1;
      if (commands === nth) throw new StoreUnavailable("the database does not respond");
      return await command(args);
    };
  };
  return {
    ...store,
    refusals: { ...store.refusals, erase: failing((args) => store.refusals.erase(args)) },
    subscribers: {
      ...store.subscribers,
      erase: failing(store.subscribers.erase) as Store["subscribers"]["erase"],
    },
  };
}

test("an erasure that expects a version leaves nothing of the subscriber, wherever it was interrupted", async () => {
  for (const nth of [1, 2, 3]) {
    const a = actor(store, await newAccount(store));
    const person = { account: a.account, email: "ada@example.org" };
    await a.add(await a.list(), person.email);
    await store.subscribers.add({
      ...{ account: a.account, list: 99, address: addressOf(person.email), at: NOW },
      origin: { kind: "operator" },
      recordedCall: { operation: "Subscriber.Add", args: `{"EMail":"${person.email}"}`, isCut: false },
    });
    const refused = () => collect(store.refusals.all.pages({ account: a.account }));
    const read = () => store.subscribers.data({ account: a.account, address: addressOf(person.email) });
    const found = await read();
    assert.ok(found);
    await assert.rejects(perform(admin(store, "another"), eraseSubscriber, person), Outdated);
    assert.equal((await refused()).length, 1, "of another version, nothing is erased");
    const version = versionOf("subscriber", found);
    await assert.rejects(
      perform(admin(failingAt(nth), version), eraseSubscriber, person),
      StoreUnavailable,
      String(nth),
    );
    const isErased = (await read()) === null;
    if (!isErased) await perform(admin(store, version), eraseSubscriber, person);
    assert.deepEqual([await read(), await refused()], [null, []], `interrupted at command ${nth}`);
  }
});

test("an action that is repeated with the same idempotency key changes nothing and returns the same", async () => {
  const account = await newAccount(store);
  const request = { owner: 1, key: "k", fingerprint: Buffer.alloc(32), at: NOW };
  const create = () => {
    const on = store.idempotent(request);
    return perform(admin(on), createList, { account, name: "News", id: null });
  };
  assert.deepEqual(await create(), await create());
  assert.equal((await perform(admin(store), listLists, { account, limit: 10 })).rows.length, 1);
});

test("a repeated action with a secret tells that it is a repeat, and what was made", async () => {
  const account = await newAccount(store);
  const request = { owner: 1, key: "secret", fingerprint: Buffer.alloc(32), at: NOW };
  const create = async () => {
    const on = store.idempotent(request);
    const given = { account, label: "Shop", scope: "full", expiresAt: null, existing: null } as const;
    const { key } = await perform(admin(on), createKey, given);
    return { id: key.id, isRepeat: on.isRepeat };
  };
  const { id } = await create();
  assert.deepEqual(await create(), { id, isRepeat: true });
  assert.equal((await perform(admin(store), listKeys, { account, limit: 10 })).rows.length, 1);
});
