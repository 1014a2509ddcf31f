import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#contract/faults.ts";
import { decodeBytes, decodeChunks } from "#soap/request/encoding.ts";
import { parseMediaType } from "#soap/request/media-type.ts";

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
  for (const charset of ["utf-8", "UTF8", "unicode-1-1-utf-8", "x-unicode20utf8", null])
    assert.deepEqual(decodeBytes(latinBytes, charset), { text: latin, mislabelled: true });
  assert.equal(decodeBytes(Buffer.from(text), "utf-8").mislabelled, false);
});

test("ASCII and unknown charsets are decoded as UTF-8, or as windows-1252 where the bytes are not UTF-8", async () => {
  const whole = (bytes: Buffer, charset: string) => decodeBytes(bytes, charset);
  const inPieces = async (bytes: Buffer, charset: string) => {
    const pieces = [bytes.subarray(0, 8), bytes.subarray(8)];
    const { slices, mislabelled } = await decodeChunks(pieces, charset, { isGone: false });
    return { text: slices.join(""), mislabelled };
  };
  for (const decode of [whole, inPieces])
    for (const charset of ["us-ascii", "ASCII", "ANSI_X3.4-1968", "klingon", "cp65001", "X-User-Defined"]) {
      assert.deepEqual(await decode(Buffer.from(text), charset), { text, mislabelled: true });
      assert.deepEqual(await decode(latinBytes, charset), { text: latin, mislabelled: true });
      assert.deepEqual(await decode(Buffer.from("<plain/>"), charset), {
        text: "<plain/>",
        mislabelled: false,
      });
    }
});

test("a byte order mark wins over a charset that contradicts it", async () => {
  for (const bytes of [
    utf16(text, false, "\ufeff"),
    utf16(text, true, "\ufeff"),
    Buffer.from(`\ufeff${text}`),
  ])
    for (const charset of ["utf-8", "iso-8859-1", "utf-16le", "utf-16be", "us-ascii", "klingon", "ibm850"]) {
      assert.deepEqual(decodeBytes(bytes, charset), { text, mislabelled: false });
      const { slices } = await decodeChunks([bytes.subarray(0, 6), bytes.subarray(6)], charset, {
        isGone: false,
      });
      assert.equal(slices.join(""), text);
    }
});

test("refuses a charset that is known and cannot be decoded, whatever is in the message", async () => {
  const known =
    "IBM850 cp437 cp_936 ibm037 x-cp20261 windows-932 utf-7 UTF7 unicode-1-1-utf-7 utf-32 UTF-32LE UCS-4";
  for (const charset of [
    ...known.split(" "),
    "iso-10646-ucs-4",
    "EBCDIC-CP-DE",
    "iso-2022-kr",
    "x-mac-greek",
  ]) {
    const refused = {
      code: "InvalidMessage",
      message: new RegExp(`^The charset "${charset}" cannot be deco`),
    };
    assert.throws(() => decodeBytes(latinBytes, charset), refused);
    assert.throws(() => decodeBytes(Buffer.from("<plain/>"), charset), refused);
    assert.throws(
      () => decodeBytes(Buffer.from(`<?xml version="1.0" encoding="${charset}"?><a/>`), null),
      refused,
    );
    await assert.rejects(decodeChunks([latinBytes, latinBytes], charset, { isGone: false }), refused);
  }
});

test("a declaration that is readable as ASCII does not mean UTF-16, by whichever label it says so", () => {
  for (const label of [
    "utf-16",
    "UTF-16BE",
    "unicode",
    "UCS-2",
    "iso-10646-ucs-2",
    "csUnicode",
    "unicodeFFFE",
  ]) {
    const declared = `<?xml version="1.0" encoding="${label}"?><a>José</a>`;
    assert.deepEqual(decodeBytes(Buffer.from(declared), null), { text: declared, mislabelled: false }, label);
  }
  assert.equal(decodeBytes(utf16(text), "unicode").text, text);
  assert.equal(decodeBytes(utf16(text, true), "unicodefffe").text, text);
});

test("broken UTF-16 is an InvalidMessage", () => {
  assert.throws(
    () => decodeBytes(Buffer.from([0x3c, 0x00, 0x00, 0xd8]), "utf-16"),
    (error) => error instanceof Fault && error.code === "InvalidMessage",
  );
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
  for (const written of ["utf-8", '"utf-8"', "'utf-8'", '"utf-8', "utf-8'", "\"'utf-8'\""])
    assert.equal(parseMediaType(`text/xml; charset=${written}`).charset, "utf-8", written);
  for (const written of ["''", '""', "'"])
    assert.equal(parseMediaType(`text/xml; charset=${written}`).charset, null, written);
});
