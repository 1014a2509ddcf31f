/**
 * The three ways to install Mailroll, each on a bare Debian, by a user who is not root, without a HOME, in a
 * folder with a space: each must end in the printed call answering 0 and in the console's first page.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { Served } from "../cli/program.ts";
import { BareDebian } from "./bare-debian.ts";

const root = resolve(import.meta.dirname, "../..");
const NEXT = "0.1.1";
/** For what is installed, and for what an image adds to its base. */
const MAX_INSTALLED = 40 * 2 ** 20;
const MAX_ADDED = 30 * 2 ** 20;

let folder: string;
let dist: string;
let bare: BareDebian;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "mailroll-installed-"));
  dist = join(folder, "dist");
  const build = (script: string, ...words: readonly string[]) =>
    execFileSync(process.execPath, [`build/${script}.ts`, dist, ...words], { cwd: root, stdio: "inherit" });
  build("main");
  build("debian");
  build("debian", NEXT);
  bare = BareDebian.make();
});
after(() => {
  bare.remove();
  rmSync(folder, { recursive: true });
});

const sizeOf = (path: string): number =>
  globSync("**", { cwd: path, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

test("what was built passes the tests of the program: start, signals, settings, TLS, sending, PostgreSQL", () => {
  const program = join(folder, "mailroll");
  const built = join(dist, "package/bin/mailroll.cjs");
  const path = `"${dirname(process.execPath)}:$PATH"`;
  writeFileSync(program, `#!/bin/sh\nPATH=${path} exec "${built}" "$@"\n`, { mode: 0o755 });
  const files = [
    "program",
    "postgres",
    "cli/server",
    "cli/https",
    "cli/standard-output",
    "cli/campaign-sending",
  ];
  const setup = "--test-global-setup=test/start-shared-postgres.ts";
  // Without the variable by which a test file knows that a runner has started it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--test", "--test-timeout=60000", setup, ...files.map((file) => `test/${file}.slow.ts`)],
    { cwd: root, encoding: "utf8", env: { ...env, TEST_PROGRAM: program } },
  );
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^ℹ pass [3-9]\d$/m);
});

/** Pastes the printed call into a shell, opens the printed link, and ends the service. */
async function tryOut(child: ChildProcess): Promise<string> {
  const served = new Served(child);
  await served.started;
  const { out } = served.output;
  const call = out.slice(out.indexOf("\ncurl "));
  assert.match(execFileSync("sh", ["-c", call], { encoding: "utf8" }), /<Subscriber.AddResult>0</);
  const [link = ""] = /http\S+\/console\/link\S+/.exec(out) ?? [];
  const page = await fetch(link);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<h1[\s\S]*Mailroll/);
  await end(served, child);
  return out;
}
/** With all that it has started: npx starts the program. */
async function end(served: Served, { pid }: ChildProcess): Promise<void> {
  process.kill(-(pid ?? 0), "SIGTERM");
  await served.ended;
}

describe("the package of npm", () => {
  const HOME = "/home/shop";
  const PLACE = `${HOME}/a folder`;
  let debian: BareDebian;
  before(() => {
    debian = bare.withNode();
    debian.mount();
    debian.run("useradd", "--create-home", "shop");
    debian.makeFolder(PLACE, "shop");
    const [pack = ""] = globSync("*.tgz", { cwd: dist });
    cpSync(join(dist, pack), debian.path(`${PLACE}/${pack}`));
  });
  after(() => debian.remove());
  const inPlace = (script: string) => debian.start("shop", `cd '${PLACE}'; ${script}`);

  test("npx runs it, with its data where the user's data is", async () => {
    const out = await tryOut(inPlace("exec npx --yes ./mailroll-0.1.0.tgz serve --port 0"));
    assert.match(out, new RegExp(`New database: +${HOME}/.local/share/mailroll/mailroll.db\n`));
  });

  test("npm installs it globally, in less than 40 MB, and a later start says where the data is", async () => {
    const prefix = `${PLACE}/of npm`;
    const installed = inPlace(`npm install --global --prefix '${prefix}' ./mailroll-0.1.0.tgz`);
    const [code] = (await once(installed, "exit")) as [number | null];
    assert.equal(code, 0);
    const path = debian.path(`${prefix}/lib/node_modules`);
    assert.deepEqual(readdirSync(path), ["mailroll"], "it needs no other package");
    assert.ok(sizeOf(path) < MAX_INSTALLED, `${sizeOf(path)} bytes`);
    assert.ok(statSync(join(path, "mailroll/lib/html/editor/editor.js")).size > 300_000, "the editor");
    const child = inPlace(`exec '${prefix}/bin/mailroll' serve --port 0`);
    const served = new Served(child);
    await served.started;
    assert.match(served.output.out, new RegExp(`Database: +${HOME}/.local/share/mailroll/mailroll.db\n`));
    await end(served, child);
  });

  test("takes the data of the folder in which it is called, if there is some", async () => {
    const own = `${PLACE}/data/mailroll.db`;
    debian.makeFolder(`${PLACE}/data`, "shop");
    const mailroll = `'${PLACE}/of npm/bin/mailroll'`;
    await tryOut(inPlace(`exec ${mailroll} serve --port 0 --database sqlite:./data/mailroll.db`));
    const child = inPlace(`exec ${mailroll} serve --port 0`);
    const served = new Served(child);
    await served.started;
    assert.ok(served.output.out.includes(`sqlite:./data/mailroll.db`) || served.output.out.includes(own));
    await end(served, child);
  });

  test("writes nothing into the package", () => {
    const changed = globSync("**", { cwd: debian.path(`${PLACE}/of npm`), withFileTypes: true }).filter(
      (entry) => /cache/.test(entry.parentPath),
    );
    assert.deepEqual(changed, []);
  });

  test("an old Node says in one sentence what is needed", () => {
    const script = join(dist, "package/bin/mailroll.cjs");
    const old = "Object.defineProperty(process.versions, 'node', { value: '12.22.0' });";
    const words = ["-e", `${old} require(${JSON.stringify(script)})`];
    const { stderr, status } = spawnSync(process.execPath, words, { encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, /^mailroll: needs Node 24 or later, and this is Node 12\.22\.0\. .*\n$/);
  });
});

describe("the image", () => {
  const NAME = "localhost/mailroll";
  const storage = () => [
    ...["--root", join(folder, "storage"), "--runroot", join(folder, "run")],
    // It needs no rights, and no support of the kernel.
    "--storage-driver=vfs",
  ];
  const buildah = (command: string, ...words: readonly string[]): string =>
    execFileSync("buildah", [...storage(), command, ...words], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, BUILDAH_ISOLATION: "chroot" },
      stdio: ["ignore", "pipe", "inherit"],
    }).trim();
  let container: string;
  let base: string;
  before(() => {
    const debian = bare.withNode();
    base = buildah("from", "scratch");
    buildah("add", "--quiet", base, debian.folder, "/");
    buildah("commit", "--quiet", base, "localhost/base");
    debian.remove();
    for (const file of ["Dockerfile", ".dockerignore"]) cpSync(join(root, file), join(folder, file));
    buildah("bud", "--quiet", "--format=docker", "--build-arg=BASE=localhost/base", `--tag=${NAME}`, ".");
    container = buildah("from", NAME);
  });
  after(() => {
    buildah("rm", "--all");
    buildah("rmi", "--all", "--force");
  });

  test("starts as its user, and the printed call answers 0", async () => {
    const path = buildah("mount", container);
    assert.deepEqual(
      ["var/cache/mailroll", "data"].map((name) => statSync(join(path, name)).uid),
      [1000, 1000],
    );
    assert.ok(existsSync(join(path, "var/cache/mailroll")), "compiled before it is run");
    const words = [...storage(), "run", "--isolation=chroot", container, "mailroll", "serve", "--port", "0"];
    const child = spawn("buildah", words, { detached: true });
    const out = await tryOut(child);
    assert.match(out, /New database: +\/data\/mailroll.db\n/);
    assert.ok(!existsSync(join(path, "data/mailroll.db")), "its data is in the volume");
  });

  test("says what a container needs to know", () => {
    const { Docker } = JSON.parse(buildah("inspect", "--type=image", NAME)) as {
      readonly Docker: { readonly config: Readonly<Record<string, unknown>> };
    };
    const { User, Volumes, Entrypoint, Cmd, ExposedPorts, WorkingDir, Healthcheck } = Docker.config;
    assert.deepEqual((Healthcheck as { readonly Test: unknown }).Test, ["CMD", "mailroll", "health"]);
    assert.deepEqual(
      { User, Volumes, Entrypoint, Cmd, ExposedPorts, WorkingDir },
      {
        User: "1000:1000",
        Volumes: { "/data": {} },
        Entrypoint: ["mailroll"],
        Cmd: ["serve"],
        ExposedPorts: { "8080/tcp": {} },
        WorkingDir: "/data",
      },
    );
  });

  test("adds less than 30 MB to its base", () => {
    const [with_, without] = [container, base].map((name) => sizeOf(buildah("mount", name)));
    const added = (with_ ?? 0) - (without ?? 0);
    assert.ok(added > 0 && added < MAX_ADDED, `${added} bytes`);
  });
});

describe("the package of Debian", () => {
  let debian: BareDebian;
  before(() => {
    debian = bare;
    debian.mount();
    for (const file of globSync("*.deb", { cwd: dist }))
      cpSync(join(dist, file), debian.path(`/tmp/${file}`));
  });
  const packages = (version: string): string =>
    globSync(`mailroll_${version}_*.deb`, { cwd: dist })[0] ?? "none";
  const install = (version: string) => debian.run("dpkg", "--install", `/tmp/${packages(version)}`);
  const unit = (): Readonly<Record<string, readonly string[]>> =>
    Object.groupBy(
      readFileSync(debian.path("usr/lib/systemd/system/mailroll.service"), "utf8")
        .split("\n")
        .filter((line) => /^[A-Z]\w+=/.test(line)),
      (line) => line.split("=", 1)[0] ?? "",
    ) as Readonly<Record<string, readonly string[]>>;
  const valuesOf = (name: string): readonly string[] =>
    (unit()[name] ?? []).map((line) => line.slice(name.length + 1));
  /** By the unit's own command, as its user, in its folder, with its environment. */
  const start = (): ChildProcess => {
    const [command, user, place] = ["ExecStart", "User", "WorkingDirectory"].map((name) => valuesOf(name)[0]);
    return debian.start(
      user ?? "",
      `cd ${place}; umask 0077; exec ${command} --port 0`,
      valuesOf("Environment"),
    );
  };

  test("is installed, and the unit's command starts it with its own Node", async () => {
    install("0.1.0");
    const out = await tryOut(start());
    assert.match(out, /New database: +\/var\/lib\/mailroll\/data\/mailroll.db\n/);
    assert.equal(statSync(debian.path("etc/mailroll/environment")).mode & 0o777, 0o600);
  });

  test("is upgraded, and has the data", async () => {
    install(NEXT);
    const child = start();
    const served = new Served(child);
    await served.started;
    assert.match(served.output.out, /Database: +\/var\/lib\/mailroll\/data\/mailroll.db\n/);
    assert.doesNotMatch(served.output.out, /New database/);
    await end(served, child);
  });

  test("keeps the data when it is removed, and deletes it when it is purged", () => {
    const data = debian.path("var/lib/mailroll/data/mailroll.db");
    debian.run("dpkg", "--remove", "mailroll");
    assert.ok(existsSync(data));
    assert.ok(!existsSync(debian.path("usr/lib/mailroll")));
    debian.run("dpkg", "--purge", "mailroll");
    for (const path of ["var/lib/mailroll", "var/cache/mailroll", "etc/mailroll"])
      assert.ok(!existsSync(debian.path(path)), path);
    assert.doesNotMatch(debian.run("getent", "passwd"), /mailroll/);
  });
});
