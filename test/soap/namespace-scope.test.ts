/** Prefixes looked up by us mean what they mean to saxes, which looks through every open element. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { ScopedParser } from "../../src/soap/document-reader.ts";

const prefix = fc.constantFrom("", "a", "b", "xml");
const declaration = fc
  .tuple(fc.constantFrom("xmlns", "xmlns:a", "xmlns:b"), fc.constantFrom("urn:1", "urn:2", " urn:3 ", ""))
  .map(([name, uri]) => ` ${name}="${uri}"`);
const named = fc
  .tuple(prefix, fc.constantFrom("x", "y"))
  .map(([before, name]) => (before === "" ? name : `${before}:${name}`));
const attributes = fc
  .tuple(fc.uniqueArray(declaration, { maxLength: 2 }), fc.uniqueArray(named, { maxLength: 2 }))
  .map(([declared, names]) => declared.join("") + names.map((name) => ` ${name}="v"`).join(""));
const elements = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(named, attributes, inner), { maxLength: 2 })
    .map((some) =>
      some
        .map(([name, given, within]) =>
          within === "" ? `<${name}${given}/>` : `<${name}${given}>${within}</${name}>`,
        )
        .join(""),
    );
const content = elements(elements(elements(fc.constantFrom("", " "))));

type Parser = Pick<SaxesParser<{ xmlns: true }>, "on" | "write">;
function namesIn(parser: Parser, text: string, opened: () => void): string[] {
  const names: string[] = [];
  parser.on("opentag", ({ uri, local, attributes: given }) => {
    opened();
    const written = Object.values(given).map((attribute) => `{${attribute.uri}}${attribute.local}`);
    names.push(`{${uri}}${local} ${written.join(" ")}`);
  });
  try {
    parser.write(text).close();
  } catch (error) {
    names.push((error as Error).message);
  }
  return names;
}

test("in any document, declared anywhere and again, and after each element that hid one", () => {
  const document = fc
    .tuple(attributes, content, content)
    .map(([given, inner, rest]) => `<r xmlns:a="urn:a" xmlns:b="urn:b"><r${given}>${inner}</r>${rest}</r>`);
  fc.assert(
    fc.property(document, (text) => {
      const ours = new ScopedParser();
      ours.on("attribute", (attribute) => ours.scope.see(attribute));
      ours.on("closetag", () => ours.scope.close());
      assert.deepEqual(
        namesIn(ours, text, () => ours.scope.open()),
        namesIn(new SaxesParser({ xmlns: true }), text, () => {}),
      );
    }),
    { numRuns: 2000 },
  );
});
