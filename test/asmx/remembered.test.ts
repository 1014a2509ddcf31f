/** What depends on the Host header is remembered for a few hosts only: a stranger can name any number of them. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { Addresses } from "../../src/asmx/addresses.ts";
import { Documents } from "../../src/asmx/documents.ts";
import { toyService } from "../toy-contract.ts";

const MANY = 40;
const from = (host: string) => ({ headers: { host } }) as unknown as IncomingMessage;

test("namespaces of a host are made once, and forgotten after many other hosts", () => {
  const addresses = new Addresses({ baseUrl: null, namespaces: [], scheme: "http" });
  const first = addresses.of(from("a.example"));
  assert.equal(addresses.of(from("a.example")), first);
  for (let n = 0; n < MANY; n += 1) addresses.of(from(`h${n}.example`));
  assert.notEqual(addresses.of(from("a.example")), first);
});

test("documents of an address are made once, and forgotten after many other addresses", () => {
  const documents = new Documents(toyService);
  const first = documents.find("http://a.example", "wsdl");
  assert.equal(documents.find("http://a.example", "WSDL"), first);
  assert.equal(documents.find("http://a.example", "other=1&wsdl"), first, "however it is asked for");
  for (let n = 0; n < MANY; n += 1) documents.find(`http://h${n}.example`, "wsdl");
  assert.notEqual(documents.find("http://a.example", "wsdl"), first);
});
