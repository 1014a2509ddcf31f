/** One search for everything, over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { actor } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  for (const name of ["Acme", "Other"]) {
    const { id: account } = await api.store.accounts.create({ name, at: 1 });
    const of = actor(api.store, account, () => ({ operation: "Op", args: "{}", isCut: false }));
    const list = await of.list("Spring news");
    for (let n = 0; n < 7; n += 1) await of.add(list, `spring${n}@example.org`);
    await api.store.campaigns.record({ account, name: "SPRING sale", lists: [], createdAt: 1, sentAt: null });
    const key = {
      ...storedForm(`sprXkey-${name}`),
      label: "",
      scope: "full",
      expiresAt: null,
      at: 1,
    } as const;
    await api.store.keys.create({ ...key, account });
    await of.add(99, "ada@example.org");
  }
});
after(() => api.close());

interface Found {
  readonly [kind: string]: readonly { readonly id: string }[] | { readonly id: string } | null;
}
async function search(text: string): Promise<Found> {
  const response = await api.send("POST", "/accounts/1/search", { token: "viewer", body: { text } });
  assert.equal(response.status, 200);
  return (await response.json()) as Found;
}
const idsOf = (found: Found, kind: string): readonly string[] =>
  (found[kind] as readonly { readonly id: string }[]).map(({ id }) => id);

test("a text finds at most five of each kind, in its own account", async () => {
  const found = await search("spr");
  assert.deepEqual(idsOf(found, "subscribers"), ["1", "2", "3", "4", "5"]);
  for (const kind of ["lists", "campaigns", "keys"]) assert.deepEqual(idsOf(found, kind), ["1"], kind);
  assert.equal(found.refusedCall, null);
  assert.deepEqual(idsOf(await search("spring3@example.org"), "subscribers"), ["4"]);
  assert.deepEqual(idsOf(await search("Spring N"), "lists"), ["1"]);
  assert.deepEqual(idsOf(await search("sprX"), "keys"), ["1"]);
});

test("a number finds the refused call with that id, of this account only", async () => {
  assert.equal(((await search("1")).refusedCall as { readonly id: string } | null)?.id, "1");
  assert.equal((await search("2")).refusedCall, null);
});
