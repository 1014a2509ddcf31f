/** Compares what is stored about subscribers of the first account with what a case expects. */
import assert from "node:assert/strict";
import { parseAddress } from "#domain/address.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Values } from "./comparison.ts";
import { expand } from "./macros.ts";
import type { Stored } from "./parse.ts";

const FIRST_ACCOUNT = 1;

export async function assertStored(
  store: Store,
  stored: readonly Stored[],
  values: Values,
  place: string,
): Promise<void> {
  for (const { line, address: text, json } of stored) {
    const address = parseAddress(expand(text, values));
    assert.ok(address !== null, `${place}:${line}: ${text} is not an address`);
    const expected: unknown = JSON.parse(expand(json, values));
    const record = await store.subscribers.byAddress({ account: FIRST_ACCOUNT, address });
    assert.deepEqual(asExpected(record, expected), expected, `${place}:${line}`);
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
