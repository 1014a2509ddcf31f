/**
 * The interface, byte for byte: runs the cases of `cases/`, which README.md explains. Every case comes from
 * a client address of its own, so that none is rate-limited for the failures of another.
 *
 * UPDATE_WIRE=1 writes the responses. Read each one before you keep it.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Running } from "../../src/app/app.ts";
import { parseAddress } from "../../src/domain/address.ts";
import { runsOf, valuesOf } from "./case-values.ts";
import { type Bytes, exchange } from "./exchange.ts";
import { expand } from "./macros.ts";
import type { Step, WireCase } from "./parse.ts";
import { type Request, toRequest } from "./request.ts";
import { ANY, toLines, toText } from "./response.ts";
import { WireServers } from "./servers.ts";
import type { Version } from "./soap.ts";
import { readTopics, Updates } from "./topics.ts";

type Values = Readonly<Record<string, string>>;

const isUpdate = process.env.UPDATE_WIRE === "1";
const servers = new WireServers();
after(() => servers.close());

async function run(wireCase: WireCase, title: string, version: Version, updates: Updates): Promise<void> {
  const running = await servers.serverWith(wireCase.settings);
  const connection = { port: running.port, from: servers.nextClient() };
  let values: Values = { ...valuesOf(title, version), port: String(running.port), etag: "" };
  for (const step of wireCase.steps) {
    const request = toRequest(step.request, version, values);
    for (let sent = 0; sent < request.times; sent += 1) {
      const { text: actual, etag } = await exchange(connection, request);
      if (isUpdate) update(updates, step, { request, actual, values });
      else compare(step, { request, actual, values });
      values = { ...values, etag };
    }
    await compareStored(running, step, values);
  }
}

interface Seen {
  readonly request: Request;
  readonly actual: Bytes;
  readonly values: Values;
}

function compare(step: Step, { request, actual, values }: Seen): void {
  assert.notEqual(step.responses.length, 0, `line ${step.request.line}: UPDATE_WIRE=1 writes the response`);
  const expected = fill(bytes(toText(step.responses, request.about, values)), actual);
  if (expected === actual) return;
  assert.equal(utf8(actual), utf8(expected), `line ${step.responses[0]?.line}`);
  assert.fail(`the bytes differ, though they read the same: ${JSON.stringify([actual, expected])}`);
}

function update(updates: Updates, step: Step, { request, actual, values }: Seen): void {
  const isSame = ((): boolean => {
    try {
      compare(step, { request, actual, values });
      return true;
    } catch {
      return false;
    }
  })();
  if (isSame) return;
  const { address = "", port = "" } = values;
  const lines = toLines(utf8(actual), request.about).map((line) =>
    line.replaceAll(address, "{{address}}").replaceAll(`:${port}`, ":{{port}}"),
  );
  updates.add(step, lines);
}

const utf8 = (text: Bytes): string => Buffer.from(text, "latin1").toString("utf8");
const bytes = (text: string): Bytes => Buffer.from(text, "utf8").toString("latin1");

/** The expectation in the words of the response where its fragments stand in it, else as it was. */
function fill(expected: Bytes, actual: Bytes): Bytes {
  const mark = `\n\n${ANY}\n`;
  const at = expected.indexOf(mark);
  if (at === -1 || actual.slice(0, at + 2) !== expected.slice(0, at + 2)) return expected;
  let from = at + 2;
  for (const fragment of expected.slice(at + mark.length).split("\n")) {
    const found = actual.indexOf(fragment, from);
    if (found === -1) return expected;
    from = found + fragment.length;
  }
  return actual;
}

async function compareStored({ store }: Running, { stored }: Step, values: Values): Promise<void> {
  for (const { line, address: text, json } of stored) {
    const address = parseAddress(expand(text, values));
    assert.ok(address !== null, `line ${line}: ${text} is not an address`);
    const expected: unknown = JSON.parse(expand(json, values));
    const record = await store.read("subscriber", { account: 1, address });
    assert.deepEqual(asExpected(record, expected), expected, `line ${line}`);
  }
}

/** The named properties of the actual value, and all of an array. */
function asExpected(actual: unknown, expected: unknown): unknown {
  if (typeof actual === "bigint") return String(actual);
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((item, index) => asExpected(item, expected[index]));
  if (typeof actual !== "object" || actual === null || typeof expected !== "object" || expected === null)
    return actual;
  const named = new Map(Object.entries(actual));
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [name, asExpected(named.get(name), value)]),
  );
}

const topics = readTopics();
for (const { file, name, cases } of topics)
  describe(`${name} (${file})`, () => {
    const updates = new Updates(file);
    after(() => updates.write());
    for (const wireCase of cases)
      for (const { title, version } of runsOf(wireCase.title))
        test(title, () => run(wireCase, title, version, updates));
  });
