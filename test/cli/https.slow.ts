/** HTTPS by the command line: what `serve` says of settings that cannot be right, and `health`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { newPair } from "../certificate-files.ts";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { startService } from "../service.ts";
import { Installation } from "./program.ts";

const home = new Installation();
after(() => home.remove());
const { cert, key } = newPair(home.folder, "mail.example.org");

test("serve exits with one line and code 78 if a TLS file is empty or a pipe", async () => {
  const [empty, pipe] = [join(home.folder, "empty"), join(home.folder, "pipe")];
  writeFileSync(empty, "");
  execFileSync("mkfifo", [pipe]);
  for (const flags of [
    ["--tls-cert", empty, "--tls-key", key],
    ["--tls-cert", cert, "--tls-key", empty],
    ["--tls-cert", cert, "--tls-key", pipe],
  ]) {
    const { code, err } = await home.run(["serve", "--port", "0", ...flags]);
    assert.equal(code, 78, err);
    assert.match(err, /^mailroll: .*(?:empty|pipe) .*\n$/);
  }
});

test("serve warns about a public address with plain HTTP if it serves HTTPS, and health takes the same options", async () => {
  const flags = ["--tls-cert", cert, "--tls-key", key];
  const served = await home.serve([...flags, "--log", "warn", "--base-url", "http://mail.example.org"]);
  const warning =
    /"level":"warn".*"msg":"MAILROLL_BASE_URL is http:\/\/mail\.example\.org, but the service speaks HTTPS/;
  while (!warning.test(served.output.err)) await new Promise((resolve) => setImmediate(resolve));
  const [, port = ""] = /port (\d+)/.exec(served.output.out) ?? [];
  const { code, out, err } = await home.run(["health", "--port", port, ...flags]);
  assert.equal(code, 0, err);
  assert.equal(out, `https://127.0.0.1:${port}/healthz responds\n`);
  await served.stop();
});

test("failed TLS handshakes are counted, and successful ones are not", async (t) => {
  const service = await startService({ "tls-cert": cert, "tls-key": key, "metrics-port": "0" });
  t.after(() => service.close());
  const counted = async (): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`);
    return valueIn(parseOpenMetrics(await response.text()), "mailroll_tls_handshakes_failed_total");
  };
  const healthy = await home.runHere(["health", "--port", String(service.port), "--tls-cert", cert]);
  assert.equal(healthy.code, 0, healthy.err);
  assert.equal(await counted(), 0);
  await new Promise((resolve) => {
    const socket = connect(service.port, "127.0.0.1", () => socket.write("GET / HTTP/1.0\r\n\r\n"));
    socket.resume();
    socket.once("close", resolve);
  });
  assert.equal(await counted(), 1);
});
