import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/contract/faults.ts";
import { decodeBytes } from "../../src/soap/encoding.ts";
import { parseMediaType } from "../../src/soap/media-type.ts";

const text = '<?xml version="1.0"?><a>José 😀</a>';
const latin = "<a>José €</a>";
const latinBytes = Buffer.from(latin.replace("€", "\u0080"), "latin1");
const utf16 = (given: string, bigEndian = false, mark = "") => {
  const bytes = Buffer.from(mark + given, "utf16le");
  return bigEndian ? bytes.swap16() : bytes;
};

test("takes the charset of the Content-Type first", () => {
  const declared = Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>');
  assert.match(decodeBytes(declared, "utf-8").text, /<a>é</);
  assert.equal(decodeBytes(latinBytes, "windows-1252").text, latin);
  assert.equal(decodeBytes(latinBytes, "ISO-8859-1").text, latin);
  assert.equal(decodeBytes(utf16(text), "utf-16").text, text, "without a mark it is little-endian");
  assert.equal(decodeBytes(utf16(text, true, "\ufeff"), "utf-16").text, text);
  assert.equal(decodeBytes(utf16(text, true), "utf-16be").text, text);
  assert.equal(decodeBytes(Buffer.from("<a/>"), "us-ascii").text, "<a/>");
});

test("takes the byte order mark, then the XML declaration, then UTF-8", () => {
  assert.equal(decodeBytes(utf16(text, false, "\ufeff"), null).text, text);
  assert.equal(decodeBytes(utf16(text, true, "\ufeff"), null).text, text);
  assert.equal(decodeBytes(utf16(text), null).text, text);
  assert.equal(decodeBytes(utf16(text, true), null).text, text, "a zero byte before the < gives it away");
  assert.equal(decodeBytes(Buffer.from(`\ufeff${text}`), null).text, text);
  const declared = Buffer.from("<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>", "latin1");
  assert.match(decodeBytes(declared, null).text, /<a>é</);
  assert.equal(decodeBytes(Buffer.from(text), null).text, text);
});

test("reads Latin-1 that is declared as UTF-8, and reports the mismatch", () => {
  for (const charset of ["utf-8", "UTF8", null])
    assert.deepEqual(decodeBytes(latinBytes, charset), { text: latin, mislabelled: true });
  assert.equal(decodeBytes(Buffer.from(text), "utf-8").mislabelled, false);
});

test("rejects an unknown charset and invalid UTF-16 with a fault", () => {
  const code = (bytes: Buffer, charset: string) => {
    try {
      decodeBytes(bytes, charset);
    } catch (error) {
      return error instanceof Fault ? error.code : String(error);
    }
    return "none";
  };
  assert.equal(code(Buffer.from(text), "klingon"), "UnsupportedMediaType");
  assert.equal(code(Buffer.from([0x3c, 0x00, 0x00, 0xd8]), "utf-16"), "InvalidMessage");
});

test("reads a Content-Type in any letter case, with spaces and quotes", () => {
  assert.deepEqual(parseMediaType('Text/XML ; Charset="UTF-8"'), {
    type: "text/xml",
    charset: "UTF-8",
    action: null,
  });
  assert.deepEqual(parseMediaType('application/soap+xml;charset=utf-8;action="urn:a/b;c"'), {
    type: "application/soap+xml",
    charset: "utf-8",
    action: "urn:a/b;c",
  });
  assert.deepEqual(parseMediaType(""), { type: "", charset: null, action: null });
  assert.equal(parseMediaType("text/xml; charset=").charset, null);
});
