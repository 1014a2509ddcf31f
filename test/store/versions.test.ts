/** Versions, and the secret of the installation, on both stores. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bothStores } from "../shared-postgres.ts";
import { versionsSuite } from "./versions-suite.ts";

for (const [name, open] of await bothStores()) {
  versionsSuite(name, open);

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
