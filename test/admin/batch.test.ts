/** Changes of subscribers while the database goes away, or is changed by others. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { perform } from "#admin/kit/action.ts";
import { NotFound } from "#admin/kit/errors.ts";
import { changeSubscribers } from "#admin/subscribers/batch.ts";
import { addSubscriber } from "#admin/subscribers/subscribers.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob } from "#jobs/foreground.ts";
import { deleteField } from "#jobs/in-batches.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor, NOW, newAccount } from "../store/actor.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-batch-"));
let store: Store;
before(async () => {
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 5, bytes: 2 ** 28 });
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Does not answer from this item on. */
const unavailableFrom = (from: number, attempts: number[]) => {
  const add = (): never => {
    throw new StoreUnavailable("away");
  };
  const away: Store = { ...store, subscribers: { ...store.subscribers, add } };
  return {
    ...store,
    item: (index: number): Store => {
      attempts.push(index);
      return index < from ? store : away;
    },
  };
};
const adminOn = (given: Store) => ({
  store: given,
  clock: () => NOW,
  actor: { origin: { kind: "operator" } as const, roleIn: () => "editor" as const },
  continueJob: finishJob(given.jobs),
});
const batchOn = async (given: Store) => {
  const account = await newAccount(store);
  const list = await actor(store, account).list();
  const items = Array.from({ length: 250 }, (_, n) => ({
    action: "add" as const,
    list,
    email: `p${n}@example.org`,
  }));
  return { account, results: perform(adminOn(given), changeSubscribers, { account, items }) };
};

test("a batch says which items were carried out before the database went away, and does not try the rest", async () => {
  const attempts: number[] = [];
  const { account, results } = await batchOn(unavailableFrom(130, attempts));
  const errors = (await results).map(({ error }) => error);
  assert.ok(errors.slice(0, 130).every((error) => error === null));
  assert.ok(errors.slice(130).every((error) => error instanceof StoreUnavailable));
  assert.equal(errors.length, 250);
  assert.equal(attempts.length, 200);
  assert.ok((await actor(store, account).show("p129@example.org")) !== null);
});

test("a batch of which nothing was carried out fails as a whole", async () => {
  const { results } = await batchOn(unavailableFrom(0, []));
  await assert.rejects(results, StoreUnavailable);
});

test("an addition reports that a value was not cleared, because its field was deleted meanwhile", async () => {
  const account = await newAccount(store);
  const list = await actor(store, account).list();
  const field = { name: "Town", type: "STRING", isPrivate: false } as const;
  const created = await store.fields.create({ account, id: null, field, at: NOW });
  const id = typeof created === "object" ? created.id : assert.fail(created);
  async function* pages(of: { readonly account: number }) {
    yield* store.fields.all.pages(of);
    await deleteField(store, { ...of, id, at: NOW });
  }
  const all = { ...store.fields.all, pages };
  const admin = adminOn({ ...store, fields: { ...store.fields, all } });
  const given = { account, list, email: "ada@example.org", values: [], clearFields: [id] };
  await assert.rejects(perform(admin, addSubscriber, given), NotFound);
});
