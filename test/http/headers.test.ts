/** Response headers: which are always sent, which never, and that none repeats a request. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { KEY, type Service, startService, withKey } from "../service.ts";

const TOKEN = "a-token-of-16-or-more";

let service: Service;
before(async () => {
  service = await startService({
    "body-limit": "64KiB",
    "key-rate": "40",
    "metrics-port": "0",
    "metrics-token": TOKEN,
  });
});
after(() => service.close());

interface Raw {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}
/** Raw bytes: an HTTP client would not send, or would hide, what these tests check. */
function exchange(head: readonly string[], body = "", port = service.port): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(
        `${[...head, `Content-Length: ${body.length}`, "Connection: close"].join("\r\n")}\r\n\r\n${body}`,
      ),
    );
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const end = text.indexOf("\r\n\r\n");
      const [first = "", ...lines] = text.slice(0, end).split("\r\n");
      const headers = lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      });
      resolve({ status: Number(first.split(" ")[1]), headers: new Map(headers), body: text.slice(end + 4) });
    });
  });
}
const envelope = (params: string): string =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Client.TestApiConnection xmlns="http://localhost:${service.port}">${params}</Client.TestApiConnection></e:Body></e:Envelope>`;
const host = (): string => `Host: localhost:${service.port}`;
const get = (target: string, ...more: readonly string[]): Promise<Raw> =>
  exchange([`GET ${target} HTTP/1.1`, host(), ...more]);
const onMetricsPort = (first: string): Promise<Raw> =>
  exchange([first, host(), `Authorization: Bearer ${TOKEN}`], "", service.metricsPort ?? 0);
const post = (body: string, ...more: readonly string[]): Promise<Raw> =>
  exchange(["POST /default.asmx HTTP/1.1", host(), "Content-Type: text/xml", ...more], body);

test("sends nosniff with every response, a policy with every page, and never a Server header", async () => {
  const etag = (await get("/default.asmx?wsdl")).headers.get("etag");
  const answers: readonly (readonly [expected: number, answer: Raw])[] = [
    [200, await post(envelope(withKey()))],
    [500, await post(envelope(withKey()).replaceAll("TestApiConnection", "Nope"))],
    [400, await post("<not xml")],
    [413, await post("x".repeat(70_000))],
    [415, await exchange(["POST /default.asmx HTTP/1.1", host(), "Content-Type: text/html"], "x")],
    [405, await exchange(["DELETE /default.asmx HTTP/1.1", host()])],
    [200, await get("/default.asmx")],
    [200, await get("/default.asmx?op=Client.TestApiConnection")],
    [404, await get("/default.asmx?op=Nope")],
    [200, await get("/default.asmx?wsdl")],
    [200, await get("/default.asmx?wsdl", "Accept-Encoding: gzip")],
    [304, await get("/default.asmx?wsdl", `If-None-Match: ${etag}`)],
    [200, await get("/default.asmx?disco")],
    [200, await exchange(["HEAD /default.asmx HTTP/1.1", host()])],
    [302, await get("/")],
    [200, await get("/healthz")],
    [200, await get("/readyz")],
    [200, await get("/api/v1/fields", `Authorization: Bearer ${KEY}`)],
    [401, await get("/api/v1/fields")],
    [200, await get("/schemas/field-collection.json")],
    [200, await get("/metrics", `Authorization: Bearer ${TOKEN}`)],
    [401, await get("/metrics")],
    [200, await onMetricsPort("GET /metrics HTTP/1.1")],
    [200, await onMetricsPort("HEAD /metrics HTTP/1.1")],
    [404, await onMetricsPort("GET /nothing HTTP/1.1")],
    [405, await onMetricsPort("POST /metrics HTTP/1.1")],
    [404, await get("/nothing")],
    [400, await get("/%")],
    [400, await exchange(["no HTTP at all"])],
    [431, await get("/", `X-Long: ${"x".repeat(20_000)}`)],
    [404, await exchange(["POST /nothing HTTP/1.1", host(), "Content-Type: application/json"], "{")],
  ];
  for (const [index, [expected, { status, headers, body }]] of answers.entries()) {
    const which = `answer ${index}: ${status} ${body.slice(0, 100)}`;
    assert.equal(status, expected, which);
    assert.equal(headers.get("x-content-type-options"), "nosniff", which);
    assert.equal(headers.get("server"), undefined, which);
    assert.equal(headers.get("x-powered-by"), undefined, which);
    assert.doesNotMatch(body, /fastify|node\.?js|node_modules/i, which);
    if (headers.get("content-type")?.startsWith("text/html"))
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; /, which);
  }
  assert.equal(answers.filter(([, { headers }]) => headers.has("content-security-policy")).length, 4);
});

test("sends the same headers with a Throttled fault", async () => {
  let answer = await post(envelope(withKey()));
  while (answer.status === 200) answer = await post(envelope(withKey()));
  assert.equal(answer.status, 503);
  assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
});

test("copies nothing of a request into the headers of its response", async () => {
  const planted = ["x%0d%0aInjected:%20yes", "x%0aInjected:yes", "x\rInjected: yes", "%E5%98%8AInjected:yes"];
  for (const text of planted) {
    const answers = await Promise.all([
      get(`/${text}`),
      get(`//${text}`),
      get(`/default.asmx?op=${text}`),
      get(`/default.asmx?wsdl=${text}`),
      get(`/default.asmx/${text}`),
      get(`/api/v1/fields?x=${text}`, `Authorization: Bearer ${text}`),
      exchange(["GET / HTTP/1.1", `Host: ${text}`]),
      exchange(["GET /default.asmx HTTP/1.1", `Host: ${text}`]),
      post(envelope(withKey()), `SOAPAction: "${text}"`),
      exchange(["POST /default.asmx HTTP/1.1", host(), `Content-Type: ${text}`], envelope(withKey())),
      post(envelope(`<APIKey>${text}</APIKey>`), `Content-Encoding: ${text}`),
    ]);
    for (const { status, headers } of answers) {
      assert.ok(status >= 200 && status <= 503, `${status}`);
      for (const [name, value] of headers) assert.doesNotMatch(`${name}: ${value}`, /injected|^x:/i, text);
    }
  }
});
