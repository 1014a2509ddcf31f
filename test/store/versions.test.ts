/** Versions, and the secret of the installation, on both stores. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { PostgresStore } from "../../src/store/postgres/store.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { versionsSuite } from "./versions-suite.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-versions-"));
const server = await sharedPostgres();
const url = await server.newDatabase();
after(() => rmSync(folder, { recursive: true }));
const stores = {
  SQLite: () => SqliteStore.open(join(folder, "m.db"), retention),
  PostgreSQL: () => PostgresStore.open(url, retention),
};

for (const [name, open] of Object.entries(stores)) {
  versionsSuite(`the ${name} store`, open);

  test(`on ${name}, all nodes get the same secret of the installation`, async () => {
    const [one, other] = await Promise.all([open(), open()]);
    try {
      const secrets = await Promise.all([
        one.secrets.ofInstallation(),
        other.secrets.ofInstallation(),
        one.secrets.ofInstallation(),
      ]);
      assert.deepEqual(
        secrets.map((secret) => Buffer.from(secret).toString("hex")),
        Array.from({ length: 3 }, () => Buffer.from(secrets[0]).toString("hex")),
      );
      assert.equal(secrets[0].length, 32);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });
}
