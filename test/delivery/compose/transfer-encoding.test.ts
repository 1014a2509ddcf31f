/** Quoted-printable and base64: what is decoded is what was encoded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PartEncoder } from "../../../src/delivery/compose/transfer-encoding.ts";
import { decodeBody } from "./sample.ts";

const encoder = new PartEncoder();
const encoded = (text: string): { encoding: string; body: string } => {
  const { encoding, bytes } = encoder.encode(text);
  return { encoding, body: Buffer.from(bytes).toString("latin1") };
};
const decoded = (text: string): string => {
  const { encoding, body } = encoded(text);
  return decodeBody({ headers: new Map([["content-transfer-encoding", encoding]]), body });
};

/** Any, also half of a pair. */
const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

test("encodes what must be, and nothing else", () => {
  assert.equal(
    encoded("a=b \nFrom me\n\tx\t\r\n.é").body,
    "a=3Db=20\r\n=46rom me\r\n\tx=09\r\n=2E=C3=A9\r\n",
  );
  assert.equal(encoded("").body, "\r\n");
});

test("breaks long lines between characters", () => {
  const { body } = encoded(`${"x".repeat(74)}é${"y".repeat(80)}`);
  assert.deepEqual(body.split("\r\n"), [
    `${"x".repeat(74)}=`,
    `=C3=A9${"y".repeat(69)}=`,
    "y".repeat(11),
    "",
  ]);
});

test("escapes a From or a dot that a soft line break puts at the start of a line", () => {
  assert.match(encoded(`${"x".repeat(75)}From here`).body, /=\r\n=46rom here/);
  assert.match(encoded(`${"x".repeat(75)}.here`).body, /=\r\n=2Ehere/);
  assert.equal(encoded("From. Here.From").body, "From. Here.From\r\n");
});

test("escapes a blank at the end of a line, also of a full one", () => {
  assert.equal(encoded(`${"x".repeat(74)} \ny `).body, `${"x".repeat(74)}=\r\n=20\r\ny=20\r\n`);
  assert.equal(encoded(`${"x".repeat(75)} \n`).body, `${"x".repeat(75)}=\r\n=20\r\n`);
});

test("uses base64 for text that is mostly not ASCII", () => {
  const { encoding, body } = encoded("Привет, мир! ".repeat(50));
  assert.equal(encoding, "base64");
  assert.ok(body.split("\r\n").every(({ length }) => length <= 76));
  assert.equal(encoded("Größe und Maße im Übrigen").encoding, "quoted-printable");
});

test("can be decoded to the same text, in lines of at most 76 characters without a dot at their start", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "\n",
      "\r\n",
      " ",
      "\t",
      "=",
      "From ",
      ".",
      "é",
      "🌷",
      "я".repeat(40),
      "x".repeat(75),
      "\0",
    ),
    fc.string({ unit: character, maxLength: 100 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces
        .join("")
        .toWellFormed()
        .replaceAll(/\r(?!\n)/g, "");
      const expected = text.replaceAll(/\r?\n/g, "\r\n");
      assert.equal(decoded(text).replace(/\r\n$/, ""), expected.replace(/\r\n$/, ""));
      for (const line of encoded(text).body.split("\r\n")) {
        assert.ok(line.length <= 76);
        assert.doesNotMatch(line, /[ \t]$|^From |^\.|[^\t\x20-\x7e]/);
      }
    }),
    { numRuns: 300 },
  );
});
