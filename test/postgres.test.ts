/** The whole program over PostgreSQL: the service by SOAP, and the command line. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { after, before, describe, test } from "node:test";
import { runCommandLine } from "../src/cli/command-line.ts";
import { PostgresServer } from "./postgres-server.ts";
import { call, startService, withKey } from "./service.ts";

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.start();
});
after(() => server.stop());

test("the whole service over PostgreSQL answers by SOAP", async () => {
  const service = await startService({ database: await server.newDatabase() });
  try {
    const list = service.firstStart?.list ?? 0;
    const add = `<SubscribersListID>${list}</SubscribersListID><EMail>ada@example.org</EMail>`;
    assert.equal((await call(service, "Subscriber.Add", withKey(add))).result, "0");
    const lists = await call(service, "Client.GetSubscribersLists", withKey());
    assert.equal(lists.status, 200);
    assert.match(lists.result ?? "", /Newsletter/);
    assert.match(lists.result ?? "", />1</);
    assert.equal((await call(service, "Subscriber.Add", withKey(add, "UNKNOWN-KEY"))).code, "InvalidApiKey");
  } finally {
    await service.close();
  }
});

describe("the command line over PostgreSQL", () => {
  const run = async (words: string, database: string) => {
    const output = { out: "", err: "" };
    const code = await runCommandLine(words.split(" "), {
      out: (text) => {
        output.out += text;
      },
      err: (text) => {
        output.err += text;
      },
      env: { MAILROLL_DATABASE: database },
      folder: tmpdir(),
      confirm: async () => null,
    });
    return { code, ...output };
  };
  test("makes what it needs, and the doctor finds it sound", async () => {
    const url = await server.newDatabase();
    assert.equal((await run("account create Acme", url)).code, 0);
    assert.equal((await run("key create", url)).code, 0);
    const { code, out } = await run("doctor", url);
    assert.equal(code, 0, out);
    assert.match(out, /^ok +schema +version 1\nok +integrity .*\nok +counters .*\nok +accounts +account 1/m);
  });
  test("says in one line that the server does not answer, or that the address is none, without the password", async () => {
    const unreachable = await run("doctor", "postgres://u:hidden@127.0.0.1:1/m");
    assert.equal(unreachable.code, 1);
    assert.match(
      unreachable.out,
      /^problem +database +the database does not answer: .*see that the server runs/m,
    );
    const misspelt = await run("doctor", "postgress://u:hidden@127.0.0.1/m");
    assert.equal(misspelt.code, 78);
    assert.match(misspelt.err, /^mailroll: MAILROLL_DATABASE: the value is not sqlite: and a file/);
    assert.doesNotMatch(JSON.stringify([unreachable, misspelt]), /hidden/);
  });
});
