/** Texts that PostgreSQL cannot represent, where a request can have them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";

const server = await sharedPostgres();
const url = await server.newDatabase();
let api: ApiServer;
before(async () => {
  api = await startApi(undefined, () => PostgresStore.open(url, { days: 90, rows: 1000, bytes: 2 ** 28 }));
  await api.store.accounts.create({ name: "Acme", at: 1 });
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const OF_ACCOUNT = "/accounts/1";
for (const [path, parameter] of [
  ["/audit-log", "action"],
  [`${OF_ACCOUNT}/audit-log`, "action"],
  [`${OF_ACCOUNT}/refused-calls`, "operation"],
] as const)
  test(`GET ${path} refuses a NUL character in the parameter ${parameter}, and names it`, async () => {
    const response = await api.send("GET", `${path}?${parameter}=a%00`, { token: "administrator" });
    const { status, errors } = await problemOf(response);
    assert.deepEqual([status, errors?.[0]?.parameter], [400, parameter]);
  });
