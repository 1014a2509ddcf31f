/** Headings of a table, what they are mapped to, and files that are no tables. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Installation, type Ran } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
const path = (name: string): string => join(home.folder, name);
const take = (bytes: string | Buffer, ...more: readonly string[]): Promise<Ran> => {
  writeFileSync(path("table.csv"), bytes);
  return home.runHere(["import", "subscribers", path("table.csv"), "--list", "1", ...more]);
};
async function refuses(ran: Promise<Ran>, line: RegExp, code = 2): Promise<void> {
  const result = await ran;
  assert.match(result.err, line);
  assert.match(result.err, /^mailroll: [^\n]+\n$/);
  assert.equal(result.code, code);
}
const show = async (email: string): Promise<string> =>
  (await home.runHere(["subscriber", "show", email])).out;

before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  await home.runHere(["list", "create", "Members"]);
  await home.runHere(["field", "create", "Town", "--type", "STRING", "--id", "37328"]);
  await home.runHere(["field", "create", "Newsletter", "--type", "CONSENT"]);
});

describe("--map", () => {
  test("maps headings to columns, to fields by name and id, and to 'ignore'", async () => {
    const { code, err } = await take(
      "Kontakt,Rufn. = kurz,Ort,Werbung,email,Notiz\nada@example.org,Ada,Ulm,ja,old@example.org,x\n",
      ...["--map", "Kontakt=email", "--map", "Rufn. = kurz=first_name", "--map", "ort=37328"],
      ...["--map", "Werbung=newsletter", "--map", "email=ignore", "--map", "Notiz=Ignore"],
    );
    assert.deepEqual([code, err], [0, ""]);
    const ada = await show("ada@example.org");
    assert.match(ada, /First name +Ada\n/);
    assert.match(ada, /Town +Ulm /);
    assert.match(ada, /Newsletter +true /);
  });
  for (const [name, table, map, line] of [
    [
      "a heading that the table does not have",
      "email,Vorname\n",
      "Vornme=first_name",
      /--map names 'Vornme', but the file has no such column \(did you mean Vorname\?\); its columns are: email, Vorname/,
    ],
    [
      "a column that does not exist",
      "email,Rufname 2\n",
      "Rufname 2=first_nam",
      /--map names the column 'first_nam', which does not exist \(did you mean first_name\?\); there are: email, first_name, .*Town, Newsletter, ignore/,
    ],
    ["a pair without =", "email\n", "email", /--map takes HEADING=COLUMN; 'email' is not of that form/],
    [
      "a column that another heading means already",
      "email,x\n",
      "x=email",
      /the columns 'email' and 'x' map to the same data; ignore one with --map x=ignore/,
    ],
  ] as const)
    test(`refuses ${name}`, () => refuses(take(table, "--map", map), line));
  test("rejects the same heading twice", () =>
    refuses(take("email,x\n", "--map", "x=Town", "--map", "X=ignore"), /--map names 'x' twice/));
});

describe("an unknown heading", () => {
  test("is not guessed, however much it looks like a known one", () =>
    refuses(
      take("email,Vornahme,Geburtsdatum (privat),Lieblingsfarbe\n"),
      /unknown columns: 'Vornahme', 'Geburtsdatum \(privat\)', 'Lieblingsfarbe'\. For each of them: map it with --map .*create a field/,
    ));
  test("of what no import needs is left out, and named", async () => {
    const { code, err } = await take("email,Straße,PLZ\nkim@example.org,Weg 1,01067\n");
    assert.equal(code, 0);
    assert.match(
      err,
      /^these columns are not imported: 'Straße', 'PLZ'; to import one, create a custom field/,
    );
  });
  test("whose values are states is asked about by name when it is left out", async () => {
    const rows = ["Lage,Ort", "aktiv,bounced", "cleaned,Ulm", "cleaned,Ulm", "spam,Bonn"];
    const text = rows.map((row, n) => `${n === 0 ? "email" : `left${n}@example.org`},${row}\n`).join("");
    const { code, err } = await take(text, "--ignore-unknown", "--dry-run");
    assert.equal(code, 0);
    assert.match(
      err,
      /^the column 'Lage' seems to contain states, but is not imported: people with 'cleaned' \(2 rows\), 'spam' \(1 row\) become active, unless another column says otherwise/m,
    );
    assert.doesNotMatch(err, /'Ort' seems/);
    assert.doesNotMatch(
      (await take(text, "--map", "Lage=state", "--ignore-unknown", "--dry-run")).err,
      /looks/,
    );
  });
  test("can be mapped to the address", () =>
    refuses(
      take("Kontakt,Town\n"),
      /no column is named email; .*Kontakt, Town\. Map the right one with --map 'HEADING=email'/,
    ));
});

describe("a file that is not CSV", () => {
  for (const [name, bytes, line] of [
    [
      "an .xlsx",
      Buffer.from("PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml", "latin1"),
      /it is an Excel workbook \(\.xlsx\); open it in a spreadsheet program and save it as CSV/,
    ],
    [
      "an .ods",
      Buffer.from("PK\x03\x04\x14\0\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "latin1"),
      /OpenDocument spreadsheet \(\.ods\); .*save it as CSV/,
    ],
    ["another zip archive", Buffer.from("PK\x03\x04\x14\0a.txt", "latin1"), /it is a zip archive/],
    ["an .xls", Buffer.from("d0cf11e0a1b11ae10000", "hex"), /Excel workbook \(\.xls\); .*save it as CSV/],
    ["a PDF", "%PDF-1.7\n", /it is a PDF document; export the table as CSV/],
    ["a compressed file", gzipSync("email\na@example.org\n"), /it is compressed \(gzip\); decompress it/],
    ["a page", "\n<!DOCTYPE html><table>", /it is HTML or XML; .*save it as CSV/],
    ["a picture", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), /it is a binary file, not text/],
  ] as const)
    test(`such as ${name} is recognised`, () => refuses(take(bytes), line, 1));
  test("is not confused with UTF-16, which has zero bytes", async () => {
    const { code, err } = await take(Buffer.from("\ufeffemail\nutf@example.org\n", "utf16le"));
    assert.deepEqual([code, err], [0, ""]);
  });
});

test("a file with a header and no rows is imported, with a note", async () => {
  const { code, err } = await take("email,first_name\n");
  assert.equal(code, 0);
  assert.match(err, /table\.csv has a header, but no rows\n/);
});

test("a dry run writes no file, even with --rejected", async () => {
  const before = readdirSync(home.folder);
  const { code, err } = await take(
    `email\n${"x\n".repeat(12)}`,
    ...["--dry-run", "--rejected", path("wanted.csv")],
  );
  assert.equal(code, 1);
  assert.match(
    err,
    /line 2: 'x' is not .*\n(?:line .*\n){9}and 2 more\nmailroll: 12 rows would be rejected\n$/,
  );
  assert.deepEqual(readdirSync(home.folder), before);
});

test("addresses with display names are accepted in files and on the command line", async () => {
  assert.equal((await take('email\n"Lovelace, Bea <bea@example.org>"\nmailto:cy@example.org\n')).err, "");
  for (const email of ["bea@example.org", "Cy <cy@example.org>", "mailto:cy@example.org"])
    assert.match(await show(email), /^State +active$/m);
  await refuses(
    home.runHere(["subscriber", "show", "josé@example.org"]),
    /'josé@example\.org' is not an e-mail address: a character before the @ is not ASCII/,
  );
  await refuses(
    home.runHere(["subscriber", "add", "1", "dora@example..org"]),
    /InvalidEmail \(1\): .*The given address was dora@example\.\.org: its domain has two dots in a row\./,
    1,
  );
  assert.match(
    (await home.runHere(["subscriber", "add", "1", "Eve <eve@example.org>"])).out,
    /eve@example\.org/,
  );
  assert.match(
    (await home.runHere(["block", "add", "mailto:fay@example.org"])).out,
    /^fay@example\.org is on/,
  );
  await refuses(
    home.runHere(["block", "add", "@exa_mple.org"]),
    /cannot be blocked: its domain contains a character that is not allowed/,
  );
});
