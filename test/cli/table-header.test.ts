/** Headings of a table, what they are mapped to, and files that are no tables. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { productLabels } from "#transfer/table/products.ts";
import { workbookOf, zipOf } from "../workbook/write-workbook.ts";
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
    assert.deepEqual(
      [code, err],
      [0, "as it was chosen, these columns are not imported: 'email', 'Notiz'\n"],
    );
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
      /--map: the file has no column 'Vornme' \(did you mean Vorname\?\); its columns are: email, Vorname/,
    ],
    [
      "a column that does not exist",
      "email,Rufname 2\n",
      "Rufname 2=first_nam",
      /--map: there is no column 'first_nam' to map to \(did you mean first_name\?\); there are: email, first_name, .*Town, Newsletter, ignore/,
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
    refuses(
      take("email,x\n", "--map", "x=Town", "--map", "X=ignore"),
      /--map: the heading 'x' is mapped twice/,
    ));
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
  describe("of a table with at least three usual ones beside the address", () => {
    const table = (heading: string, ...cells: readonly string[]): string =>
      [
        ["email", "Vorname", "Nachname", "PLZ", heading],
        ...cells.map((cell, n) => [`own${n}@example.org`, "A", "B", "1", cell]),
      ]
        .map((row) => `${row.join(",")}\n`)
        .join("");
    test("is left out, and named", async () => {
      const { code, err } = await take(table("Rabatt", "5 %", ""));
      assert.equal(code, 0);
      assert.match(err, /^these columns are not imported: 'PLZ', 'Rabatt'; to import one/);
    });
    test("with yes and no is left out with the advice that it may say who wants mail", async () => {
      const { code, err } = await take(table("Stammkunde", "ja", "nein"));
      assert.equal(code, 0);
      assert.match(err, /^there is yes or no in 'Stammkunde': if such a column says who wants mail, map it/m);
    });
    test("can be mapped to what somebody wants", async () => {
      const asked = take(table("Werbung ok?", "ja", "nein"));
      await refuses(
        asked,
        /If 'Werbung ok\?' says who wants mail, with yes or no, add --map 'Werbung ok\?=consent'/,
      );
      assert.equal((await take(table("Werbung ok?", "ja", "nein"), "--map", "Werbung ok?=consent")).code, 0);
      assert.match(await show("own1@example.org"), /unsubscribed/);
      assert.doesNotMatch(await show("own0@example.org"), /unsubscribed/);
      const ignoring = await take(table("Werbung ok?", "ja", "nein"), "--ignore-unknown", "--dry-run");
      assert.match(
        ignoring.err,
        /'Werbung ok\?' seems to say who must not be mailed, but is not imported: people with 'nein' \(1 row\)/,
      );
    });
    test("is not left out unasked if its name may say who must not be mailed", async () => {
      for (const heading of [
        "Newsletter-Abmeldung",
        "Kundenstatus",
        "Werbewiderspruch",
        "No publicidad",
        "Do not email",
        "Aktiv",
      ])
        await refuses(take(table(heading, "x")), new RegExp(`unknown columns: '${heading}'\\.`));
      assert.equal((await take(table("Kundenstatus", "x"), "--map", "Kundenstatus=ignore")).code, 0);
    });
    test("is not left out unasked if its values say who must not be mailed", async () => {
      const rows = table("Lage,Stand", ...["aktiv,aktiv", "gesperrt,aktiv", "gesperrt,aktiv"]);
      const told =
        /people with 'gesperrt' \(2 rows\) in the column 'Lage' would become active; if they must not be mailed, map the column with --map Lage=state, otherwise ignore it with --map Lage=ignore/;
      await refuses(take(rows), told);
      await refuses(take(rows, "--dry-run"), told);
      assert.equal((await take(rows, "--map", "Lage=ignore")).code, 0);
      assert.match(await show("own2@example.org"), /State +active/);
      assert.equal((await take(rows, "--map", "Lage=state")).code, 0);
      assert.match(await show("own2@example.org"), /blocked/);
    });
  });
  test("whose values are states is asked about by name when it is left out", async () => {
    const rows = ["Lage,Stand,Ort", "aktiv,aktiv,bounced", "cleaned,aktiv,Ulm", "cleaned,aktiv,Ulm"];
    const more = [...rows, "spam,aktiv,Bonn"];
    const text = more.map((row, n) => `${n === 0 ? "email" : `left${n}@example.org`},${row}\n`).join("");
    const { code, err } = await take(text, "--ignore-unknown", "--dry-run");
    assert.equal(code, 0);
    assert.match(
      err,
      /^the column 'Lage' seems to say who must not be mailed, but is not imported: people with 'cleaned' \(2 rows\), 'spam' \(1 row\) become active, unless another column says otherwise/m,
    );
    assert.doesNotMatch(err, /'Ort' seems/);
    assert.doesNotMatch(
      (await take(text, "--map", "Lage=state", "--ignore-unknown", "--dry-run")).err,
      /'Lage' seems/,
    );
  });
  describe("whose first values nearly all are of one kind", () => {
    const countries = ["DE", "FR", "IT", "ES"];
    const rows = Array.from({ length: 40 }, (_, n) => [
      ...[`seen${n}@example.org`, countries[n % 4], n % 2 === 0 ? "Frau" : "Herr"],
      ...[n === 3 ? "gesperrt" : n === 4 ? "pendiente" : "aktiv", "2020-01-01", "2021-01-01"],
    ]);
    const header = ["Kontakt", "Markt", "Wer", "Lage", "unsubscribed_at", "subscribed_at"];
    const text = [header, ...rows].map((row) => `${row.join(",")}\n`).join("");
    test("is that, as in the console, and the import says so", async () => {
      const { code, err } = await take(text);
      assert.equal(code, 0);
      for (const [heading, column] of ["email", "country", "gender", "state"].entries())
        assert.match(err, new RegExp(`^the column '${header[heading]}' is read as ${column}, because`, "m"));
      assert.match(await show("seen1@example.org"), /Gender +M\n[\s\S]*Country +FR\n/);
      assert.match(await show("seen3@example.org"), /blocked/);
    });
    test("makes nobody active whom a date says not to mail", async () => {
      // With a column that is called state, they would have subscribed again.
      assert.match(await show("seen1@example.org"), /State +unsubscribed/);
      assert.match(await show("seen4@example.org"), /State +unsubscribed/);
    });
    test("is never the same as another column, and --map comes first", async () => {
      const { code, err } = await take(text, ...["--map", "Markt=Town", "--map", "Wer=ignore"]);
      assert.equal(code, 0, err);
      assert.doesNotMatch(err, /'(?:Markt|Wer)' is read as/);
      const twice = await take(text.replace("Wer", "Land").replaceAll(/Frau|Herr/g, "DE"));
      assert.match(twice.err, /^these columns are not imported: 'Markt'/m);
    });
    test("rejects later rows that have another value of a column of states", async () => {
      const later = `later@example.org,DE,Frau,?,,\n`;
      const { code, err } = await take(text + later, "--dry-run");
      assert.equal(code, 1);
      assert.match(err, /line 42: '\?' is not a state/);
    });
    test("is no table without headings that begins with a person", () =>
      refuses(take(text.split("\n").slice(1).join("\n")), /If the file has no such row, give --no-header/));
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
      "half of an .xlsx",
      workbookOf([["email"]]).subarray(0, 200),
      /the workbook is damaged; .*save the sheet as CSV/,
    ],
    [
      "a zip archive",
      zipOf([{ name: "a.csv", bytes: Buffer.from("email") }]),
      /it is a zip archive; extract/,
    ],
    [
      "an .xls",
      Buffer.from("d0cf11e0a1b11ae10000", "hex"),
      /Excel workbook \(\.xls\),.*save it as CSV or \.xlsx/,
    ],
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

describe("a table without headings", () => {
  const rows = "nina@example.org,Nina,Ulm,13/02/1990\nomar@example.org,Omar,Bonn,01/02/1990\nwrong,W,X,\n";
  const map = ["--map", "1=email", "--map", "2=first_name", "--map", "3=Town", "--map", "4=birthday"];
  test("is mapped by number, with its first row and an order of dates; a dry run shows what is read", async () => {
    const tried = await take(rows, "--no-header", ...map, "--dry-run");
    assert.match(
      tried.err,
      /^the column 1 is read as email: 'nina@example\.org', 'omar@example\.org', 'wrong'\nthe column 2 is read as first_name: 'Nina', 'Omar', 'W'$/m,
    );
    assert.match(tried.err, /'4' is read with the day first/);
    const { code, out, err } = await take(rows, "--no-header", ...map);
    assert.equal(code, 1);
    assert.match(out, /3 {2}rows read\n +2 {2}added/);
    assert.doesNotMatch(err, /is read as/);
    assert.match(await show("nina@example.org"), /First name +Nina\n[\s\S]*Birthday +1990-02-13/);
  });
  test("its rejected rows are imported again with the same options", async () => {
    const rejected = path("table.rejected.csv");
    const text = readFileSync(rejected, "utf8");
    assert.match(text, /rejected_line,rejected_reason,Column 1,Column 2,Column 3,Column 4\r?\n3,/);
    writeFileSync(rejected, text.replace(",wrong,", ",right@example.org,"));
    const ran = await home.runHere(["import", "subscribers", rejected, "--list", "1", "--no-header", ...map]);
    assert.equal(ran.code, 0, ran.err);
    assert.match(await show("right@example.org"), /First name +W\n/);
  });
  test("stops if nothing is said about a column, and shows the first row", async () => {
    await refuses(
      take(rows, "--no-header", "--map", "1=email"),
      /no meaning is given for the columns 2, 3, 4; .* The first row is: 1 'nina@example\.org', 2 'Nina', 3 'Ulm', 4 '13\/02\/1990'\. For each other column: .* --map '2=ignore'/,
    );
    await refuses(take(rows, "--no-header"), /no column is mapped to email; .*The first row is: 1 'nina/);
    await refuses(
      take(rows, "--no-header", "--map", "5=email"),
      /--map: the file has no column '5'; its columns are: 1, 2, 3, 4/,
    );
    await refuses(
      take(rows, "--no-header", "--map", "1=email", "--map", "3=new_field", "--ignore-unknown"),
      /numbers of columns are no names; create a field first/,
    );
    await refuses(take(rows), /If the file has no such row, give --no-header/);
  });
  test("a number means its column, not the field with that id", async () => {
    await home.runHere(["field", "create", "Second", "--type", "STRING", "--id", "2"]);
    const { code, err } = await take(
      "paul@example.org,Paul\n",
      "--no-header",
      "--map",
      "1=email",
      "--ignore-unknown",
    );
    assert.deepEqual(
      [code, err],
      [
        0,
        "these columns are not imported: '2'; to import one, create a custom field with the same name first, or map the column\n",
      ],
    );
    assert.doesNotMatch(await show("paul@example.org"), /Second/);
  });
});

test("the rejected rows of a list of addresses are imported again", async () => {
  const asked = ["--as", "unsubscribed"];
  writeFileSync(path("out.txt"), "vera@example.org\nwalt\n");
  assert.equal((await home.runHere(["import", "suppressions", path("out.txt"), ...asked])).code, 1);
  const rejected = path("out.rejected.csv");
  writeFileSync(rejected, readFileSync(rejected, "utf8").replace(/walt(?=\r?\n)/, "walt@example.org"));
  const { code, out, err } = await home.runHere(["import", "suppressions", rejected, ...asked]);
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /1 {2}opt-outs, bounces and complaints recorded/);
});

test("the help of imports shows the way from each product in three lines", async () => {
  const { code, out } = await home.runHere(["import", "--help"], null, { COLUMNS: "110" });
  assert.equal(code, 0);
  assert.match(
    out,
    /^From listmonk\n {2}There: [\s\S]*?\n {2}Here: import subscribers subscribers\.csv --list ID\n {2}States: /m,
  );
  for (const label of productLabels) assert.match(out, new RegExp(`^From ${label}$`, "m"));
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
