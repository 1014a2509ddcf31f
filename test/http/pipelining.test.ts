/** Calls that are pipelined over one connection take effect in their order. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { parseAddress } from "#domain/address.ts";
import { KEY, startService } from "../service.ts";

const service = await startService();
after(() => service.close());

interface Sent {
  readonly operation: string;
  readonly isCompressed?: boolean;
  readonly padding?: number;
  readonly firstName?: string;
}

function requestOf(
  { operation, isCompressed = false, padding = 0, firstName }: Sent,
  address: string,
): Buffer {
  const list = operation === "Subscriber.Unsubscribe" ? "" : "<SubscribersListID>1</SubscribersListID>";
  const name = firstName === undefined ? "" : `<FirstName>${firstName}</FirstName>`;
  const text = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><!--${" ".repeat(padding)}--><e:Body><${operation} xmlns="${service.origin}"><APIKey>${KEY}</APIKey>${list}${name}<EMail>${address}</EMail></${operation}></e:Body></e:Envelope>`;
  const body = isCompressed ? gzipSync(text) : Buffer.from(text);
  const encoding = isCompressed ? "Content-Encoding: gzip\r\n" : "";
  const head = `POST /default.asmx HTTP/1.1\r\nHost: localhost:${service.port}\r\nContent-Type: text/xml\r\n${encoding}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** The result bytes, in the order of the responses. */
async function together(calls: readonly Sent[], address: string): Promise<readonly string[]> {
  const socket = connect(service.port, "127.0.0.1").setEncoding("utf8");
  socket.write(Buffer.concat(calls.map((call) => requestOf(call, address))));
  let text = "";
  for await (const part of socket) {
    text += part;
    const results = [...text.matchAll(/Result>(\d+)</g)].map(([, result = ""]) => result);
    if (results.length === calls.length) return results;
  }
  throw new Error(`the connection ended after ${text}`);
}

const add = "Subscriber.Add";
const addWithData = "Subscriber.AddwithBasicandCustoms";
const remove = "Subscriber.Remove";
const unsubscribe = "Subscriber.Unsubscribe";

test("executes a compressed add before the pipelined remove behind it", async () => {
  const calls = [{ operation: add, isCompressed: true }, { operation: remove }];
  assert.deepEqual(await together(calls, "compressed@example.org"), ["0", "0"]);
});

test("executes a large add before the pipelined remove behind it", async () => {
  const calls = [{ operation: addWithData, padding: 200_000 }, { operation: remove }];
  assert.deepEqual(await together(calls, "large@example.org"), ["0", "0"]);
});

test("refuses only the second of two pipelined adds with an opt-out between them", async () => {
  const calls = [{ operation: add, isCompressed: true }, { operation: unsubscribe }, { operation: add }];
  assert.deepEqual(await together(calls, "leaving@example.org"), ["0", "0", "206"]);
});

test("keeps the last of two names that were sent for one subscriber", async () => {
  const large = { operation: addWithData, padding: 100_000, firstName: "First" };
  await together([large, { operation: addWithData, firstName: "Last" }], "named@example.org");
  const address = parseAddress("named@example.org");
  assert.ok(address !== null);
  const known = await service.store.subscribers.byAddress({ account: 1, address });
  assert.equal(known?.data.firstName, "Last");
});
