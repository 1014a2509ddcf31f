/** Decoding is the inverse of encoding: for any text and record, in both versions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { guessed, operation } from "#contract/service.ts";
import * as x from "#contract/xsd.ts";
import { answerWriter } from "#soap/reply/encode.ts";
import { escapeAttribute, escapeText } from "#soap/reply/escape.ts";
import { sequenceReader } from "#soap/request/decode.ts";
import { RequestReader } from "#soap/request/request-reader.ts";
import { soap11, soap12 } from "#soap/version.ts";

/** Any character that XML 1.0 can carry. */
const character = fc
  .integer({ min: 0x9, max: 0x10ffff })
  .filter(
    (code) =>
      code === 0x9 ||
      code === 0xa ||
      code === 0xd ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000,
  )
  .map((code) => String.fromCodePoint(code));
const special = fc.constantFrom("<", ">", "&", '"', "'", "\r", "\n", "]]>", "<![CDATA[", "&amp;", "é", "😀");
const text = fc.array(fc.oneof(character, special), { maxLength: 30 }).map((parts) => parts.join(""));

/** saxes drops white space at the ends of a namespace. */
const namespaceUri = text.map((inner) => `urn:${inner}:x`);

const Row = x.sequence("row", {
  Id: x.long,
  Name: x.string,
  Flag: x.boolean,
  At: x.dateTime,
  End: x.optionalDateTime,
});
const rows = fc.array(
  fc.record(
    {
      Id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      Name: text,
      Flag: fc.boolean(),
      At: fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9000, 0) }),
      End: fc.option(fc.integer({ min: 0, max: Date.UTC(9000, 0) })),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 5 },
);
const list = operation({
  doc: "",
  access: "read",
  shortNames: [guessed("L")],
  params: {},
  result: x.arrayOf(Row),
  example: { input: {}, output: [] },
});
const writer = answerWriter("L.Rows", list);

/**
 * The answer's result read as if it were a request's array parameter: the same types, the other direction.
 */
const reader = new RequestReader(
  new Map([["L.RowsResponse", sequenceReader({ "L.RowsResult": x.arrayOf(Row) })]]),
);
const anyNamespace = { expected: "urn:x", accepts: () => true };

test("reads encoded rows back unchanged", () => {
  fc.assert(
    fc.property(rows, fc.constantFrom(soap11, soap12), namespaceUri, (given, version, namespace) => {
      const message = reader.read(writer.whole(version, namespace, given), anyNamespace);
      assert.equal(message.problem, null);
      assert.equal(message.version, version);
      assert.equal(message.namespace, namespace);
      const read = message.input?.["L.RowsResult"] as readonly Record<string, unknown>[];
      assert.deepEqual(
        read.map((row) => ({
          ...row,
          At: (row.At as x.DateTime).epochMs,
          End: row.End === null ? null : (row.End as x.DateTime).epochMs,
        })),
        given,
      );
    }),
    { numRuns: 300 },
  );
});

test("encodes a streamed answer to the same bytes as a whole one", () => {
  fc.assert(
    fc.property(rows, rows, (first, second) => {
      fc.pre(first.length + second.length > 0);
      assert.equal(
        writer.start(soap11, "urn:x") + writer.rows(first) + writer.rows(second) + writer.end(soap11),
        writer.whole(soap11, "urn:x", [...first, ...second]),
      );
    }),
  );
});

const Line = x.sequence("line", { Name: x.string, At: x.dateTime, Note: x.string });
const lines = fc.array(
  fc.record(
    { Name: text, At: fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9000, 0) }), Note: text },
    { noNullPrototype: true },
  ),
  { maxLength: 5 },
);

test("encodes a record by its form to the same bytes as by its encoder", () => {
  const lineWriter = answerWriter(
    "L.Lines",
    operation({ ...list, optional: [], result: x.arrayOf(Line), example: { input: {}, output: [] } }),
  );
  assert.ok(lineWriter.form);
  const { start, end, fields, escapes } = lineWriter.form;
  const written = (value: string | number): string =>
    typeof value === "number"
      ? x.writeDateTime(value)
      : escapes.reduce((text, [one, other]) => text.replaceAll(one, other), value);
  fc.assert(
    fc.property(lines, (given) => {
      const byForm = given.map((line) => {
        const values: Readonly<Record<string, string | number>> = line;
        const inside = fields.map((field) => {
          const value = values[field.name] ?? "";
          return value === "" ? field.empty : field.start + written(value) + field.end;
        });
        return start + inside.join("") + end;
      });
      assert.equal(byForm.join(""), lineWriter.rows(given));
    }),
  );
});

test("escapes text and attributes so that an XML parser reads them back unchanged", () => {
  fc.assert(
    fc.property(text, text, (content, attribute) => {
      let seen = "";
      let value: string | undefined;
      const parser = new SaxesParser({ xmlns: false });
      parser.on("text", (part) => {
        seen += part;
      });
      parser.on("opentag", (tag) => {
        value = tag.attributes.a as string | undefined;
      });
      parser.write(`<r a="${escapeAttribute(attribute)}">${escapeText(content)}</r>`).close();
      assert.equal(seen, content);
      assert.equal(value, attribute);
    }),
  );
});
