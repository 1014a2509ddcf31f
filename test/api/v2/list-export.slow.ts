/** The export of a long list over the API, to clients that do not read it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limitsFor } from "#admission/limits.ts";
import { actor, forEachOf } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
/** More than the buffers of a connection on one machine. */
const LONG = 12_000;
before(async () => {
  api = await startApi();
  const { id: account } = await api.store.accounts.create({ name: "Acme", at: 1 });
  const { id: list } = await api.store.lists.create({ account, name: "Long", at: 1 });
  const { addData } = actor(api.store, account);
  const firstName = "n".repeat(1000);
  await forEachOf(
    Array.from({ length: LONG }, (_, n) => `p${n}@example.org`),
    (email) => addData(list, email, { firstName, lastName: firstName }),
  );
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

test("clients that do not read take the slots of their account, and give them back when they disconnect", async () => {
  // Compressed, the whole list would fit into the buffers of the connection.
  const plain = { headers: { Authorization: "Bearer owner", "Accept-Encoding": "identity" } };
  const send = () => fetch(new URL("accounts/1/lists/1/export", api.address), plain);
  const { listsPerAccount } = limitsFor(4 * 1024 ** 2);
  const slow = await Promise.all(
    Array.from({ length: listsPerAccount }, async () => {
      const response = await send();
      assert.equal(response.status, 200);
      const reader = response.body?.getReader();
      await reader?.read();
      return reader;
    }),
  );
  const refused = await send();
  assert.equal(refused.status, 429);
  assert.ok(refused.headers.get("retry-after"));
  await refused.text();
  for (const reader of slow) await reader?.cancel();
  let again = await send();
  while (again.status === 429) {
    await again.text();
    again = await send();
  }
  assert.equal((await again.text()).trimEnd().split("\r\n").length, LONG + 1);
});
