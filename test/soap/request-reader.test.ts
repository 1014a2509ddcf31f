/** Reading messages with a toy contract: structure, limits, and which problem is reported first. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Fault } from "#contract/faults.ts";
import { string } from "#contract/xsd.ts";
import { sequenceReader } from "#soap/request/decode.ts";
import { RequestReader } from "#soap/request/request-reader.ts";
import { soap11, soap12 } from "#soap/version.ts";
import { toyService } from "../toy-contract.ts";

const NS = "urn:toys";
const reader = new RequestReader(
  new Map(Object.entries(toyService.operations).map(([name, { params }]) => [name, sequenceReader(params)])),
);
const namespaces = { expected: NS, accepts: (ns: string) => ns === NS };
const read = (text: string) => reader.read(text, namespaces);
const envelope = (body: string, header = "", version = soap11) =>
  `<e:Envelope xmlns:e="${version.namespace}">${header}<e:Body>${body}</e:Body></e:Envelope>`;
const put = (params: string) => envelope(`<Toy.Put xmlns="${NS}"><Colour>RED</Colour>${params}</Toy.Put>`);
const input = (params: string) => {
  const { problem, input: given } = read(put(params));
  assert.equal(problem, null, problem?.fault.message);
  return given ?? {};
};
const codeOf = (text: string) => {
  try {
    return read(text).problem?.fault.code ?? "none";
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error.code;
  }
};

describe("parameter values", () => {
  test("tells any number of fields apart, and takes the first of repeated ones", () => {
    const names = Array.from({ length: 70 }, (_, n) => `Field${n}`);
    const wide = new RequestReader(
      new Map([["Toy.Wide", sequenceReader(Object.fromEntries(names.map((name) => [name, string])))]]),
    );
    const elements = (value: string): string =>
      names.map((name) => `<${name}>${value} of ${name}</${name}>`).join("");
    const text = envelope(`<Toy.Wide xmlns="${NS}">${elements("first")}${elements("second")}</Toy.Wide>`);
    assert.deepEqual(
      wide.read(text, namespaces).input,
      Object.fromEntries(names.map((name) => [name, `first of ${name}`])),
    );
  });
  test("reads a missing, empty or nil value as not given", () => {
    for (const size of [
      "",
      "<Size/>",
      "<Size> </Size>",
      '<Size xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true">3</Size>',
    ])
      assert.equal(input(size).Size, null, size);
  });
  test("reads a value from text, CDATA, entities and around comments", () => {
    assert.equal(
      input("<Token>a<![CDATA[<b>]]>&amp;&#x1F600;<!-- no --><?pi no?>c</Token>").Token,
      "a<b>&😀c",
    );
    assert.equal(input("<Size>1<!-- -->2</Size>").Size, 12);
  });
  test("takes the first of several elements of one parameter", () =>
    assert.equal(input("<Size>1</Size><Size>2</Size>").Size, 1));
  test("accepts parameters in no namespace or with a prefix", () => {
    assert.equal(input('<Size xmlns="">4</Size>').Size, 4);
    assert.equal(input(`<p:Size xmlns:p="${NS}">5</p:Size>`).Size, 5);
    assert.equal(input('<Size xmlns="urn:other">6</Size>').Size, null);
  });
  test("reads the declared records of an array and ignores others", () =>
    assert.deepEqual(
      input(
        "<Parts><part><PartId>9007199254740993</PartId><Colour>RED</Colour></part><other/><part><Label>x</Label><Colour>RED</Colour><Extra><Label>y</Label></Extra></part></Parts>",
      ).Parts,
      [
        { PartId: 9007199254740993n, Label: null, Colour: "RED" },
        { PartId: null, Label: "x", Colour: "RED" },
      ],
    ));
  test("reports an invalid value with its name, text, expected type and line", () => {
    const { problem } = read(put(`\n\n<Size>${"9".repeat(150)}</Size>`));
    assert.equal(problem?.fault.code, "InvalidParameter");
    assert.equal(
      problem.fault.message,
      `Size (line 3): "${"9".repeat(100)}…" is not an unsignedByte, a whole number from 0 to 255.`,
    );
  });
  test("rejects elements where text is expected", () =>
    assert.equal(codeOf(put("<Token><b>bold</b></Token>")), "InvalidParameter"));
  test("rejects an array that holds something but none of its records", () => {
    for (const parts of ["<item>1</item>", "1=London", "<Part><Label>x</Label></Part>"])
      assert.equal(codeOf(put(`<Parts>${parts}</Parts>`)), "InvalidParameter", parts);
    for (const parts of ["", " \n ", "<!-- none -->"])
      assert.deepEqual(input(`<Parts>${parts}</Parts>`).Parts, []);
  });
  test("rejects a record outside of its array, but ignores that name in another namespace", () => {
    const { problem } = read(put("\n<part><Colour>RED</Colour></part>"));
    assert.equal(problem?.fault.message, "part (line 2) must be inside Parts.");
    assert.equal(problem.fault.code, "InvalidParameter");
    assert.deepEqual(input('<part xmlns="urn:other"/>').Parts, null);
  });
  test("rejects a value that is only referred to", () => {
    const encoding = 'xmlns:c="http://www.w3.org/2003/05/soap-encoding"';
    for (const params of [
      '<Token href="#id0"/>',
      `<Token ${encoding} c:ref="#id0"/>`,
      '<Parts href="#id0"/>',
      '<Parts><part href="#id0"/></Parts>',
    ])
      assert.match(
        read(put(params)).problem?.fault.message ?? "",
        /^(?:Token|Parts|part) \(line 1\) refers to "#id0"\. References are not followed: /,
      );
    assert.equal(input('<Token href="urn:no-reference">x</Token>').Token, "x");
    assert.equal(codeOf(envelope(`<Toy.Put xmlns='${NS}' href="#id0"/>`)), "InvalidParameter");
  });
  test("accepts at most 10,000 records in an array", () => {
    const parts = (count: number) =>
      put(`<Parts>${"<part><Colour>RED</Colour></part>".repeat(count)}</Parts>`);
    assert.equal(codeOf(parts(10_000)), "none");
    const { problem } = read(parts(10_001));
    assert.equal(problem?.fault.message, "Parts (line 1) holds more than 10000 records.");
  });
  test("requires a value for an enumeration", () => {
    const without = envelope(`<Toy.Put xmlns="${NS}"><Colour> </Colour></Toy.Put>`);
    assert.match(
      read(without).problem?.fault.message ?? "",
      /^Colour is required: give one of RED, GREEN & BLUE\.$/,
    );
  });
});

describe("the first in rank of several problems is reported", () => {
  const bad = "<Size>x</Size>";
  const header = '<e:Header><h:H xmlns:h="urn:h" e:mustUnderstand="1"/></e:Header>';
  const rows: readonly (readonly [string, string, string])[] = [
    ["XML before all", `<x:Envelope xmlns:x="urn:no"><`, "InvalidMessage"],
    ["the version before the rest", `<x:Envelope xmlns:x="urn:no"><Body/></x:Envelope>`, "VersionMismatch"],
    [
      "two operations before a header",
      envelope(`<Toy.Put xmlns='${NS}'/><Toy.Put xmlns='${NS}'/>`, header),
      "InvalidMessage",
    ],
    ["a header before the namespace", envelope("<Toy.Put xmlns='urn:a'/>", header), "MustUnderstand"],
    ["the namespace before the operation", envelope("<Nope xmlns='urn:a'/>"), "UnknownNamespace"],
    [
      "the operation before its parameters",
      envelope(`<Nope xmlns='${NS}'>${bad}</Nope>`),
      "UnknownOperation",
    ],
    ["malformed XML before an invalid parameter", put(bad).replace("</e:Envelope>", ""), "InvalidMessage"],
  ];
  for (const [name, text, code] of rows) test(`reports ${name}`, () => assert.equal(codeOf(text), code));
});

describe("envelopes", () => {
  test("rejects an envelope without a Body, with two, and a document that is no envelope", () => {
    const open = `<e:Envelope xmlns:e="${soap11.namespace}">`;
    assert.equal(codeOf(`${open}</e:Envelope>`), "InvalidMessage");
    assert.equal(codeOf(`${open}<e:Body/><e:Body/></e:Envelope>`), "InvalidMessage");
    assert.equal(codeOf("<Envelope2/>"), "InvalidMessage");
    assert.equal(codeOf(""), "InvalidMessage");
  });
  test("reports a missing operation for an empty Body", () =>
    assert.equal(codeOf(envelope("")), "UnknownOperation"));
  test("ignores further elements of the Body that are no operation", () => {
    const more = '<multiRef id="id0">x</multiRef><Toy.Put xmlns="urn:other"><Token>no</Token></Toy.Put>';
    const {
      problem,
      operation,
      input: given,
    } = read(put("<Token>yes</Token>").replace("</e:Body>", `${more}$&`));
    assert.deepEqual([problem, operation, given?.Token], [null, "Toy.Put", "yes"]);
  });
  test("takes the SOAP version from the envelope", () => {
    assert.equal(read(envelope("")).version, soap11);
    assert.equal(read(envelope("", "", soap12)).version, soap12);
  });
  test("accepts headers without effect and headers for another role", () => {
    const harmless = [
      '<a:Action xmlns:a="http://www.w3.org/2005/08/addressing" e:mustUnderstand="1">x</a:Action>',
      '<a:To xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" e:mustUnderstand="1">x</a:To>',
      '<Action xmlns="http://schemas.microsoft.com/ws/2005/05/addressing/none" e:mustUnderstand="1">x</Action>',
      '<h:H xmlns:h="urn:h" e:mustUnderstand="0"/>',
      '<h:H xmlns:h="urn:h" e:mustUnderstand="1" e:actor="urn:somebody-else"/>',
    ];
    const body = `<Toy.Put xmlns="${NS}"><Colour>RED</Colour></Toy.Put>`;
    for (const header of harmless)
      assert.equal(codeOf(envelope(body, `<e:Header>${header}</e:Header>`)), "none", header);
    assert.equal(
      codeOf(envelope(body, '<e:Header><h:H xmlns:h="urn:h" e:mustUnderstand="true"/></e:Header>')),
      "MustUnderstand",
    );
  });
});

describe("messages that would be expensive to parse are refused", () => {
  const rows: Readonly<Record<string, string>> = {
    "a DTD": `<!DOCTYPE x>${put("")}`,
    "an entity of its own": `<!DOCTYPE x [<!ENTITY a "b">]>${put("<Token>&a;</Token>")}`,
    "an undefined entity": put("<Token>&nbsp;</Token>"),
    "65 levels": put(`${"<a>".repeat(65)}${"</a>".repeat(65)}`),
    "65 attributes": put(`<a ${Array.from({ length: 65 }, (_, i) => `a${i}=""`).join(" ")}/>`),
    "a name over 1 KiB": put(`<${"n".repeat(1025)}/>`),
    "an attribute's name over 1 KiB": put(`<a ${"n".repeat(1025)}=""/>`),
    "a character that XML has not": put("<Token>&#1;</Token>"),
    "such a character behind XML 1.1": `<?xml version="1.1"?>${put("<Token>&#1;</Token>")}`,
    "an unbound prefix": put("<p:x/>"),
    "two roots": `${put("")}<x/>`,
  };
  for (const [name, text] of Object.entries(rows))
    test(`rejects ${name}`, () => assert.equal(codeOf(text), "InvalidMessage"));
  test("accepts 60 levels and 64 attributes", () => {
    assert.equal(codeOf(put(`${"<a>".repeat(60)}${"</a>".repeat(60)}`)), "none");
    assert.equal(codeOf(put(`<a ${Array.from({ length: 64 }, (_, i) => `a${i}=""`).join(" ")}/>`)), "none");
  });
});

test("reads the next message after a refused one without leftovers", () => {
  for (const broken of [
    "<",
    put("<Size>x</Size>"),
    `<!DOCTYPE x>${put("")}`,
    `<e:Envelope xmlns:e="urn:no"/>`,
  ]) {
    codeOf(broken);
    assert.equal(input("<Size>8</Size>").Size, 8);
  }
});
