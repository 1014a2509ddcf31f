/** An import by the real program while PostgreSQL does not answer. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type FailingProxy, failingProxy } from "../failing-proxy.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { query } from "../store/postgres-account.ts";
import { Installation } from "./program.ts";
import { withoutProgress } from "./without-progress.ts";

const home = new Installation();
const proxies: FailingProxy[] = [];
const server = await sharedPostgres();
after(async () => {
  await home.remove();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

const rowsFrom = (first: number, count: number): string =>
  Array.from({ length: count }, (_, n) => `p${first + n}@example.org\n`).join("");

/** A database with an account and a list, and a proxy in front of it. */
async function databaseBehindProxy(): Promise<{ readonly url: string; readonly proxy: FailingProxy }> {
  const url = await server.newDatabase();
  for (const words of [
    ["account", "create", "Acme"],
    ["list", "create", "Members"],
  ])
    assert.equal((await home.runHere([...words, "--database", url])).code, 0);
  const proxy = await failingProxy(url);
  proxies.push(proxy);
  return { url, proxy };
}

interface Stalled {
  readonly child: ChildProcess;
  readonly proxy: FailingProxy;
  readonly output: { readonly out: string; readonly err: string };
}
/**
 * An import of which a thousand rows are in, when the database falls silent, the others come, and it waits.
 */
async function importThatStalls(): Promise<Stalled> {
  const { url, proxy } = await databaseBehindProxy();
  const words = ["import", "suppressions", "-", "--as", "bounced"];
  const child = home.start([...words, "--database", proxy.url]);
  const output = { out: "", err: "" };
  child.stdout?.on("data", (chunk) => {
    output.out += String(chunk);
  });
  const isWaiting = new Promise<void>((resolve) => {
    child.stderr?.on("data", (chunk) => {
      output.err += String(chunk);
      if (output.err.includes("retrying in")) resolve();
    });
  });
  child.stdin?.write(`email\n${rowsFrom(0, 1000)}`);
  const saved = async () =>
    Number((await query<{ rows: string }>(url, "SELECT count(*) AS rows FROM subscriber"))[0]?.rows);
  while ((await saved()) < 1000) await delay(20);
  proxy.fallSilent();
  child.stdin?.end(rowsFrom(1000, 1500));
  await isWaiting;
  return { child, proxy, output };
}

/** At the same time: each waits for seconds until a statement times out. */
describe("while PostgreSQL does not respond", { concurrency: true }, () => {
  test("rows are retried if PostgreSQL does not respond for seconds, with one message and correct counts", async () => {
    const { child, proxy, output } = await importThatStalls();
    proxy.speakAgain();
    const [code] = (await once(child, "close")) as [number | null];
    assert.equal(code, 0, output.err);
    assert.match(
      output.out,
      /2,500 {2}rows read\n +2,500 {2}opt-outs, .* recorded\n +0 {2}blocks added\n +0 {2}already recorded/,
    );
    assert.match(withoutProgress(output.err), /^[^\n]+; retrying in 1 s \(attempt 2 of 9\)\n$/);
  });

  test("an import that is interrupted while it waits for PostgreSQL ends, and reports how to continue", async () => {
    const { child, output } = await importThatStalls();
    child.kill("SIGINT");
    const [code] = (await once(child, "close")) as [number | null];
    assert.equal(code, 1, output.err);
    assert.match(
      output.err,
      /\nmailroll: interrupted\. The import stopped at line \d+; import the file again: rows that were already imported/,
    );
  });

  test("an import that starts while PostgreSQL does not respond connects later, and imports every row", async () => {
    const { proxy } = await databaseBehindProxy();
    proxy.fallSilent();
    const child = home.start(["import", "subscribers", "-", "--list", "1", "--database", proxy.url]);
    child.stdin?.end(`email\n${rowsFrom(0, 3)}`);
    let out = "";
    child.stdout?.on("data", (chunk) => {
      out += String(chunk);
    });
    let err = "";
    child.stderr?.on("data", (chunk) => {
      err += String(chunk);
      if (err.includes("retrying in")) proxy.speakAgain();
    });
    const [code] = (await once(child, "close")) as [number | null];
    assert.equal(code, 0, err);
    assert.match(withoutProgress(err), /^[^\n]+; retrying in 1 s \(attempt 2 of 9\)\n$/);
    assert.match(out, /3 {2}added to the list/);
  });
});
