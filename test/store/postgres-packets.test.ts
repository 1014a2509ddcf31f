/** Statements that do not wait for each other are written together: each write wakes the server. */
import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import { Client } from "pg";
import type { SqlText } from "#store/cold/kit/statement.ts";
import { Connection } from "#store/postgres/sessions/connection.ts";
import { sharedPostgres } from "../shared-postgres.ts";

const server = await sharedPostgres();

/** Counts what it passes on to the system. */
class CountingSocket extends Socket {
  writes = 0;
  override _write(...args: Parameters<Socket["_write"]>): void {
    this.writes += 1;
    super._write(...args);
  }
  override _writev(...args: Parameters<NonNullable<Socket["_writev"]>>): void {
    this.writes += 1;
    super._writev?.(...args);
  }
}

async function connected(gathers: boolean) {
  const socket = new CountingSocket();
  const connectionString = await server.newDatabase();
  const client = new Client({ connectionString, pipeline: true, stream: () => socket });
  await client.connect();
  const db = new Connection(client, gathers ? socket : null);
  return {
    writesOf: async (work: (db: Connection) => Promise<unknown>): Promise<number> => {
      const before = socket.writes;
      await work(db);
      return socket.writes - before;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const sql = (text: string) => text as SqlText<{ readonly n: number }>;
/** The second statement is sent by a promise that follows the first call, not its reply. */
const work = async (db: Connection): Promise<void> => {
  const later = Promise.resolve().then(() => db.all(sql("SELECT 2 AS n")));
  const [, first, second] = await Promise.all([db.begin(), db.all(sql("SELECT 1 AS n")), later]);
  assert.deepEqual([first, second], [[{ n: 1 }], [{ n: 2 }]]);
  await Promise.all([db.run(sql("SELECT 3")), db.exec("COMMIT")]);
};

test("sends what does not wait for a reply in one write", async () => {
  await using w = await connected(true);
  assert.equal(await w.writesOf(work), 2);
});

test("sends every statement by itself if it is given no socket", async () => {
  await using w = await connected(false);
  assert.equal(await w.writesOf(work), 5);
});

test("sends what follows a statement that failed", async () => {
  await using w = await connected(true);
  const failing = async (db: Connection): Promise<void> => {
    await assert.rejects(Promise.all([db.begin(), db.all(sql("SELECT 1 / 0 AS n"))]), /division by zero/);
    await db.exec("ROLLBACK");
  };
  assert.equal(await w.writesOf(failing), 2);
  assert.equal(await w.writesOf(work), 2);
});
