/**
 * Long headers: nobody stops the service with one. Each header that the service reads is sent where it is
 * read, full of each printable character and of pieces of its own syntax.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { hashToken, newToken } from "#domain/access/session.ts";
import { type Received, type Sent, sendRequest } from "../send-request.ts";
import { KEY, type Service, startService, withKey } from "../service.ts";
import { addressOf } from "../store/actor.ts";

const METRICS_TOKEN = "a-token-of-16-or-more";
/** The longest that Node takes beside the other headers, and the longest that is read. */
const lengthsOf = (name: string): readonly number[] => [15_000, name === "cookie" ? 8000 : 960];
const MAX_MS = 5;
/** A collection of garbage may fall into one try, or into two. */
const TRIES = 8;

let service: Service;
let token = "";
before(async () => {
  service = await startService(
    { "trusted-proxies": "127.0.0.1,::1", "metrics-port": "0", "metrics-token": METRICS_TOKEN },
    { wall: Date.now, monotonic: Date.now, pause: async () => {} },
  );
  const { users } = service.store;
  const user = await users.create({
    address: addressOf("root@example.org"),
    name: "",
    isAdministrator: true,
    role: null,
    at: Date.now(),
  });
  assert.ok(typeof user === "object");
  token = newToken();
  const given = { user: user.id, name: "t", role: "administrator", expiresAt: null, at: Date.now() } as const;
  await users.createToken({ ...given, isLogIn: true, hash: hashToken(token) });
});
after(() => service.close());

interface Place extends Sent {
  readonly path: string;
  readonly onMetricsPort?: boolean;
}
const soap = (): Place => ({
  path: "/default.asmx",
  method: "POST",
  headers: { "Content-Type": "text/xml", "User-Agent": "Test/1.0" },
  body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Client.TestApiConnection xmlns="${service.origin}">${withKey()}</Client.TestApiConnection></e:Body></e:Envelope>`,
});
const elsewhere = (): Place => ({ ...soap(), path: "/services/soap", headers: {} });
const wsdl = (): Place => ({ path: "/default.asmx?wsdl" });
const fields = (): Place => ({ path: "/api/v1/fields" });
const api = (method: string, path: string) => (): Place => ({
  path: `/api/v2${path}`,
  method,
  headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  body: '{"name":""}',
});
const newList = api("POST", "/accounts/1/lists");
const renamed = api("PATCH", "/accounts/1");
const signIn = (): Place => ({
  path: "/console/sign-in",
  method: "POST",
  headers: { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded" },
  body: "email=",
});
const overHttp = (): Place => ({
  ...signIn(),
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
});
const signInPage = (): Place => ({ path: "/console/sign-in" });
const metrics = (): Place => ({ path: "/metrics" });
const metricsPort = (): Place => ({ path: "/metrics", onMetricsPort: true });

/** Where a header is read, and what it is made of. */
const headers: Readonly<Record<string, readonly [places: readonly (() => Place)[], pieces: string[]]>> = {
  "content-type": [
    [soap, elsewhere, newList, signIn],
    [
      "text/xml;charset=\"'",
      "text/xml; ",
      ';charset="\\"',
      ';a="',
      '; boundary="',
      "multipart/form-data;",
      "= ",
    ],
  ],
  soapaction: [
    [soap, elsewhere],
    ['"http://localhost/', '" ', "%20", "%E5", "#", '""'],
  ],
  "content-encoding": [
    [soap, newList],
    ["gzip, ", "deflate "],
  ],
  "accept-encoding": [[wsdl], ["gzip", "gzip;q=0.0", "gzip ; ", ",gzip", "gzip;q=0.0 "]],
  "if-none-match": [[wsdl], ['W/"a", ', "*,", "W/", ' ,"']],
  accept: [[() => ({ path: "/nothing" })], ["text/html", "text/", "*/*;q=0.1, "]],
  authorization: [
    [fields, newList, metrics, metricsPort],
    ["Bearer ", "Bearer\t", "Basic "],
  ],
  cookie: [[signInPage], ["mailroll-session=", "a=b; ", "%20", '="', "__Host-"]],
  "accept-language": [[signInPage], ["de-DE;q=0.1,", "q=.", ";q=", "-x", "en,"]],
  "user-agent": [
    [soap, fields, wsdl, signInPage],
    ["PHP/", "Mozilla/4.0 (", "Indy Library ", "a b c d ", "1."],
  ],
  "sec-fetch-site": [[overHttp], ["same-origin"]],
  origin: [[overHttp], ["http://", "http://a:80", "@", "[::"]],
  host: [
    [overHttp, soap, wsdl],
    ["localhost:", "[::1]", "a.", "0:"],
  ],
  "idempotency-key": [[newList], ['"a"', "a-"]],
  "if-match": [[renamed], ['"a", ', 'W/"', "*,"]],
  "x-forwarded-for": [
    [soap, signInPage],
    ["127.0.0.1, ", "::ffff:", "0:", "[::1]:1,", "::1%", "1.1.1.1:"],
  ],
  traceparent: [[soap], [`00-${"1".repeat(32)}-`, "-.", "0"]],
};
/** Node checks these; the service compares them, or asks whether they are there. */
const checkedByNode = ["content-length", "expect", "transfer-encoding", "upgrade"];

let clients = 0;
/** Each from another client, so that none is rate-limited. */
function send(
  { path, onMetricsPort = false, ...sent }: Place,
  name: string,
  text: string,
): Promise<Received> {
  const kept = Object.entries(sent.headers ?? {}).filter(([one]) => one.toLowerCase() !== name);
  const port = onMetricsPort ? service.metricsPort : service.port;
  clients += 1;
  const client = [10, clients >> 16, (clients >> 8) & 255, clients & 255].join(".");
  const given = { "x-forwarded-for": client, ...Object.fromEntries(kept), [name]: text };
  return sendRequest(`http://localhost:${port}${path}`, { ...sent, headers: given });
}

/** The least processor time of this thread for one request, which this thread sends, too. */
async function cost(place: Place, name: string, text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least > MAX_MS; tries += 1) {
    const begun = process.threadCpuUsage();
    await send(place, name, text);
    const { user, system } = process.threadCpuUsage(begun);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const printable = Array.from({ length: 95 }, (_, nth) => String.fromCharCode(32 + nth));

describe(`costs at most ${MAX_MS} ms of processor time, however long and whatever is in`, () => {
  for (const [name, [places, pieces]] of Object.entries(headers))
    test(`the header ${name}`, async () => {
      const slow: string[] = [];
      for (const place of places.map((one) => one()))
        for (const piece of [...printable, ...pieces])
          for (const length of lengthsOf(name)) {
            // What is cheap at the beginning may be expensive after something else, or before the end.
            const run = piece.repeat(length / 2 / piece.length);
            const text = `${pieces[0]}${run}x${run}.`;
            const ms = await cost(place, name, text);
            if (ms > MAX_MS) slow.push(`${place.path} ${JSON.stringify(piece)} × ${length}: ${ms} ms`);
          }
      assert.deepEqual(slow, []);
    });
});

test("tries every header that the source reads", () => {
  const root = join(import.meta.dirname, "../../src/");
  const read = new Set(checkedByNode.filter((name) => !Object.hasOwn(headers, name)));
  // Of the client's side and of messages are the others.
  const modules = "{api,app,asmx,auth,console,health,http,leaving,metrics,soap}/**/*.ts";
  const found = globSync(modules, { cwd: root }).flatMap((file) =>
    [
      ...readFileSync(`${root}${file}`, "utf8").matchAll(
        /\bheaders(?:\.|\["|: \{ )([a-z][a-z-]*)(?=[^\w(:"]|"\])/g,
      ),
    ].map(([, name = ""]) => name),
  );
  assert.ok(found.includes("content-type"));
  for (const name of found) read.add(name);
  assert.deepEqual([...read].sort(), [...Object.keys(headers), ...checkedByNode].sort());
});

test("answers a header that is too long like one that it does not know", async () => {
  const long = "x".repeat(1100);
  const answers: readonly (readonly [place: () => Place, name: string, text: string, expected: RegExp])[] = [
    [soap, "content-type", `text/xml; a=${long}`, /^415 [\s\S]*"\(more than 1024 characters…\)" was given/],
    [newList, "content-type", `application/json; a=${long}`, /^415 .*"\(more than 1024 characters…\)/],
    [signIn, "content-type", `application/x-www-form-urlencoded; a=${long}`, /^415 /],
    [soap, "soapaction", `"${long}"`, /^500 [\s\S]*There is no action "\(more than 1024 characters…\)"/],
    [soap, "content-encoding", `gzip${" ".repeat(1100)}, gzip`, /^400 [\s\S]*"\(more than 1024 char/],
    [fields, "authorization", `Bearer ${KEY}${long}`, /^401 /],
    [newList, "idempotency-key", long, /^400 .*must have 1 to 255/],
    [renamed, "if-match", `"${long}"`, /^400 .*must be ETags of earlier replies/],
    [overHttp, "sec-fetch-site", long, /^403 /],
    [wsdl, "if-none-match", `*, ${long}`, /^200 /],
    [metricsPort, "authorization", `Bearer ${METRICS_TOKEN}${long.repeat(4)}`, /^431 /],
    // These say nothing about what is asked for.
    [soap, "user-agent", long, /^200 /],
    [soap, "accept-language", long, /^200 /],
    [signInPage, "cookie", `${long}; `.repeat(7), /^200 /],
  ];
  for (const [place, name, text, expected] of answers) {
    const { status, body } = await send(place(), name, text);
    assert.match(`${status} ${body}`, expected, name);
  }
});
