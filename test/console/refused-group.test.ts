/**
 * 500 calls to a list that does not exist, over SOAP, are replayed at once with the list that is meant; on
 * both databases.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import type { Store } from "#domain/ports/store.ts";
import { doJob } from "#jobs/do-job.ts";
import { requestLease } from "#jobs/foreground.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { finishJobs } from "../api/v2/finish-jobs.ts";
import { KEY, startService } from "../service.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { startConsole } from "./console-server.ts";

const CALLS = 500;
const GROUP = "operation=Subscriber.Add&outcome=UnknownList";
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-group-"));
after(() => rmSync(folder, { recursive: true }));

const envelope = (list: number, email: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Subscriber.Add xmlns="NAMESPACE"><APIKey>${KEY}</APIKey><SubscribersListID>${list}</SubscribersListID><EMail>${email}</EMail></Subscriber.Add></s:Body></s:Envelope>`;

/** Makes the calls as a program that ignores the results, through a service that is stopped afterwards. */
async function callsOver(database: string): Promise<void> {
  const service = await startService({ database });
  const wsdl = await (await fetch(`${service.origin}/default.asmx?wsdl`)).text();
  const namespace = /targetNamespace="([^"]+)"/.exec(wsdl)?.[1] ?? "";
  const call = async (n: number): Promise<void> => {
    const body = envelope(99, `p${n}@example.org`).replace("NAMESPACE", namespace);
    const headers = { "Content-Type": "text/xml; charset=utf-8", SOAPAction: "" };
    const reply = await fetch(`${service.origin}/default.asmx`, { method: "POST", headers, body });
    assert.match(await reply.text(), /<Subscriber.AddResult>101</);
  };
  for (let n = 0; n < CALLS; n += 25) await Promise.all(Array.from({ length: 25 }, (_, at) => call(n + at)));
  await service.close();
}

/** Does some pieces of the job that is left, as a process that is then stopped. */
async function doPieces(store: Store, pieces: number): Promise<void> {
  const now = Date.now();
  const job = (await store.jobs.left()).find(({ kind }) => kind === "replay-refusals");
  assert.ok(job);
  const lease = await store.jobs.take({ ...requestLease(now), now, id: job.id });
  assert.ok(lease);
  const stop = new AbortController();
  let left = pieces;
  const onStep = (): void => {
    left -= 1;
    if (left === 0) stop.abort();
  };
  const works = jobHandlers({ store, clock: Date.now });
  await doJob({ jobs: store.jobs, works, clock: Date.now, signal: stop.signal, onStep }, lease);
  await store.jobs.handBack({ ...lease, dueAt: now });
}

const url = await (await sharedPostgres()).newDatabase();
const databases: readonly (readonly [string, string, () => Promise<Store>])[] = [
  ["SQLite", `sqlite:${join(folder, "m.db")}`, () => SqliteStore.open(join(folder, "m.db"), retention)],
  ["PostgreSQL", url, () => PostgresStore.open(url, retention)],
];
for (const [name, database, open] of databases)
  test(`500 calls to a wrong list are corrected and replayed at once on ${name}`, async (t) => {
    await callsOver(database);
    const server = await startConsole({ open });
    t.after(() => server.close());
    const { store } = server;
    const editor = await server.signedIn("editor");
    const page = await editor.get(`/console/1/refused-calls/group/replay?${GROUP}`);
    assert.match(page.body, /Instead of the list 99/);
    assert.match(page.body, /500 calls/);
    const post = (list: string) =>
      editor.post(`/console/1/refused-calls/group/replay?${GROUP}`, "replay", { "lists/99": list });
    const wrong = await post("77");
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, /There is no list 77/);
    const started = await post("1");
    const job = await editor.follow(started);
    assert.match(job.body, /It starts within a few seconds/);
    await doPieces(store, 4);
    const path = new URL(started.headers.get("location") ?? "", server.origin).pathname;
    assert.match((await editor.get(path)).body, /200 of 500 refused calls/);
    assert.equal((await store.lists.byId({ account: 1, id: 1 }))?.members, 200);
    await finishJobs(store);
    const done = (await editor.get(path)).body;
    assert.match(done, /Succeeded<\/dt><dd>500</);
    assert.equal((await store.lists.byId({ account: 1, id: 1 }))?.members, CALLS);
    assert.match((await editor.get("/console/1/refused-calls")).body, /No call was refused/);
    assert.deepEqual(server.defects, []);
  });
