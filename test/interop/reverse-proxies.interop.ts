/**
 * Mailroll behind nginx and Caddy, by the files of deploy/ that the guide shows: the calls that a proxy can
 * break.
 */
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect } from "node:tls";
import { newPair } from "../certificate-files.ts";
import { Installation, type Served } from "../cli/program.ts";
import { freePort } from "../free-port.ts";
import { type ProxyFile, RunningProxy, reverseProxies, type Setup } from "./reverse-proxy.ts";
import { KEY, MANY } from "./scenario.ts";
import { makeTemplate } from "./template.ts";

const BASE = "https://mail.example.org";
const folder = mkdtempSync(join(tmpdir(), "mailroll-proxies-"));
const template = join(folder, "template.db");
before(async () => {
  // nginx as root serves as another user.
  chmodSync(folder, 0o755);
  await makeTemplate(template);
});
after(() => rmSync(folder, { recursive: true }));

const message = (operation: string, content: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${operation} xmlns="${BASE}">${content}</${operation}></s:Body></s:Envelope>`;
const add = (email: string, key = KEY): string =>
  message(
    "Subscriber.Add",
    `<APIKey>${key}</APIKey><SubscribersListID>1</SubscribersListID><EMail>${email}</EMail>`,
  );
const bounces = message("Campaign.GetHardBouncesList", `<APIKey>${KEY}</APIKey><CampaignID>1</CampaignID>`);
const ofSize = (bytes: number): string => `${add("large@example.org")}<!--${"x".repeat(bytes)}-->`;

for (const name of Object.keys(reverseProxies) as ProxyFile[])
  describe(`behind a proxy with deploy/${name}`, () => {
    const installation = new Installation();
    let served: Served;
    let proxy: RunningProxy;
    let setup: Setup;

    before(async () => {
      const [port, target] = [await freePort(), await freePort()];
      const home = join(folder, name.replace(/\W/, "-"));
      mkdirSync(home);
      setup = { folder: home, port, target, certificate: newPair(home, "localhost") };
      mkdirSync(dirname(installation.database), { recursive: true });
      copyFileSync(template, installation.database);
      served = await installation.serve([], {
        MAILROLL_PORT: String(target),
        MAILROLL_BASE_URL: BASE,
        MAILROLL_TRUSTED_PROXIES: "127.0.0.1",
        MAILROLL_LOG: "warn",
      });
      proxy = await RunningProxy.start(name, setup);
    });
    after(async () => {
      await installation.remove();
      await proxy.stop();
    });

    /** A call through the proxy, from an address of this machine. */
    function call(
      body: string,
      { from = "127.0.0.1", method = "POST", path = "/default.asmx", headers = {} } = {},
    ): Promise<{ readonly status: number; readonly text: string }> {
      return new Promise((resolve, reject) => {
        const sent = request({
          host: "127.0.0.1",
          port: setup.port,
          servername: "localhost",
          ca: readFileSync(setup.certificate.cert),
          localAddress: from,
          method,
          path,
          headers: { Host: `localhost:${setup.port}`, "Content-Type": "text/xml; charset=utf-8", ...headers },
        });
        sent.on("error", reject);
        sent.on("response", (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
          response.on("error", reject);
        });
        sent.end(body);
      });
    }

    /** The whole answer to a request in HTTP/1.0, to the end of the connection. */
    function callByHttp10(body: string): Promise<string> {
      return new Promise((resolve, reject) => {
        const socket = connect({
          host: "127.0.0.1",
          port: setup.port,
          servername: "localhost",
          ca: readFileSync(setup.certificate.cert),
        });
        let text = "";
        socket.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        socket.once("error", reject).once("end", () => resolve(text));
        const head = `POST /default.asmx HTTP/1.0\r\nHost: localhost:${setup.port}\r\nContent-Type: text/xml\r\nContent-Length: ${Buffer.byteLength(body)}`;
        socket.write(`${head}\r\n\r\n${body}`);
      });
    }

    test("answers a call, and the WSDL points to the public address", async () => {
      const { status, text } = await call(add("ada@example.org"));
      assert.equal(status, 200, text);
      assert.match(text, /<Subscriber.AddResult>0</);
      const wsdl = await call("", { method: "GET", path: "/default.asmx?wsdl" });
      assert.match(wsdl.text, /<soap:address location="https:\/\/mail\.example\.org\/default\.asmx"/);
    });

    test("passes on a message of 3 MiB, and Mailroll itself rejects one of 4.5 MiB", async () => {
      assert.match((await call(ofSize(3 * 1024 ** 2))).text, /<Subscriber.AddResult>0</);
      const { status, text } = await call(ofSize(4.5 * 1024 ** 2));
      assert.equal(status, 413);
      assert.match(text, /<code>TooLarge</);
    });

    test("passes on a long list, to clients of HTTP/1.1 and of HTTP/1.0", async () => {
      const rows = (text: string): number => text.split("<EMail>").length - 1;
      assert.equal(rows((await call(bounces)).text), MANY);
      const answer = await callByHttp10(bounces);
      assert.match(answer, /^HTTP\/1\.[01] 200 /);
      assert.ok(!/^transfer-encoding:/im.test(answer.slice(0, answer.indexOf("\r\n\r\n"))));
      assert.equal(rows(answer), MANY);
      assert.ok(answer.endsWith("</soap:Envelope>"));
    });

    test("rate-limits API-key guessing by the caller's address, not by the X-Forwarded-For it sends", async () => {
      const headers = { "X-Forwarded-For": "203.0.113.9" };
      const guess = (n: number) =>
        call(add("x@example.org", `WRONG-KEY-${n}`), { from: "127.0.0.2", headers });
      await Promise.all(Array.from({ length: 60 }, (_, n) => guess(n)));
      assert.match((await guess(60)).text, /<code>Throttled</);
      assert.match(served.output.err, /"client":"127\.0\.0\.2"/);
      assert.match((await call(add("bea@example.org", "WRONG-KEY"))).text, /<code>InvalidApiKey</);
    });
  });
