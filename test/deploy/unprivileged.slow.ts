/**
 * The program as it is deployed: from the image's files, as a user without rights, with nothing writable but
 * the data.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Served } from "../cli/program.ts";
import { call, KEY, withKey } from "../service.ts";
import { skipUnless } from "../skip-unless.ts";
import {
  everythingIn,
  identity,
  installProductionTree,
  NOBODY,
  ownedFolder,
  type ProductionTree,
} from "./production-tree.ts";

const isRoot = process.getuid?.() === 0;

let tree: ProductionTree;
let folder: string;
before(async () => {
  tree = await installProductionTree();
  folder = mkdtempSync(join(tmpdir(), "mailroll-deploy-"));
  chmodSync(folder, 0o755);
});
after(() => {
  tree.remove();
  rmSync(folder, { recursive: true });
});

const owned = (name: string): string => ownedFolder(join(folder, name));

interface Place {
  readonly data: string;
  readonly env: Readonly<Record<"PATH", string> & Record<string, string>>;
}
/** Where it may write, and two folders where programs like to, watched by whoever wants to. */
function place(name: string): Place & { readonly elsewhere: readonly string[] } {
  const [data, home, temporary] = [owned(name), owned(`${name}-home`), owned(`${name}-tmp`)];
  const env = {
    PATH: `${tree.bin}:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: temporary,
    NODE_COMPILE_CACHE: tree.cache,
    MAILROLL_PORT: "0",
    MAILROLL_METRICS_PORT: "0",
    MAILROLL_API_KEY: KEY,
    MAILROLL_DATABASE: `sqlite:${join(data, "deep/er/mailroll.db")}`,
  };
  return { data, env, elsewhere: [home, temporary] };
}

/** Under the most careless umask there is: what others may not read is the program's own doing. */
const careless = ["-c", 'umask 0; exec "$@"', "sh"];

/** Writes, reads, streams a list and is asked how it is. */
async function use(origin: string): Promise<void> {
  const add = (n: number) =>
    withKey(`<SubscribersListID>1</SubscribersListID><EMail>p${n}@example.org</EMail>`);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => call({ origin }, "Subscriber.Add", add(n))),
  );
  for (const { result } of answers) assert.equal(result, "0");
  assert.match((await call({ origin }, "Client.GetSubscribersLists", withKey())).result ?? "", />20</);
  assert.equal((await fetch(`${origin}/readyz`)).status, 200);
  assert.equal((await fetch(`${origin}/default.asmx?wsdl`)).status, 200);
}

describe("as an unprivileged user, from a read-only tree", () => {
  test("it starts, serves and runs commands; it creates only files that it owns", async () => {
    const { data, env, elsewhere } = place("plain");
    const before = everythingIn(tree.app);
    const program = join(tree.app, "bin/mailroll");
    const child = spawn("/bin/sh", [...careless, program, "serve"], { ...identity, env, cwd: data });
    const served = new Served(child);
    await served.started;
    try {
      if (isRoot)
        assert.match(
          readFileSync(`/proc/${served.pid}/status`, "utf8"),
          /^Uid:\t65534\t65534\t65534\t65534$/m,
        );
      await use(served.origin);
      const lists = execFileSync(program, ["list", "create", "Customers", "--json"], {
        ...identity,
        env,
        cwd: data,
      });
      assert.match(String(lists), /Customers/);
      const files = everythingIn(data).slice(1);
      assert.ok(
        files.some(({ path }) => path.endsWith("mailroll.db-wal")),
        "looked at while it serves",
      );
      for (const { path, isFolder, mode } of files)
        assert.equal(mode, isFolder ? 0o700 : 0o600, `${path} is ${mode.toString(8)}`);
      if (isRoot) for (const { path } of files) assert.equal(statSync(path).uid, NOBODY, path);
    } finally {
      await served.stop();
    }
    assert.equal(await served.ended, 0);
    assert.deepEqual(everythingIn(tree.app), before, "the tree is as it was");
    for (const path of elsewhere) assert.equal(everythingIn(path).length, 1, `nothing is in ${path}`);
  });

  test("it writes to its data folder only", async (t) => {
    const { status } = spawnSync("strace", ["-f", "true"]);
    const reason = skipUnless(
      status === 0,
      status === null
        ? "there is no strace; install it (Debian: apt-get install strace)"
        : "this user may not trace processes; run it as root",
    );
    if (reason !== false) return t.skip(reason);
    const { data, env } = place("traced");
    const trace = join(folder, "trace");
    const writing =
      "open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,truncate,mknodat,chmod,fchmodat,chown,fchownat";
    const tracer = [
      "-f",
      "-qq",
      "-y",
      "-s",
      "4096",
      "-o",
      trace,
      "-e",
      `trace=?${writing.replaceAll(",", ",?")}`,
    ];
    // The tracer has to write its own file, so the change of user comes after it.
    const become = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];
    const words = [...become, join(tree.app, "bin/mailroll"), "serve"];
    // `npm run coverage` makes every process write a report elsewhere, unless its environment says otherwise.
    const child = spawn("strace", [...tracer, ...words], {
      env: { ...env, NODE_V8_COVERAGE: undefined },
      cwd: data,
    });
    const served = new Served(child);
    await served.started;
    try {
      await use(served.origin);
    } finally {
      // The program itself, which the tracer started; the tracer ends with it.
      served.killChild("SIGTERM");
    }
    await served.ended;
    const lines = readFileSync(trace, "utf8").split("\n");
    const isWrite = (line: string): boolean =>
      !/ = -1 /.test(line) && (!/\bopen(?:at)?\(/.test(line) || /O_(?:WRONLY|RDWR|CREAT|TRUNC)/.test(line));
    const targets = lines
      .filter((line) => /^\d+ +\w+\(.*"/.test(line) && isWrite(line))
      .map((line) => /"([^"]*)"/.exec(line)?.[1] ?? line);
    assert.ok(
      targets.some((path) => path.endsWith("mailroll.db")),
      "the trace has seen the database",
    );
    // The cache of compiled code, which was made by an earlier start, may lack what that one did not load.
    const places = [`${data}/`, `${tree.cache}/`];
    assert.deepEqual(
      targets.filter(
        (path) =>
          !places.some((place) => path.startsWith(place)) && path !== "/dev/null" && path !== "/dev/tty",
      ),
      [],
    );
  });
});

test("a data folder without write permission is reported in one line", () => {
  const { data, env } = place("forbidden");
  const closed = join(folder, "closed");
  mkdirSync(closed, { mode: 0o555 });
  const { status, stderr } = spawnSync(join(tree.app, "bin/mailroll"), ["serve"], {
    ...identity,
    cwd: data,
    env: { ...env, MAILROLL_DATABASE: `sqlite:${join(closed, "data/mailroll.db")}` },
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.match(stderr, /^mailroll: the database .*closed.* cannot be opened: .*permission denied/m);
});
