/** Quoted-printable and base64: what is decoded is what was encoded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PartEncoder } from "#delivery/mime/transfer-encoding.ts";
import { decodeBody } from "./sample.ts";

const encoder = new PartEncoder();
const encoded = (text: string): { encoding: string; body: string } => {
  const { encoding, bytes } = encoder.encode(text);
  return { encoding, body: Buffer.from(bytes).toString("latin1") };
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

const plain = fc.array(piece, { maxLength: 30 }).map((pieces) =>
  pieces
    .join("")
    .toWellFormed()
    .replaceAll(/\r(?!\n)/g, ""),
);
function check(by: PartEncoder, text: string): void {
  const { encoding, bytes } = by.encode(text);
  const body = Buffer.from(bytes).toString("latin1");
  const found = decodeBody({ headers: new Map([["content-transfer-encoding", encoding]]), body });
  assert.equal(found.replace(/\r\n$/, ""), text.replaceAll(/\r?\n/g, "\r\n").replace(/\r\n$/, ""));
  assert.ok(body.endsWith("\r\n"));
  for (const line of body.split("\r\n")) {
    assert.ok(line.length <= 76);
    assert.doesNotMatch(line, /[ \t]$|^From |^\.|[^\t\x20-\x7e]/);
  }
}

test("can be decoded to the same text, in lines of at most 76 characters without a dot at their start", () => {
  fc.assert(
    fc.property(plain, (text) => check(encoder, text)),
    { numRuns: 300 },
  );
});

test("encodes texts that parts share once, wherever they are, and also if some are missing", () => {
  const long = plain.map((text) => `${text}${"shared ".repeat(30)}${text}`);
  fc.assert(
    fc.property(
      fc.array(long, { maxLength: 3 }),
      fc.array(plain, { maxLength: 4 }),
      fc.nat(),
      (shared, own, n) => {
        const by = new PartEncoder(shared);
        for (const left of [-1, n % 4, -1]) {
          const all = own.flatMap((text, at) => [text, at === left ? "" : (shared[at] ?? "")]);
          check(by, all.join(""));
        }
      },
    ),
    { numRuns: 300 },
  );
  const by = new PartEncoder(["Hello. ".repeat(100)]);
  assert.match(
    Buffer.from(by.encode(`Ada.${"Hello. ".repeat(100)}Bye.\n`).bytes).toString(),
    /^Ada\.=\r\nHello\. .*=\r\nBye\.\r\n$/s,
  );
});

test("does not divide a line break", () => {
  const text = "x".repeat(300);
  check(new PartEncoder([`${text}\r`]), `a${text}\r\nb`);
  check(new PartEncoder([`\n${text}`]), `a\r\n${text}b`);
});
