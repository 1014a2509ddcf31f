/**
 * HTTPS served by the program itself: with which certificate, and what happens when it is renewed or no good.
 */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { EventEmitter, once } from "node:events";
import {
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { Agent, request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import { connect as connectTls, type PeerCertificate, type TLSSocket } from "node:tls";
import { Log } from "#app/log/log.ts";
import { certificateWarning, startCertificateReload } from "#app/tls.ts";
import { BodyReader } from "#http/body/body.ts";
import { HttpServer } from "#http/server.ts";
import { BadCertificate, Certificate } from "#http/tls/certificate.ts";
import { newPair } from "./certificate-files.ts";
import { Installation } from "./cli/program.ts";
import { startService, withKey } from "./service.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-tls-"));
after(() => rmSync(folder, { recursive: true }));

const first = newPair(folder, "first.example.org");
const second = newPair(folder, "second.example.org");

interface Answer {
  readonly name: string;
  readonly body: string;
}
function ask(url: string, agent: Agent, body: string | null = null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "text/xml" };
    // The certificates are nobody's but this test's.
    const options = {
      agent,
      method: body === null ? "GET" : "POST",
      headers,
      rejectUnauthorized: false,
    };
    const sent = request(url, options, (response) => {
      // A resumed session has no certificate.
      const { subject } = (response.socket as TLSSocket).getPeerCertificate() as Partial<PeerCertificate>;
      const name = String(subject?.CN);
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ name, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

test("serves HTTPS, and writes https into its addresses", async (t) => {
  const service = await startService({ "tls-cert": first.cert, "tls-key": first.key });
  t.after(() => service.close());
  const agent = new Agent();
  t.after(() => agent.destroy());
  const base = `https://localhost:${service.port}`;
  assert.equal(service.endpoint, `${base}/default.asmx`);
  assert.match(service.firstStart?.curl ?? "", /https:\/\/localhost/);
  const wsdl = await ask(`${base}/default.asmx?wsdl`, agent);
  assert.ok(wsdl.body.includes(`location="${base}/default.asmx"`));
  assert.ok(!wsdl.body.includes(`http://localhost:${service.port}`));
  for (const namespace of [base, `https://127.0.0.1:${service.port}`]) {
    const envelope = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Client.TestApiConnection xmlns="${namespace}">${withKey()}</Client.TestApiConnection></e:Body></e:Envelope>`;
    assert.match((await ask(`${base}/default.asmx`, agent, envelope)).body, />true</);
  }
});

test("answers plain HTTP on the HTTPS port with 400, and closes connections that speak neither", async (t) => {
  const service = await startService({ "tls-cert": first.cert, "tls-key": first.key });
  t.after(() => service.close());
  const said = (bytes: string): Promise<string> =>
    new Promise((resolve) => {
      let text = "";
      const socket = connect(service.port, "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(text));
    });
  for (const plain of ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /default.asmx HTTP/1.0\r\n\r\n"])
    assert.match(
      await said(plain),
      /^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n[\s\S]*nosniff\r\n\r\nThis port speaks HTTPS: use https:\/\/\n$/,
    );
  assert.doesNotMatch(await said("no protocol that anybody speaks\r\n\r\n"), /HTTP/);
  const agent = new Agent();
  t.after(() => agent.destroy());
  assert.match((await ask(`https://localhost:${service.port}/healthz`, agent)).body, /ok/);
});

test("answers a client that closes its side of an encrypted connection after the request", async (t) => {
  const { pair } = await Certificate.open(first);
  const server = new HttpServer(
    (request, response) => {
      request.resume();
      request.socket.once("end", () => response.end("served"));
      return true;
    },
    new BodyReader(1024),
    { certificate: pair, timeouts: { headersMs: 600_000, requestMs: 600_000 } },
  );
  const port = await server.listen("127.0.0.1", 0);
  t.after(() => server.close(0));
  for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
    const options = { port, host: "127.0.0.1", rejectUnauthorized: false, allowHalfOpen: true, maxVersion };
    const client = connectTls(options);
    client.end("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.match(await text(client), /\r\n\r\nserved$/, maxVersion);
  }
  // One that closes it before the handshake is not waited for.
  const silent = connect(port, "127.0.0.1");
  await once(silent.end().resume(), "close");
});

test("uses a renewed certificate for new connections, and keeps existing ones open", async (t) => {
  const files = { cert: join(folder, "live.crt"), key: join(folder, "live.key") };
  const link = (pair: { readonly cert: string; readonly key: string }): void => {
    for (const kind of ["cert", "key"] as const) {
      symlinkSync(pair[kind], `${files[kind]}.new`);
      renameSync(`${files[kind]}.new`, files[kind]);
    }
  };
  link(first);
  const certificate = await Certificate.open(files);
  const server = new HttpServer(
    (_request, response) => {
      response.end("served");
      return true;
    },
    new BodyReader(1024),
    { certificate: certificate.pair },
  );
  const url = `https://localhost:${await server.listen("127.0.0.1", 0)}/`;
  t.after(() => server.close(0));
  const renewed = () => certificate.reload(Date.now());
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => kept.destroy());
  const anew = async (): Promise<string> => {
    const agent = new Agent();
    const { name } = await ask(url, agent);
    agent.destroy();
    return name;
  };
  assert.equal((await ask(url, kept)).name, "first.example.org");
  assert.equal(await renewed(), null, "nothing has changed");

  link(second);
  const taken = await renewed();
  assert.ok(taken);
  server.useCertificate(taken);
  assert.equal(await anew(), "second.example.org");
  assert.deepEqual(await ask(url, kept), { name: "first.example.org", body: "served" });
  assert.equal(await renewed(), null, "taken once");

  rmSync(files.key);
  copyFileSync(first.key, files.key);
  await assert.rejects(renewed(), BadCertificate);
  assert.equal(await renewed(), null, "said once");
  rmSync(files.key);
  await assert.rejects(renewed(), /live\.key cannot be read/);
  assert.equal(await anew(), "second.example.org");
  link(first);
  assert.ok(await renewed());
});

test("reloads a changed certificate, and keeps the current one where the new one is unusable", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const files = { cert: join(folder, "served.crt"), key: join(folder, "served.key") };
  copyFileSync(first.cert, files.cert);
  copyFileSync(first.key, files.key);
  const env = { MAILROLL_TLS_CERT: files.cert, MAILROLL_TLS_KEY: files.key };
  const served = await home.serve(["--log", "info"], env);
  const url = served.endpoint;
  assert.match(url, /^https:/);
  const anew = async (): Promise<string> => (await ask(`${url}?wsdl`, new Agent())).name;
  const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  assert.equal(await anew(), "first.example.org");
  writeFileSync(files.cert, "no certificate");
  await until(() => served.output.err.includes("certificate reload failed"));
  assert.equal(await anew(), "first.example.org");
  copyFileSync(second.cert, files.cert);
  copyFileSync(second.key, files.key);
  await until(async () => (await anew()) === "second.example.org");
  assert.ok(!served.output.err.includes("PRIVATE KEY"));
});

test("refuses to start with an unusable certificate, with one line that says why", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  writeFileSync(join(folder, "nonsense"), "nonsense");
  const nonsense = join(folder, "nonsense");
  const cases = [
    [
      { MAILROLL_TLS_CERT: first.cert },
      /^mailroll: only one of MAILROLL_TLS_CERT and MAILROLL_TLS_KEY is set; .*\n$/,
    ],
    [
      { MAILROLL_TLS_KEY: first.key },
      /^mailroll: only one of MAILROLL_TLS_CERT and MAILROLL_TLS_KEY is set; .*\n$/,
    ],
    [
      { MAILROLL_TLS_CERT: join(folder, "none"), MAILROLL_TLS_KEY: first.key },
      /^mailroll: .*none cannot be read: ENOENT.*\n$/,
    ],
    [
      { MAILROLL_TLS_CERT: first.cert, MAILROLL_TLS_KEY: second.key },
      /^mailroll: .*second.*\.key is not the key of the first certificate in .*first.*\n$/,
    ],
    [
      { MAILROLL_TLS_CERT: nonsense, MAILROLL_TLS_KEY: nonsense },
      /^mailroll: .*nonsense is not a certificate in PEM form: .*\n$/,
    ],
  ] as const;
  for (const [env, expected] of cases) {
    const { code, err } = await home.run(["serve", "--port", "0"], { env });
    assert.equal(code, 78, err);
    assert.match(err, expected);
  }
});

describe("expiring certificates", () => {
  const DAY = 86_400_000;
  test("warns when less than two weeks, or a third of the lifetime, are left", () => {
    const left = (days: number, lifetime: number): string | null =>
      certificateWarning({ from: (days - lifetime) * DAY, until: days * DAY }, 0);
    assert.equal(left(15, 90), null);
    assert.match(left(13, 90) ?? "", /expires soon/);
    assert.equal(left(3, 6), null);
    assert.match(left(1, 6) ?? "", /expires soon/);
    assert.match(left(0, 90) ?? "", /has expired/);
    assert.match(left(-5, 90) ?? "", /has expired/);
  });

  test("serves with an expired certificate", async (t) => {
    const flags = { "tls-cert": first.cert, "tls-key": first.key };
    const service = await startService(flags, () => Date.now() + 9 * DAY);
    t.after(() => service.close());
    const agent = new Agent();
    t.after(() => agent.destroy());
    assert.match((await ask(`https://localhost:${service.port}/healthz`, agent)).body, /ok/);
  });

  test("logs a warning at the start and every day until the certificate is renewed", async (t) => {
    const files = { cert: join(folder, "old.crt"), key: join(folder, "old.key") };
    copyFileSync(first.cert, files.cert);
    copyFileSync(first.key, files.key);
    const said = join(folder, "said");
    const descriptor = openSync(said, "w");
    const log = new Log("info", descriptor);
    const lines = async (): Promise<readonly string[]> => {
      await log.flush();
      return readFileSync(said, "utf8").trim().split("\n");
    };
    t.mock.timers.enable({ apis: ["setInterval"] });
    const certificate = await Certificate.open(files);
    let now = certificate.validity.until;
    const events = new EventEmitter();
    const server = { useCertificate: () => void setImmediate(() => events.emit("renewed")) };
    const stop = startCertificateReload({ certificate, server, clock: () => now, log });
    t.after(stop);
    assert.equal((await lines()).length, 1);
    assert.match((await lines())[0] ?? "", /"level":"warn".*has expired.*"expires":"20\d\d-/);
    t.mock.timers.tick(DAY);
    assert.equal((await lines()).length, 2);
    now = Date.now();
    copyFileSync(second.cert, files.cert);
    copyFileSync(second.key, files.key);
    const renewed = once(events, "renewed");
    t.mock.timers.tick(DAY);
    await renewed;
    assert.deepEqual(
      (await lines()).slice(2).map((line) => /"msg":"([^"]*)"/.exec(line)?.[1]),
      ["certificate reloaded"],
    );
    stop();
    now = certificate.validity.until;
    t.mock.timers.tick(DAY);
    assert.equal((await lines()).length, 3, "nobody is told once it has stopped");
  });

  test("reports the expiry in the metrics, even after a reload", async (t) => {
    const files = { cert: join(folder, "told.crt"), key: join(folder, "told.key") };
    copyFileSync(first.cert, files.cert);
    copyFileSync(first.key, files.key);
    const service = await startService({ "tls-cert": files.cert, "tls-key": files.key, "metrics-port": "0" });
    t.after(() => service.close());
    const told = async (): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text();
      return Number(/^mailroll_tls_certificate_expiry_time_seconds (\d+)$/m.exec(text)?.[1]);
    };
    const endOf = (file: string): number =>
      new X509Certificate(readFileSync(file)).validToDate.getTime() / 1000;
    assert.equal(await told(), endOf(first.cert));
    const longer = newPair(folder, "longer.example.org", 30);
    copyFileSync(longer.cert, files.cert);
    copyFileSync(longer.key, files.key);
    while ((await told()) !== endOf(longer.cert)) await new Promise((resolve) => setTimeout(resolve, 100));
  });
});
