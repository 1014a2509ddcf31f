/** The PostgreSQL servers of the tests: none outlives the process that started it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

const script = `
  const { ownPostgres } = await import(process.argv[1]);
  const { port } = await ownPostgres();
  console.log(port);
  setInterval(() => {}, 60_000);`;

test("a server stops, and its folder is removed, when the process that started it is killed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-killed-"));
  chmodSync(folder, 0o755);
  t.after(() => rmSync(folder, { recursive: true }));
  const module = new URL("./shared-postgres.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, module], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  const [made = ""] = readdirSync(folder);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  while (existsSync(join(folder, made))) await delay(20);
  const [refused] = (await once(connect(Number(port), "127.0.0.1"), "error")) as [NodeJS.ErrnoException];
  assert.equal(refused.code, "ECONNREFUSED");
});
