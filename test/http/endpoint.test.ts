/**
 * The endpoint over real connections: limits, compression, slow and disconnecting clients, the JSON API,
 * health.
 */
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { recordBounces } from "../bounces.ts";
import { call, KEY, type Service, startService, withKey } from "../service.ts";

let service: Service;
before(async () => {
  service = await startService({ "body-limit": "64KiB" });
});
after(() => service.close());

const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${service.origin}/default.asmx`, {
    method: "POST",
    headers: { "Content-Type": "text/xml", ...headers },
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
const envelope = (inner: string) =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${inner}</e:Body></e:Envelope>`;
const probe = (filler = "") =>
  envelope(
    `<Client.TestApiConnection xmlns="${service.origin}"><APIKey>${KEY}</APIKey>${filler}</Client.TestApiConnection>`,
  );

describe("request bodies", () => {
  test("accepts a body of exactly the limit, and answers TooLarge to one byte more", async () => {
    const most = 64 * 1024;
    const body = probe(`<!--${"x".repeat(most - probe().length - 7)}-->`);
    assert.equal(body.length, most);
    assert.equal((await post(body)).status, 200);
    const refused = await post(`${body} `);
    assert.equal(refused.status, 413);
    assert.match(await refused.text(), /<code>TooLarge<\/code>/);
  });
  test("answers a body far over the limit", async () => {
    const refused = await post(Buffer.alloc(300 * 1024, 32));
    assert.equal(refused.status, 413);
    assert.match(await refused.text(), /larger than 65536 bytes/);
  });
  test("inflates gzip and deflate bodies up to the limit", async () => {
    const zipped = await post(gzipSync(probe()), { "Content-Encoding": "gzip" });
    assert.match(await zipped.text(), />true</);
    assert.match(await (await post(gzipSync(probe()), { "Content-Encoding": "x-gzip" })).text(), />true</);
    assert.match(
      await (await post(deflateSync(probe()), { "Content-Encoding": "deflate" })).text(),
      />true</,
    );
    const bomb = await post(gzipSync(Buffer.alloc(20 * 1024 * 1024, 32)), { "Content-Encoding": "gzip" });
    assert.equal(bomb.status, 413);
    const broken = await post("not gzip", { "Content-Encoding": "gzip" });
    assert.equal(broken.status, 400);
    assert.match(await broken.text(), /<code>InvalidMessage<\/code>/);
    assert.equal((await post(probe(), { "Content-Encoding": "br" })).status, 400);
  });
  test("survives a body that ends in the middle", async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(service.port, "127.0.0.1", () => {
        socket.write("POST /default.asmx HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n<half", () =>
          socket.destroy(),
        );
      });
      socket.on("close", () => resolve());
    });
    assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
  });
});

describe("documents", () => {
  const get = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.origin}/default.asmx${query}`, { headers });
  test("answers 304 to a document request with a matching ETag", async () => {
    const first = await get("?wsdl", { "Accept-Encoding": "identity" });
    const tag = first.headers.get("etag") ?? "";
    assert.match(tag, /^"[\w-]+"$/);
    assert.equal((await get("?wsdl", { "If-None-Match": tag, "Accept-Encoding": "identity" })).status, 304);
    assert.equal((await get("?wsdl", { "If-None-Match": '"other"' })).status, 200);
  });
  test("compresses documents for clients that accept gzip", async () => {
    const zipped = await get("?wsdl", { "Accept-Encoding": "gzip" });
    assert.equal(zipped.headers.get("content-encoding"), "gzip");
    const plain = await get("?wsdl", { "Accept-Encoding": "gzip;q=0" });
    assert.equal(plain.headers.get("content-encoding"), null);
    assert.equal(await zipped.text(), await plain.text());
  });
  test("writes the requested address into the documents", async () => {
    const text = await new Promise<string>((resolve, reject) => {
      httpRequest(
        { port: service.port, path: "/default.asmx?wsdl", headers: { Host: "Mail.Example.org:8080" } },
        (response) => {
          let body = "";
          response.on("data", (chunk) => {
            body += chunk;
          });
          response.on("end", () => resolve(body));
        },
      )
        .on("error", reject)
        .end();
    });
    assert.match(text, /targetNamespace="http:\/\/mail\.example\.org:8080"/);
    assert.match(text, /location="http:\/\/mail\.example\.org:8080\/default\.asmx"/);
  });
  test("serves documents with its own address where the Host header is invalid", async () => {
    for (const host of ["a:99999", "256.256.256.256", "[:::]", "a b", "<script>", "x".repeat(300)]) {
      const page = await new Promise<string>((resolve, reject) => {
        const path = "/default.asmx?op=Client.TestApiConnection";
        const socket = connect(service.port, "127.0.0.1", () =>
          socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
        );
        let text = "";
        socket.on("data", (chunk) => {
          text += chunk;
        });
        socket.on("error", reject);
        socket.on("close", () => resolve(text));
      });
      assert.match(page, /^HTTP\/1\.1 (?:200|400) /, host);
      assert.ok(page.startsWith("HTTP/1.1 400") || page.includes(`http://localhost:${service.port}`), host);
    }
    assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
  });
  test("answers 404 with the list of operations to a document request for an unknown one", async () => {
    const page = await get("?op=Nope");
    assert.equal(page.status, 404);
    assert.match(await page.text(), /There is no such operation[\s\S]*TestApiConnection/);
  });
  test("sends help pages with a Content-Security-Policy that allows nothing external", async () => {
    const page = await get("");
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    assert.equal(page.headers.get("x-content-type-options"), "nosniff");
  });
});

describe("long lists", () => {
  const ROWS = 20_000;
  let campaign = 0;
  before(async () => {
    const addresses = Array.from({ length: ROWS }, (_, n) => `${"x".repeat(50)}${n}@example.org`);
    campaign = await recordBounces(service.store, addresses);
  });
  const params = () => withKey(`<CampaignID>${campaign}</CampaignID>`);

  test("streams a long list completely and in order", async () => {
    const { body, headers } = await call(service, "Campaign.GetHardBouncesList", params());
    assert.equal(headers.get("content-length"), null);
    const numbers = [...body.matchAll(/x(\d+)@/g)].map(([, n]) => Number(n));
    assert.deepEqual(
      numbers,
      Array.from({ length: ROWS }, (_, n) => n),
    );
    assert.ok(body.endsWith("</soap:Envelope>"));
  });

  test("applies back-pressure to a client that does not read, and serves others meanwhile", async () => {
    const body = envelope(
      `<Campaign.GetHardBouncesList xmlns="${service.origin}">${params()}</Campaign.GetHardBouncesList>`,
    );
    const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
      const request = httpRequest(
        {
          port: service.port,
          method: "POST",
          path: "/default.asmx",
          headers: { "Content-Type": "text/xml", Host: `localhost:${service.port}` },
        },
        resolve,
      );
      request.on("error", reject);
      request.end(body);
    });
    response.pause();
    for (let n = 0; n < 20; n += 1)
      assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
    let length = 0;
    for await (const chunk of response) length += (chunk as Buffer).length;
    assert.ok(length > ROWS * 200, `${length} bytes`);
  });

  test("stops a list and frees its resources when a client that had stopped reading disconnects", async () => {
    const { store } = service;
    const subscribersByEvent = store.campaigns.subscribersByEvent.bind(store.campaigns);
    let made = 0;
    let hasEnded = false;
    const isOver = (): boolean => hasEnded;
    store.campaigns.subscribersByEvent = async function* (args, form) {
      try {
        for await (const page of subscribersByEvent(args, form)) {
          made += 1;
          yield page;
        }
      } finally {
        hasEnded = true;
      }
    };
    try {
      const socket = connect(service.port, "127.0.0.1");
      socket.pause();
      const body = envelope(
        `<Campaign.GetHardBouncesList xmlns="${service.origin}">${params()}</Campaign.GetHardBouncesList>`,
      );
      socket.write(
        `POST /default.asmx HTTP/1.1\r\nHost: localhost:${service.port}\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      const served = async (): Promise<void> =>
        assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
      let stuckFor = 0;
      for (let before = made; stuckFor < 20; before = made) {
        await served();
        stuckFor = made > 0 && made === before ? stuckFor + 1 : 0;
      }
      const most = made;
      assert.ok(!isOver(), "the reader holds the list back");
      socket.destroy();
      while (!isOver()) await served();
      assert.ok(made <= most + 1, `${made} pages, of which ${most} before the reader went`);
    } finally {
      store.campaigns.subscribersByEvent = subscribersByEvent;
    }
  });
});

describe("the JSON API", () => {
  const get = (path: string, key?: string) =>
    fetch(
      `${service.origin}${path}`,
      key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } },
    );
  test("lists fields with all digits of their ids, and links", async () => {
    await call(service, "Field.Add", withKey("<fieldName>City</fieldName><dataType>STRING</dataType>"));
    const text = await (await get("/api/v1/fields", KEY)).text();
    assert.match(text, /"FieldId":1,"Name":"City","IsPrivate":false,"DataType":"STRING"/);
    const { items, _links } = JSON.parse(text) as {
      items: unknown[];
      _links: { rel: string; href: string }[];
    };
    assert.equal(items.length, 1);
    assert.deepEqual(
      _links.map(({ rel }) => rel),
      ["self", "describedby"],
    );
    assert.equal(_links[1]?.href, `${service.origin}/schemas/field-collection.json`);
  });
  test("requires an API key", async () => {
    for (const key of [undefined, "nonsense"]) {
      const refused = await get("/api/v1/fields", key);
      assert.equal(refused.status, 401);
      assert.equal(refused.headers.get("www-authenticate"), "Bearer");
      assert.match(await refused.text(), /InvalidApiKey/);
    }
  });
  test("answers an unexpected error with a reference, and without its cause", async () => {
    const { store } = service;
    const pages = store.fields.all.pages.bind(store.fields.all);
    store.fields.all.pages = () => {
      throw new Error("internal detail");
    };
    try {
      const broken = await get("/api/v1/fields", KEY);
      assert.equal(broken.status, 500);
      const { error } = (await broken.json()) as { error: Record<string, string> };
      assert.equal(error.code, "InternalError");
      assert.match(error.message ?? "", /^Something went wrong on our side\. Reference: [0-9a-f-]{36}$/);
    } finally {
      store.fields.all.pages = pages;
    }
  });
  test("publishes its JSON Schema, with _links where the interface defines them and where an instance can hold them", async () => {
    const response = await get("/schemas/field-collection.json");
    assert.match(response.headers.get("content-type") ?? "", /^application\/schema\+json/);
    const schema = (await response.json()) as {
      required: string[];
      properties: { items: Record<string, unknown>; _links: unknown };
    };
    assert.deepEqual(schema.required, ["items"]);
    assert.ok(schema.properties.items._links);
    assert.deepEqual(schema.properties.items._links, schema.properties._links);
    const record = schema.properties.items.items as { properties: Record<string, { enum?: string[] }> };
    assert.deepEqual(Object.keys(record.properties), ["FieldId", "Name", "IsPrivate", "DataType"]);
    assert.equal(record.properties.DataType?.enum?.length, 13);
  });
  test("answers /healthz with ok", async () => {
    assert.equal((await get("/healthz")).status, 200);
    assert.equal((await get("/readyz")).status, 200);
  });
  test("redirects / to the endpoint, and answers 404 elsewhere", async () => {
    const root = await fetch(`${service.origin}/`, { redirect: "manual" });
    assert.equal(root.headers.get("location"), "/default.asmx");
    assert.equal((await get("/nothing")).status, 404);
  });
});
