/**
 * What depends on the Host header is remembered for a few hosts only: a stranger can name any number of them.
 */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { Addresses } from "#asmx/addresses.ts";
import { Documents } from "#asmx/documents.ts";
import { operationPage } from "#asmx/help/operation-page.ts";
import { wsdl } from "#asmx/wsdl/wsdl.ts";
import { contract } from "#contract/operations.ts";
import { COMPRESSED_AT_ONCE, hostOf, REQUESTS_PER_COMPRESSION, Recent } from "#http/cached-documents.ts";
import { toyService } from "../toy-contract.ts";

const MANY = 40;
const from = (host: string) => ({ headers: { host } }) as unknown as IncomingMessage;

test("namespaces of a host are cached, and evicted after many other hosts", () => {
  const addresses = new Addresses({ baseUrl: null, namespaces: [], scheme: "http" });
  const first = addresses.of(from("a.example"));
  assert.equal(addresses.of(from("a.example")), first);
  for (let n = 0; n < MANY; n += 1) addresses.of(from(`h${n}.example`));
  assert.notEqual(addresses.of(from("a.example")), first);
});

test("documents of an address are cached, and evicted after many other addresses", () => {
  const documents = new Documents(toyService);
  const first = documents.find("http://a.example", "wsdl");
  assert.equal(documents.find("http://a.example", "WSDL"), first);
  assert.equal(documents.find("http://a.example", "other=1&wsdl"), first, "however it is asked for");
  for (let n = 0; n < MANY; n += 1) documents.find(`http://h${n}.example`, "wsdl");
  assert.notEqual(documents.find("http://a.example", "wsdl"), first);
});

test("the cache keeps the most recently used keys up to its limit", () => {
  const recent = new Recent<string, object>(3);
  const get = (key: string) => recent.get(key, () => ({}));
  const [a, b] = [get("a"), get("b")];
  get("c");
  assert.equal(get("a"), a);
  get("d");
  assert.equal(get("a"), a, "used lately");
  assert.notEqual(get("b"), b, "not used for longest");
  for (let n = 0; n < 1000; n += 1) get(`${n}`);
  assert.equal(recent.size, 3);
});

test("an invalid Host gets the namespaces of this machine, and is not cached", () => {
  const addresses = new Addresses({ baseUrl: null, namespaces: [], scheme: "http" });
  addresses.port = 8080;
  const good = addresses.of(from("good.example"));
  const local = addresses.of(from("x".repeat(16_000)));
  assert.equal(local.expected, "http://localhost:8080");
  for (let n = 0; n < MANY; n += 1) {
    assert.equal(addresses.of(from(`${"x".repeat(15_000)}${n}`)), local);
    assert.equal(addresses.of(from(`<${n}>`)), local);
  }
  assert.equal(addresses.of(from("good.example")), good, "none of them took its place");
});

for (const [scheme, port] of [
  ["http", 80],
  ["https", 443],
] as const)
  test(`a Host with the default port of ${scheme} has the namespaces of the host without it`, () => {
    const addresses = new Addresses({ baseUrl: null, namespaces: [], scheme });
    addresses.port = port;
    const named = addresses.of(from(`mail.example.org:${port}`));
    assert.equal(named.expected, `${scheme}://mail.example.org`);
    assert.equal(addresses.of(from("mail.example.org")), named);
    assert.ok(named.accepts(`${scheme}://mail.example.org:${port}`), "a program may have written the port");
    assert.equal(addresses.of(from("mail.example.org:8080")).expected, `${scheme}://mail.example.org:8080`);
    assert.equal(addresses.of(from(`[fe80::${port}]`)).expected, `${scheme}://[fe80::${port}]`);
    assert.equal(addresses.local, `${scheme}://localhost`);
  });

test("a Host with the default port of another scheme keeps it", () => {
  const addresses = new Addresses({ baseUrl: null, namespaces: [], scheme: "http" });
  assert.equal(addresses.of(from("mail.example.org:443")).expected, "http://mail.example.org:443");
});

for (const host of ["a.example", "h.example:8080", "[::1]:81", "x".repeat(255), "127.0.0.1"])
  test(`a document from the template equals the one generated for the host: ${host.slice(0, 20)}`, () => {
    const base = `https://${host}`;
    const documents = new Documents(contract);
    const text = (query: string): string => documents.find(base, query).plain.body.toString();
    assert.notEqual(hostOf(base), null);
    assert.equal(text("wsdl"), wsdl(contract, base));
    assert.equal(text("wsdl&names=short"), wsdl(contract, base, ["short"]));
    assert.equal(text("Names=Dotted&WSDL"), wsdl(contract, base, ["dotted"]));
    assert.equal(text("wsdl&names=other"), wsdl(contract, base));
    for (const name of Object.keys(contract.operations))
      assert.equal(text(`op=${name}`), operationPage(contract, base, name));
  });

test("all documents of a host with the longest name take at most 1.1 MiB", () => {
  const documents = new Documents(contract);
  const wsdls = ["wsdl", "wsdl&names=short", "wsdl&names=dotted"];
  const pages = ["", ...["Nope", ...Object.keys(contract.operations)].map((name) => `op=${name}`)];
  const found = [...wsdls, "disco", ...pages].map((query) =>
    documents.find(`https://${"x".repeat(255)}`, query),
  );
  assert.equal(new Set(found).size, 21);
  const bytes = found.map(({ plain, gzip }) => plain.body.length + gzip.body.length);
  const total = bytes.reduce((sum, each) => sum + each);
  assert.ok(total < 1.1 * 1024 ** 2, `${total} bytes`);
});

test("documents are compressed at once, but only a fraction of an endless stream of new hosts", () => {
  const documents = new Documents(toyService);
  let nth = 0;
  const compressed = (count: number): number => {
    let found = 0;
    for (let n = 0; n < count; n += 1) {
      nth += 1;
      const { gzip, plain } = documents.find(`http://h${nth}.example`, "wsdl");
      if (gzip !== plain) found += 1;
    }
    return found;
  };
  assert.equal(compressed(COMPRESSED_AT_ONCE), COMPRESSED_AT_ONCE);
  compressed(10 * COMPRESSED_AT_ONCE);
  assert.equal(compressed(100 * REQUESTS_PER_COMPRESSION), 100);
  const last = documents.find("http://last.example", "wsdl");
  for (let n = 0; n <= REQUESTS_PER_COMPRESSION; n += 1) assert.ok(last.gzip);
  assert.equal(last.gzip.headers["Content-Encoding"], "gzip", "whoever asks again and again gets it");
  assert.notEqual(last.gzip.etag, last.plain.etag);
});

for (const host of ["mail.example.org.", "mail.example.org:080", "mail.example.org:", "mail.example.org.:80"])
  test(`the Host ${host} has the namespaces of mail.example.org`, () => {
    const addresses = new Addresses({ baseUrl: null, namespaces: [], scheme: "http" });
    const plain = addresses.of(from("mail.example.org"));
    assert.equal(plain.expected, "http://mail.example.org");
    assert.equal(addresses.of(from(host)), plain);
  });

for (const [baseUrl, expected, accepted] of [
  ["http://h.example", "http://h.example", ["http://h.example:80", "http://h.example:80/"]],
  ["http://H.example:80/Mail", "http://H.example/Mail", ["http://H.example:80/Mail"]],
  ["https://h.example:443", "https://h.example", ["https://h.example:443"]],
  ["https://h.example:0443", "https://h.example", ["https://h.example:443", "https://h.example:0443"]],
  ["http://[::1]:80", "http://[::1]", ["http://[::1]:80"]],
  ["http://h.example:8080", "http://h.example:8080", []],
  ["http://h.example:443", "http://h.example:443", []],
] as const)
  test(`the base URL ${baseUrl} is published as ${expected} and accepted with and without a default port`, () => {
    const addresses = new Addresses({ baseUrl, namespaces: [], scheme: "http" });
    const namespaces = addresses.of(from("anything.example"));
    assert.equal(namespaces.expected, expected);
    assert.equal(addresses.local, expected);
    for (const one of [baseUrl, expected, ...accepted]) assert.ok(namespaces.accepts(one), one);
    assert.ok(!namespaces.accepts("http://h.example:81"));
  });
