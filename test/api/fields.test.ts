import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldCollection } from "#api/v1/fields.ts";
import type { Field } from "#domain/field/field.ts";

const written = async (...pages: readonly (readonly Field[])[]): Promise<string> =>
  (
    await Array.fromAsync(
      fieldCollection(
        "http://x",
        (async function* () {
          yield* pages;
        })(),
      ),
    )
  ).join("");
const field = (id: bigint): Field => ({ id, name: 'A "name"', type: "GDPR", isPrivate: true, createdAt: 0 });

test("writes an id beyond the precision of a floating-point number with all its digits", async () => {
  assert.match(
    await written([field(9007199254740993n)]),
    /^\{"items":\[\{"FieldId":9007199254740993,"Name":"A \\"name\\"","IsPrivate":true,"DataType":"GDPR"\}\],/,
  );
});

test("joins pages into one collection, and no pages into an empty one", async () => {
  for (const [pages, count] of [
    [[], 0],
    [[[field(1n), field(2n)], [field(3n)]], 3],
  ] as const) {
    const { items, _links } = JSON.parse(await written(...pages)) as { items: unknown[]; _links: unknown[] };
    assert.equal(items.length, count);
    assert.equal(_links.length, 2);
  }
});
