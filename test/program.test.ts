/** The program as a newcomer meets it: what it prints, and that the printed call works. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { startProgram } from "./cli/program.ts";
import { call, withKey } from "./service.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-program-"));
after(() => rmSync(folder, { recursive: true }));

test("prints its database, a key, a list and a call that works; later starts print where it is served", async () => {
  const first = await startProgram(folder);
  const file = join(realpathSync(folder), "data", "mailroll.db");
  assert.ok(first.output.out.includes(`\n  New database:                   ${file}\n`), first.output.out);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const key = /shown this once:\s+([0-9A-F]{32})\n/.exec(first.output.out)?.[1] ?? "";
  assert.match(first.output.out, /Your first list:\s+1 \(Newsletter\)/);
  const curl = first.output.out.slice(first.output.out.indexOf("curl "));
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curl.trim()} --silent`]);
  assert.match(stdout, /<Subscriber\.AddResult>0<\/Subscriber\.AddResult>/);
  const lists = await call(first, "Client.GetSubscribersLists", withKey("", key));
  assert.match(lists.result ?? "", /<SubscribersQuantity>1<\/SubscribersQuantity>/);
  assert.equal(await first.stop(), 0);

  const second = await startProgram(folder);
  assert.equal(
    second.output.out,
    `Mailroll is serving ${second.origin}/default.asmx\n\n  Console:  ${second.origin}/console\n`,
  );
  assert.equal((await call(second, "Client.TestApiConnection", withKey("", key))).result, "true");
  assert.equal(await second.stop("SIGINT"), 0);
});
