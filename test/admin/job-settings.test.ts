/** What a job keeps of the settings of an import. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsOf, storedSettings } from "#admin/imports/start-import.ts";

const format = {
  separator: ";",
  encoding: null,
  sheet: "People",
  dates: [{ heading: "Born", order: "dmy" as const }],
};
const contents = (heading: string) => ({
  kind: "subscribers" as const,
  ...{
    list: 1,
    overwrite: false,
    ignoresUnknown: true,
    isStrict: true,
    hasHeader: false,
    map: [{ heading, column: "Email" }],
  },
});

test("a job keeps the settings of its import, so that they can be taken again", () => {
  const given = { format, contents: contents("Correo") };
  assert.deepEqual(settingsOf({ result: { settings: storedSettings(given) } }), given);
});

test("a job keeps nothing of a table without a header, whose headings are the data of a person", () => {
  assert.equal(storedSettings({ format, contents: contents("ada@example.org") }), null);
});
