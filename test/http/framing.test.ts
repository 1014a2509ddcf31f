/** HTTP framing, before any call is read: Host, Expect, Transfer-Encoding, versions and Upgrade. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, describe, test } from "node:test";
import { startService } from "../service.ts";

const LIMIT = 4096;
const service = await startService({ "body-limit": String(LIMIT) });
after(() => service.close());

/** Everything received until the service closes the connection. */
async function exchange(request: string): Promise<string> {
  const socket = connect(service.port, "127.0.0.1").setEncoding("latin1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(request);
  await once(socket, "close");
  return text;
}

describe("requests with two Host headers", () => {
  for (const hosts of ["Host: a.example\r\nHost: a.example", "Host: localhost\r\nhOST: evil.example"])
    for (const start of ["GET /default.asmx?wsdl", "GET /healthz", "POST /default.asmx"])
      test(`answers 400 and closes the connection: ${start} ${JSON.stringify(hosts)}`, async () => {
        const answer = await exchange(`${start} HTTP/1.1\r\n${hosts}\r\nContent-Length: 0\r\n\r\n`);
        assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
        assert.match(answer, /Content-Type: text\/plain\r\n/);
        assert.match(answer, /\r\n\r\nThe request has more than one Host header\. Send exactly one\.\n$/);
        assert.ok(!answer.includes("evil"));
      });

  test("neither reads nor waits for the body of a request with two Host headers", async () => {
    const answer = await exchange(
      "POST /default.asmx HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 1000\r\n\r\n",
    );
    assert.match(answer, /^HTTP\/1\.1 400 /);
  });

  test("accepts other headers whose names are as long as Host", async () => {
    const answer = await exchange(
      "GET /healthz HTTP/1.1\r\nHost: a\r\nFrom: b\r\nDate: c\r\nConnection: close\r\n\r\n",
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });
});

test("answers 400 to an HTTP/1.1 request without a Host header", async () => {
  assert.match(await exchange("GET /healthz HTTP/1.1\r\n\r\n"), /^HTTP\/1\.1 400 /);
});

describe("requests with Expect: 100-continue", () => {
  const head = (length: number, more = "", path = "/default.asmx", version = "1.1"): string =>
    `POST ${path} HTTP/${version}\r\nHost: localhost\r\nContent-Type: text/xml\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n${more}\r\n`;

  test("answers TooLarge at once, without 100 Continue, and closes the connection", async () => {
    const answer = await exchange(head(LIMIT + 1));
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /\r\nConnection: close\r\n/);
    assert.match(answer, /Content-Type: text\/xml[\s\S]*<code>TooLarge<\/code>/);
    assert.match(answer, new RegExp(`larger than ${LIMIT} bytes`));
  });

  test("answers TooLarge in the SOAP version of the request", async () => {
    const request = head(LIMIT + 1).replace("text/xml", "application/soap+xml");
    assert.match(await exchange(request), /^HTTP\/1\.1 413 [\s\S]*Content-Type: application\/soap\+xml/);
  });

  test("answers at once on a path that takes no body", async () => {
    const answer = await exchange(head(LIMIT + 1, "", "/nothing"));
    assert.match(answer, /^HTTP\/1\.1 500 [\s\S]*Connection: close\r\n[\s\S]*<code>UnknownPath<\/code>/);
    const noSoap = head(LIMIT + 1, "", "/nothing").replace("text/xml", "text/plain");
    assert.match(await exchange(noSoap), /^HTTP\/1\.1 404 [\s\S]*Connection: close\r\n/);
  });

  test("sends 100 Continue for a body that is not too large, and answers it", async () => {
    const socket = connect(service.port, "127.0.0.1").setEncoding("latin1");
    const next = async (): Promise<string> => String((await once(socket, "data"))[0]);
    socket.write(head(LIMIT));
    assert.match(await next(), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write("x".repeat(LIMIT));
    assert.match(await next(), /^HTTP\/1\.1 400 [\s\S]*InvalidMessage/);
    socket.destroy();
  });

  test("sends 100 Continue where no length is declared", async () => {
    const socket = connect(service.port, "127.0.0.1").setEncoding("latin1");
    socket.write(head(0).replace("Content-Length: 0", "Transfer-Encoding: chunked"));
    assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.destroy();
  });

  test("reads the whole body of an HTTP/1.0 request, which does not know 100 Continue", async () => {
    const body = "x".repeat(LIMIT + 1);
    const answer = await exchange(`${head(body.length, "", "/default.asmx", "1.0")}${body}`);
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });
});

describe("requests that HTTP forbids to serve", () => {
  test("answers 501 to a transfer coding other than chunked", async () => {
    const answer = await exchange(
      "POST /default.asmx HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    );
    assert.match(answer, /^HTTP\/1\.1 501 [\s\S]*Content-Encoding: gzip/);
  });
  for (const rest of [
    "Transfer-Encoding: identity\r\n\r\nx",
    "Host: b\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n",
  ])
    test(`answers a refused request once, even if the rest of it is not HTTP: ${JSON.stringify(rest)}`, async () => {
      const answer = await exchange(`POST /default.asmx HTTP/1.1\r\nHost: a\r\n${rest}`);
      assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1, answer);
    });
  test("answers 505 to an HTTP version other than 1.0 and 1.1", async () => {
    assert.match(await exchange("GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n"), /^HTTP\/1\.1 505 /);
  });
});

describe("requests with an Upgrade header", () => {
  const upgrade = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";

  test("ignores an Upgrade header, and closes the connection after the answer", async () => {
    const answer = await exchange(upgrade);
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n/);
  });

  test("serves no request smuggled in behind an Upgrade header", async () => {
    const inner = "GET /default.asmx?wsdl HTTP/1.1\r\nHost: smuggled\r\n\r\n";
    const head = `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: ${inner.length}\r\n\r\n`;
    const socket = connect(service.port, "127.0.0.1").setEncoding("latin1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.write(upgrade + head);
    await once(socket, "data");
    socket.write(inner);
    await once(socket, "close");
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
  });
});
