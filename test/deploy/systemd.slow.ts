/**
 * The unit: systemd's own tools find nothing wrong with it, where they are, and it says what the guide
 * promises.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { skipUnless } from "../skip-unless.ts";
import { root } from "./production-tree.ts";

const unit = readFileSync(join(root, "deploy/mailroll.service"), "utf8");
const lines = unit.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
const valuesOf = (name: string): readonly string[] =>
  lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));

test("every line is a section or an assignment", () => {
  for (const line of lines) assert.match(line, /^(?:\[(?:Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*)$/);
});

test("it starts the program of the Debian package", () => {
  const [start = ""] = valuesOf("ExecStart");
  const [path = "", ...words] = start.split(" ");
  assert.deepEqual(words, ["serve"]);
  assert.equal(path, "/usr/lib/mailroll/bin/mailroll");
});

test("it is not root, can write to two folders only, and gains no privileges", () => {
  assert.deepEqual(valuesOf("User"), ["mailroll"]);
  assert.deepEqual(valuesOf("ProtectSystem"), ["strict"]);
  assert.deepEqual(valuesOf("NoNewPrivileges"), ["yes"]);
  assert.deepEqual(valuesOf("CapabilityBoundingSet"), [""]);
  assert.deepEqual(valuesOf("ReadWritePaths"), []);
  const [state = "", cache = ""] = [...valuesOf("StateDirectory"), ...valuesOf("CacheDirectory")];
  assert.deepEqual(valuesOf("WorkingDirectory"), [`/var/lib/${state}`]);
  assert.ok(valuesOf("Environment").includes(`NODE_COMPILE_CACHE=/var/cache/${cache}`));
  for (const name of ["StateDirectoryMode", "CacheDirectoryMode"]) assert.deepEqual(valuesOf(name), ["0700"]);
});

test("it does not restart after an invalid setting, and calls in flight have time to end", () => {
  assert.deepEqual(valuesOf("RestartPreventExitStatus"), ["2 78"]);
  assert.ok(Number(valuesOf("TimeoutStopSec")[0]) > 10);
});

// In a network of its own, where nobody can reach it.
const alone = ["--net", "strace", "-f", "-qq", "-e", "trace=socket,socketpair"];
const isTraced = spawnSync("unshare", [...alone, "true"]).status === 0;
const untraced = skipUnless(isTraced, "strace or unshare is missing or not permitted");

test("it may open the socket families that it needs to listen on all addresses", {
  skip: untraced,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-sockets-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const trace = join(folder, "trace");
  const program = [join(root, "bin/mailroll"), "serve", "--host", "0.0.0.0", "--port", "0"];
  const child = spawn("unshare", [...alone, "-o", trace, ...program], { cwd: folder });
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  await new Promise<void>((done, fail) => {
    child.stdout.on("data", (piece) => {
      if (String(piece).includes("serving")) done();
    });
    void exited.then((code) => fail(new Error(`ended with ${code}`)));
  });
  const [traced = ""] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
  process.kill(Number(traced), "SIGTERM");
  await exited;
  const opened = readFileSync(trace, "utf8").matchAll(/socket(?:pair)?\((AF_\w+)/g);
  const kinds = new Set([...opened].map(([, kind = ""]) => kind));
  assert.ok(kinds.has("AF_INET"), [...kinds].join());
  const allowed = valuesOf("RestrictAddressFamilies").join(" ").split(" ");
  for (const kind of kinds) assert.ok(allowed.includes(kind), kind);
});

/** Runs systemd's tool on a copy of the unit whose program is there. */
function analyze(...words: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-unit-"));
  const file = join(folder, "mailroll.service");
  // systemd takes a path with a space only in quotes.
  const link = join(folder, "mailroll");
  symlinkSync(root, link);
  writeFileSync(file, unit.replaceAll("/usr/lib/mailroll", link));
  try {
    return spawnSync("systemd-analyze", [...words, file], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const isThere = spawnSync("systemd-analyze", ["--version"]).status === 0;
const skip = skipUnless(isThere, "there is no systemd-analyze; install it (Debian: apt-get install systemd)");

test("systemd-analyze verify finds nothing", { skip }, () => {
  const { status, stderr } = analyze("verify");
  assert.equal(stderr, "");
  assert.equal(status, 0);
});

test("systemd-analyze security finds it well protected", { skip }, () => {
  const { stdout } = analyze("security", "--offline=true", "--no-pager");
  const [, exposure = ""] = /Overall exposure level for mailroll.service: (\d+\.\d+)/.exec(stdout) ?? [];
  assert.ok(Number(exposure) > 0 && Number(exposure) <= 1.5, stdout);
});
