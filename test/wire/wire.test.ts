/**
 * The interface, byte for byte: runs the cases of `cases/`, which README.md explains. Every case comes from
 * a client address of its own, so that none is rate-limited for the failures of another.
 *
 * UPDATE_WIRE=1 writes the responses. Read each one before you keep it.
 */
import { after, describe, test } from "node:test";
import { runsOf, valuesOf } from "./kit/case-values.ts";
import { assertExpected, isExpected, linesOf, type Values } from "./kit/comparison.ts";
import { exchange } from "./kit/exchange.ts";
import type { WireCase } from "./kit/parse.ts";
import { toRequest } from "./kit/request.ts";
import { WireServers } from "./kit/servers.ts";
import type { Version } from "./kit/soap.ts";
import { assertStored } from "./kit/stored.ts";
import { readTopics, Updates } from "./kit/topics.ts";

const isUpdate = process.env.UPDATE_WIRE === "1";
const servers = new WireServers();
after(() => servers.close());

interface Run {
  readonly wireCase: WireCase;
  readonly title: string;
  readonly version: Version;
  /** The file of the case. */
  readonly place: string;
  readonly updates: Updates;
}

async function run({ wireCase, title, version, place, updates }: Run): Promise<void> {
  const { port, store } = await servers.serverWith(wireCase.settings);
  const connection = { port, from: servers.nextClient() };
  let values: Values = { ...valuesOf(title, version), port: String(port), etag: "" };
  for (const step of wireCase.steps) {
    const request = toRequest(step.request, version, values);
    for (let sent = 0; sent < request.times; sent += 1) {
      const { text: actual, etag } = await exchange(connection, request);
      const exchanged = { step, request, actual, values };
      if (!isUpdate) assertExpected(exchanged, place);
      else if (!isExpected(exchanged)) updates.add(step, linesOf(exchanged));
      values = { ...values, etag };
    }
    await assertStored(store, step.stored, values, place);
  }
}

for (const { file: place, path, name, cases } of readTopics())
  describe(`${name} (${place})`, () => {
    const updates = new Updates(path);
    after(() => updates.write());
    for (const wireCase of cases)
      for (const { title, version } of runsOf(wireCase.title))
        test(title, () => run({ wireCase, title, version, place, updates }));
  });
