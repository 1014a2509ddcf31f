/**
 * What callers send is not in the log, wherever in a request they put it, however it ends, at the most
 * talkative level.
 */
import assert from "node:assert/strict";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Log } from "#app/log/log.ts";
import { Installation } from "./cli/program.ts";
import { startService } from "./service.ts";

/** 32 digits as those that we make, so that it could be taken for another number of that shape. */
const KEY = "FACADE87310FACADE87310FACADE8731";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const secrets = {
  key: KEY,
  address: "planted.ad3ress@secret-domain.example",
  name: "Pl4ntedName",
  value: "Pl4ntedValue",
};
/** Pieces of them too, in any letter case. */
const traces = ["pl4nted", "facade", "8731", "ad3ress", "secret-domain"];

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

test("logs no key, address, name or value of a request", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const served = await home.serve(["--log", "debug", "--api-key", KEY, "--trusted-proxies", "127.0.0.1,::1"]);
  const { origin, port } = new URL(served.endpoint);
  const send = ({
    method = "POST",
    path = "/default.asmx",
    headers = {},
    body = "",
  }: Sent): Promise<number> =>
    new Promise((resolve, reject) => {
      const options = {
        port,
        host: "127.0.0.1",
        method,
        path,
        headers: { "Content-Type": "text/xml", "Content-Length": Buffer.byteLength(body), ...headers },
      };
      const sent = request({ ...options, agent: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  const envelope = (operation: string, params: string, namespace = origin): string =>
    `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation} xmlns="${namespace}">${params}</${operation}></e:Body></e:Envelope>`;
  const { address, name, value } = secrets;
  const all = `${KEY}${address}${name}${value}`;
  const lower = KEY.toLowerCase();
  /** Well formed, and in many ways not. */
  const traceparents = [
    `00-${TRACE}-b7ad6b7169203331-01`,
    `00-${KEY}-b7ad6b7169203331-01`,
    `ff-${lower}-b7ad6b7169203331-01`,
    `00-${lower}-b7ad6b7169203331-01-${lower}`,
    `00-${TRACE}-${lower.slice(0, 16)}-01`,
    `00-${lower}${lower}-b7ad6b7169203331-01`,
    `00-${lower}-${"0".repeat(16)}-01`,
    lower,
    all,
  ];
  const customs = (id: string): string =>
    `<CustomsFields><customField><Customfieldid>${id}</Customfieldid><Value>${value}</Value></customField></CustomsFields>`;
  const person = (list: string, key = KEY, id = "1"): string =>
    `<APIKey>${key}</APIKey><SubscribersListID>${list}</SubscribersListID><FirstName>${name}</FirstName><LastName>${name}</LastName><EMail>${address}</EMail>${customs(id)}`;
  const field = `<APIKey>${KEY}</APIKey><fieldName>${name}</fieldName><isPrivate>false</isPrivate><dataType>STRING</dataType>`;
  const data = "Subscriber.AddwithBasicandCustoms";

  const bodies: readonly (readonly [status: number, body: string | Buffer, headers?: Sent["headers"]])[] = [
    [200, envelope("Field.Add", field)],
    [200, envelope(data, person("1"))],
    [200, envelope(data, person("77"))],
    [200, envelope(data, person("1", KEY, "77"))],
    [500, envelope(data, person("1", `${KEY}x`))],
    [500, envelope(data, person(value))],
    [500, envelope(data, person("1", KEY, value))],
    [500, envelope("Field.Add", field.replace("STRING", value))],
    [
      500,
      envelope("Campaign.GetHardBouncesList", `<APIKey>${KEY}</APIKey><CampaignID>${address}</CampaignID>`),
    ],
    [500, envelope(name, person("1"))],
    [500, envelope(data, person("1"), `http://${address}/${KEY}`)],
    [500, envelope(data, person("1")).replace("schemas.xmlsoap.org", "secret-domain.example")],
    [
      500,
      envelope(data, person("1")).replace(
        "<e:Body>",
        `<e:Header><${name} e:mustUnderstand="1" xmlns="${KEY}">${value}</${name}></e:Header><e:Body>`,
      ),
    ],
    [400, all],
    [400, envelope(data, person("1")).slice(0, -9)],
    [400, `<!DOCTYPE ${name} [<!ENTITY x "${value}">]>${envelope(data, person("1"))}`],
    [200, gzipSync(envelope(data, person("1"))), { "Content-Encoding": "gzip" }],
    [400, all, { "Content-Encoding": "gzip" }],
    [400, envelope(data, person("1")), { "Content-Encoding": all }],
    [415, envelope(data, person("1")), { "Content-Type": `text/${name}; charset=${value}` }],
    [413, all.padEnd(5_000_000, value)],
    [500, envelope(data, person("1")), { SOAPAction: `"${origin}/${all}"` }],
    [200, envelope(data, person("1")), { SOAPAction: `"${origin}/${data}"` }],
  ];
  for (const [status, body, headers = {}] of bodies)
    assert.equal(await send({ body, headers }), status, String(body).slice(0, 300));

  for (const traceparent of traceparents) {
    const headers = { traceparent, tracestate: `vendor=${lower}`, baggage: `key=${KEY}` };
    assert.equal(await send({ body: envelope(data, person("1")), headers }), 200, traceparent);
  }

  // So many failed keys that the rest of them is refused at once.
  const failed = { body: envelope("Field.GetFields", `<APIKey>${KEY}x</APIKey>`) };
  await Promise.all(Array.from({ length: 50 }, () => send(failed)));

  const basic = `Basic ${Buffer.from(`${address}:${KEY}`).toString("base64")}`;
  const planted: Readonly<Record<string, string>> = {
    "User-Agent": all,
    Referer: `http://${address}/?${all}`,
    Cookie: `session=${all}`,
    "X-Api-Key": KEY,
    "X-Forwarded-For": all,
    "X-Forwarded-Host": address,
    "X-Request-Id": all,
    [name]: value,
  };
  const query = `?key=${KEY}&EMail=${encodeURIComponent(address)}&op=${name}&wsdl=${value}`;
  for (const Authorization of [basic, `Bearer ${KEY}`, `Bearer ${KEY}x`, all])
    for (const path of [
      `/default.asmx${query}`,
      `/${all}${query}`,
      `/api/v1/fields${query}`,
      `/healthz${query}`,
      `/%${all}`,
    ])
      for (const method of ["GET", "POST", "DELETE", "PROPFIND"])
        for (const Host of [`localhost:${port}`, "planted.secret-domain.example", all])
          await send({
            method,
            path,
            headers: { ...planted, Authorization, Host },
            body: method === "GET" ? "" : envelope(data, person("1", `${KEY}y`)),
          });

  // What goes wrong on our side is logged with its cause.
  const rival = new DatabaseSync(home.database);
  rival.exec("BEGIN EXCLUSIVE");
  assert.equal(await send({ body: envelope(data, person("1").replace(name, `${name}z`)) }), 503);
  rival.exec("ROLLBACK");
  rival.close();
  assert.equal(await served.stop(), 0);

  const log = served.output.err;
  const lines = log.trim().split("\n");
  for (const what of [
    '"outcome":"Done"',
    `"trace":"${TRACE}"`,
    '"InvalidApiKey"',
    '"Throttled"',
    '"Unavailable"',
    '"debug"',
    "stopped",
  ])
    assert.ok(log.includes(what), `the log tells of ${what}`);
  for (const trace of [...traces, Buffer.from(address).toString("base64").slice(0, 20)])
    assert.deepEqual(
      lines.filter((line) => line.toLowerCase().includes(trace.toLowerCase())),
      [],
      trace,
    );
});

test("logs no key and no address of a User-Agent that read the WSDL and did not call", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-secrets-"));
  const file = join(folder, "log");
  const descriptor = openSync(file, "w");
  const log = new Log("debug", descriptor);
  let now = 1;
  const service = await startService({}, { wall: Date.now, monotonic: () => now }, undefined, log);
  t.after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });
  const read = async (userAgent: string): Promise<void> => {
    const wsdl = await fetch(`${service.origin}/default.asmx?wsdl`, { headers: { "User-Agent": userAgent } });
    assert.ok((await wsdl.text()).includes("definitions"));
  };
  const { address } = secrets;
  const logged: Readonly<Record<string, string>> = {
    "Mozilla/4.0 (compatible; MSIE 6.0; MS Web Services Client Protocol 2.0.50727.4927)":
      "Mozilla/4.0 (compatible; MSIE 6.0; MS Web Services Client Protocol 2.0.50727.4927)",
    [`Shop/1.0 (${address})`]: "Shop/1.0 (?)",
    [`Shop/1.1 key=${KEY}`]: "Shop/1.1 ?",
    [`Shop/1.2 (mailto:john+${address.replace("@", "%40")}; ${KEY})`]: "Shop/1.2 (mailto:?; ?)",
    [`${"Shop/1 ".repeat(13)}${address}`]: `${"Shop/1 ".repeat(13)}?`,
    [`${"Shop/1 ".repeat(13)}${KEY}`]: `${"Shop/1 ".repeat(13)}?`,
    [`Shop/1.3 ${KEY}${address}`.repeat(10)]: "Shop/1.3 ?/1.3 ?",
  };
  for (const userAgent of Object.keys(logged)) await read(userAgent);
  now += 600_000;
  await read("looks");
  await log.flush();
  const lines = readFileSync(file, "utf8").trim().split("\n");
  assert.deepEqual(
    lines
      .map((line) => JSON.parse(line) as { readonly msg: string; readonly user_agent: string })
      .filter(({ msg }) => msg === "wsdl fetched, no call followed")
      .map((line) => line.user_agent),
    Object.values(logged),
  );
  for (const trace of traces)
    assert.deepEqual(
      lines.filter((line) => line.toLowerCase().includes(trace)),
      [],
      trace,
    );
});
