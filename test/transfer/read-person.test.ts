/** From headings and cells to people, as the files of other systems have them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DataType, Field } from "#domain/field/field.ts";
import { requireColumns } from "#transfer/table/column-mapping.ts";
import { columnOf, headingOf } from "#transfer/table/columns.ts";
import { bareName, headings } from "#transfer/table/known-headings.ts";
import { personReader, type Reading } from "#transfer/table/read-person.ts";
import { parseState, parseSuppression } from "#transfer/values/states.ts";
import { type DateOrder, likelyOrder, orderOf, readTime, toIsoDate } from "#transfer/values/time.ts";

const NOW = Date.UTC(2026, 10, 14, 9, 30);
const reading: Reading = { now: NOW, dates: [], country: "AR", isStrict: true };
const ordered = (order: DateOrder | null): Pick<Reading, "dates"> => ({ dates: Array(9).fill(order) });
const field = (id: bigint, name: string, type: DataType = "STRING"): Field => ({
  id,
  name,
  type,
  isPrivate: false,
  createdAt: 0,
});
const fields = [
  field(7n, "Town"),
  field(9_007_199_254_740_993n, "Teléfono", "PHONE"),
  field(3n, "Since", "DATE"),
  field(4n, "Score", "SCORE"),
];

const columnsOf = (cells: readonly string[], own: readonly Field[]) =>
  requireColumns([{ cells }], { fields: own, map: [], ignoresUnknown: false, hasHeader: true }).columns;

/** A table of one row. */
function read(row: Readonly<Record<string, string>>, given: Partial<Reading> = {}) {
  return personReader(columnsOf(Object.keys(row), fields), { ...reading, ...given })(Object.values(row));
}
const person = (row: Readonly<Record<string, string>>, given: Partial<Reading> = {}) => {
  const found = read(row, given);
  if (typeof found === "string") assert.fail(found);
  return found;
};

describe("a row of somebody who has not confirmed", () => {
  for (const state of ["pending", "Unconfirmed", "nicht bestätigt", "Pendiente", "NON CONFIRMÉ"])
    test(`is rejected: '${state}'`, () => {
      const problem = read({ email: "ada@example.org", state });
      assert.ok(typeof problem === "string");
      assert.match(problem, /the person has not confirmed, .*; leave the row out/);
    });
});

describe("a value that is not valid", () => {
  const row = { email: "ada@example.org", first_name: "Ada" };
  const lenient = { isStrict: false };
  for (const [heading, value, reason] of [
    ["birthday", "04/17", /'04\/17' has no year/],
    ["birthday", "2030-01-01", /is in the future/],
    ["birthday", "17.04.", /has no year/],
    ["gender", "?", /is not a gender/],
    ["country", "Atlantis", /is not a country/],
    ["last_name", "x".repeat(2000), /a name has at most/],
    ["full_name", "Ada \u0007Lovelace", /a name has at most/],
    ["Since", "soon", /is not a date/],
    ["Score", "many", /SCORE/],
    ["Town", "x".repeat(40_000), /is too long/],
    ["subscribed_at", "2020-31-31", /is not a date/],
  ] as const)
    test(`is left out of the row, and the person stays: ${heading} '${value.slice(0, 20)}'`, () => {
      const columns = [...Object.keys(row), heading].map(
        (name) => columnOf(name, fields) ?? assert.fail(name),
      );
      const cells = [...Object.values(row), value];
      const found = personReader(columns, { ...reading, ...lenient })(cells);
      if (typeof found === "string") assert.fail(found);
      assert.deepEqual(
        found.leftOut.map(({ index }) => index),
        [2],
      );
      assert.match(found.leftOut[0]?.reason ?? "", reason);
      const { data, values, joinedAt } = found.person;
      assert.deepEqual([data, values, joinedAt], [{ firstName: "Ada" }, [], null]);
      const strict = personReader(columns, reading)(cells);
      assert.ok(typeof strict === "string");
      assert.match(strict, reason, "rejects the row of a strict import");
    });
  for (const [heading, value] of [
    ["email", "ada"],
    ["state", "gone fishing"],
    ["unsubscribed_at", "12/31"],
    ["blocked_at", "soon"],
    ["subscribed", "no"],
    ["subscribed", "0"],
    ["subscribed", "unsubscribed"],
  ] as const)
    test(`rejects the row if it says whether somebody is mailed: ${heading} '${value}'`, () => {
      assert.equal(typeof read({ ...row, [heading]: value }, lenient), "string");
    });
});

describe("headings", () => {
  for (const [kind, names] of Object.entries({
    email: [
      "email",
      "E-Mail",
      "EMAIL ADDRESS",
      "e_mail",
      "Mail",
      "Correo electrónico",
      " email ",
      "E-Mail-Adresse",
      "Courriel",
      "Indirizzo e-mail",
      "E-mailadres",
    ],
    firstName: ["First name", "FIRSTNAME", "Nombre", "fname", "Vorname", "Prénom", "Nome", "Voornaam"],
    lastName: ["last-name", "Surname", "Apellido", "Nachname", "Nom", "Cognome", "Achternaam"],
    gender: ["Geschlecht", "Sexe", "Sesso", "Geslacht", "Género"],
    birthday: ["Date of birth", "Fecha de nacimiento", "Geburtsdatum", "Date de naissance", "Geboortedatum"],
    country: ["country", "País", "Land", "Pays", "Paese", "Ländercode", "Laendercode"],
    joined: [
      "subscribed_at",
      "Subscribed",
      "joined",
      "OPTIN_TIME",
      "Angemeldet am",
      "Date d’inscription",
      "Iscritto il",
    ],
    state: ["state", "Status", "Estado", "Statut"],
    unsubscribed: ["unsubscribed_at", "UNSUB_TIME", "Abgemeldet am", "Désinscrit le", "Uitgeschreven op"],
    ignored: ["rejected_line", "rejected_reason"],
  }))
    for (const name of names)
      test(`'${name}' is ${kind}`, () => {
        const column = columnOf(name, fields);
        assert.ok(column);
        const found =
          column.kind === "basic"
            ? column.name
            : column.kind === "suppression"
              ? column.suppression
              : column.kind;
        assert.equal(found, kind);
      });
  test("match custom fields by name, ignoring case, or by id with all its digits", () => {
    for (const name of ["town", "TOWN", "7", "#7"]) assert.deepEqual(columnOf(name, fields)?.kind, "field");
    const phone = columnOf("9007199254740993", fields);
    assert.ok(phone?.kind === "field" && phone.field.name === "Teléfono");
    assert.equal(columnOf("9007199254740992", fields), null);
    assert.equal(columnOf("Twon", fields), null);
  });
  test("are written so that they are recognized again, whatever the field's name", () => {
    const odd = [field(1n, "Country"), field(2n, "1"), field(3n, "#2"), field(4n, "E mail"), field(5n, "ok")];
    const headings = odd.map((one) => headingOf(one, odd));
    assert.deepEqual(headings, ["#1", "1", "#3", "#4", "ok"]);
    for (const [index, heading] of headings.entries()) {
      const column = columnOf(heading, odd);
      assert.ok(column?.kind === "field" && column.field === odd[index], heading);
    }
  });
  test("are unambiguous in all languages", () => {
    const names = headings.flatMap(([, all]) => all.map(bareName));
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });
  test("are reported if they are unknown or map to the same data", () => {
    for (const [header, problem] of [
      [["email", "Twon", "x", "", ""], /^unknown columns: 'Twon', 'x'; map/],
      [["E-Mail", "town", "email"], /^the columns 'E-Mail' and 'email' map to the same data/],
      [["email", "7", "Town"], /^the columns '7' and 'Town' map to the same data/],
    ] as const)
      assert.throws(() => columnsOf(header, fields), { name: "TableProblem", message: problem });
    assert.equal(columnsOf(["email", "rejected_line", "rejected_reason"], fields).length, 3);
  });
});

describe("words of other languages", () => {
  const consent = [field(1n, "Consent", "GDPR"), field(2n, "Sex", "GENDER")];
  const taken = (name: string, text: string): string | undefined => {
    const columns = columnsOf(["email", name], consent);
    const found = personReader(columns, reading)(["a@b.org", text]);
    if (typeof found === "string") return found;
    return found.person.values[0]?.value ?? found.person.data.gender ?? undefined;
  };
  for (const [value, words] of [
    ["true", ["Sí", "sim", "JA", "Oui", "Sì", "WAHR", "VRAI", "VERO", "WAAR", "VERDADERO", "y"]],
    ["false", ["No", "não", "Nein", "NON", "nee", "FALSCH", "FAUX", "FALSO", "ONWAAR", "n", "0"]],
  ] as const)
    test(`${words.join(", ")} are ${value}`, () => {
      for (const word of words) assert.equal(taken("Consent", word), value, word);
    });
  for (const [value, words] of [
    ["M", ["männlich", "Homme", "Uomo", "man", "Hombre", "Homem", "Herr", "m"]],
    ["F", ["weiblich", "W", "Femme", "Donna", "Vrouw", "Mujer", "Mulher", "Frau", "f"]],
    ["X", ["divers", "d", "x"]],
  ] as const)
    test(`${words.join(", ")} are ${value}`, () => {
      for (const word of words)
        for (const name of ["gender", "#2"]) assert.equal(taken(name, word), value, word);
    });
  test("name countries, in a field too", () => {
    const columns = columnsOf(["email", "country", "#1"], [field(1n, "Home", "COUNTRY")]);
    for (const [name, code] of [
      ["Deutschland", "DE"],
      ["españa", "ES"],
      ["Pays-Bas", "NL"],
      ["Svizzera", "CH"],
      ["Verenigde Staten", "US"],
      ["Brasil", "BR"],
      ["Argentina", "AR"],
      ["gbr", "GB"],
    ] as const) {
      const found = personReader(columns, reading)(["a@b.org", name, name]);
      if (typeof found === "string") assert.fail(found);
      assert.deepEqual([found.person.data.country, found.person.values[0]?.value], [code, code]);
    }
  });
  test("with two meanings are rejected", () => {
    for (const word of ["H", "V", "o", "maybe"]) {
      assert.match(taken("gender", word) ?? "", /is not a gender/);
      assert.match(taken("Consent", word) ?? "", /which takes true or false/);
    }
  });
});

describe("a row", () => {
  test("is read into a subscriber with normalized values", () => {
    const { person: ada, block } = person({
      email: " Ada@Example.org ",
      first_name: "Ada",
      gender: "female",
      birthday: "1985-12-10",
      country: "gbr",
      subscribed_at: "2019-05-01 12:00:00",
      Teléfono: "011 4321-0000",
      Since: "2001-02-03T10:00:00Z",
      Score: "04.50",
    });
    assert.deepEqual(ada, {
      address: { text: "Ada@Example.org", key: "ada@example.org", domain: "example.org" },
      joinedAt: Date.UTC(2019, 4, 1, 12),
      suppressions: {},
      data: { firstName: "Ada", gender: "F", birthday: "1985-12-10", country: "GB" },
      values: [
        { field: 9_007_199_254_740_993n, value: "+541143210000" },
        { field: 3n, value: "2001-02-03" },
        { field: 4n, value: "4.5" },
      ],
    });
    assert.equal(block, null);
  });
  test("has no value for cells that are empty or mean 'not set'", () => {
    for (const birthday of ["0001-01-01T00:00:00", "1899-12-30 00:00:00", "9999-12-31"]) {
      const { person: bare } = person({
        email: "a@example.org",
        first_name: " ",
        birthday,
        country: "0",
        subscribed_at: "0000-00-00 00:00:00",
        unsubscribed_at: "0000-00-00",
        Town: "",
      });
      assert.deepEqual([bare.joinedAt, bare.suppressions, bare.data, bare.values], [null, {}, {}, []]);
    }
  });
  test("keeps white space and line breaks of texts", () =>
    assert.equal(
      person({ email: "a@b.org", Town: " New\r\nYork " }).person.values[0]?.value,
      " New\r\nYork ",
    ));

  const at = (text: string) => ({ email: "a@example.org", subscribed_at: text });
  const JOINED = Date.UTC(2026, 2, 4);
  for (const [text, dates, time] of [
    ["2026-03-04", null, JOINED],
    ["2026/03/04", null, JOINED],
    ["2026-03-04T01:02:03.5+01:00", null, Date.UTC(2026, 2, 4, 0, 2, 3, 500)],
    ["2026-03-04 01:02", null, Date.UTC(2026, 2, 4, 1, 2)],
    ["4/3/2026", "dmy", JOINED],
    ["04.03.2026", "dmy", JOINED],
    ["04-3-2026", "dmy", JOINED],
    ["3/4/2026", "mdy", JOINED],
    ["3/4/2026 12:05 AM", "mdy", Date.UTC(2026, 2, 4, 0, 5)],
    ["3/4/2026, 1:05:06 pm", "mdy", Date.UTC(2026, 2, 4, 13, 5, 6)],
    ["2026-11-14T20:00:00", null, NOW],
  ] as const)
    test(`joined at '${text}'${dates === null ? "" : ` (${dates})`}`, () =>
      assert.equal(person(at(text), ordered(dates)).person.joinedAt, time));

  for (const [name, row, reason] of [
    ["without an address", { email: "", Town: "x" }, /the address is missing/],
    ["with an invalid address", { email: "ada" }, /'ada' is not an e-mail address/],
    ["with a dot before the @", { email: "ada.@b.org" }, /'ada.@b.org' is not .*begins or ends with a dot/],
    ["with a dot at the start", { email: "Ada <.ada@b.org>", state: "active" }, /begins or ends with a dot/],
    ["with two dots in a row", { email: "a..da@b.org" }, /has two dots in a row/],
    [
      "with an ambiguous date",
      at("3/4/2026"),
      /'3\/4\/2026' is ambiguous; give the order of its day and month, dmy or mdy/,
    ],
    ["with an ambiguous birthday", { email: "a@b.org", birthday: "3/4/1980" }, /is ambiguous/],
    ["with a day that does not exist", at("2026-02-30"), /'2026-02-30' is not a date/],
    ["with a future date", at("2027-01-01"), /'2027-01-01' is in the future/],
    ["with a future birthday", { email: "a@b.org", birthday: "2026-11-15" }, /is in the future/],
    ["with an unknown state", { email: "a@b.org", state: "gone" }, /'gone' is not a state; .*active/],
    [
      "with an unknown country",
      { email: "a@b.org", country: "Atlantis" },
      /'Atlantis' is not a country; .*ISO/,
    ],
    [
      "with a cell longer than in any spreadsheet",
      { email: "a@b.org", country: "0".repeat(40_000) },
      /^'0{60}…' is too long: a cell has at most 32767 characters$/,
    ],
    ["with an unknown gender", { email: "a@b.org", gender: "both" }, /'both' is not a gender/],
    [
      "with an invalid value",
      { email: "a@b.org", Score: "high" },
      /'high' .* Score \(SCORE\), which takes a number/,
    ],
    ["with a zero byte", { email: "a@b.org", first_name: "A\0" }, /no control characters/],
    ["with a zero byte in its address", { email: "a\0@b.org" }, /is not an e-mail address/],
    [
      "that is active and opted out",
      { email: "a@b.org", state: "active", unsubscribed_at: "2020-01-01" },
      /active, but there is a date in unsubscribed_at and no later one/,
    ],
  ] as const)
    test(`${name} is rejected`, () => {
      const found = read(row);
      assert.ok(typeof found === "string");
      assert.match(found, reason);
    });
  test("with another number of cells than the header is rejected, except for empty cells", () => {
    const readRow = personReader(columnsOf(["email", "Town"], fields), reading);
    assert.equal(readRow(["a@b.org"]), "the numbers of cells differ: 1 in the row, 2 in the first one");
    assert.equal(
      readRow(["a@b.org", "x", "y"]),
      "the numbers of cells differ: 3 in the row, 2 in the first one",
    );
    assert.ok(typeof readRow(["a@b.org", "x", "", " "]) === "object");
  });
  test("reads d/m/y in DATE fields too if the order is given", () =>
    assert.equal(
      person({ email: "a@b.org", Since: "3.4.2001" }, ordered("dmy")).person.values[0]?.value,
      "2001-04-03",
    ));
});

describe("the suppressions of a row", () => {
  const DAY = Date.UTC(2020, 0, 1);
  for (const [row, suppressions, block] of [
    [{ state: "active" }, {}, null],
    [{ state: "Unsubscribed", unsubscribed_at: "2020-01-01" }, { unsubscribed: DAY }, null],
    [{ state: "opt-out" }, { unsubscribed: null }, null],
    [{ status: "cleaned", bounced_at: "2020-01-01" }, { bounced: DAY }, null],
    [{ unsubscribed_at: "2020-01-01" }, { unsubscribed: DAY }, null],
    [{ state: "spam", unsubscribed_at: "2020-01-01" }, { complained: null, unsubscribed: DAY }, null],
    [{ state: "blocked", blocked_at: "2020-01-01" }, {}, { at: DAY }],
    [{ state: "blocked" }, {}, { at: null }],
    [{ state: "active", unsubscribed_at: "2020-01-01", subscribed_at: "2020-01-02" }, {}, null],
  ] as const)
    test(`of ${JSON.stringify(row)}`, () => {
      const found = person({ email: "a@b.org", ...row });
      assert.deepEqual([found.person.suppressions, found.block], [suppressions, block]);
    });
  test("are kept, whatever dots the address has", () => {
    for (const row of [{ state: "bounced" }, { state: "blocked" }, { unsubscribed_at: "2020-01-01" }])
      assert.equal(person({ email: "ada.@b.org", ...row }).person.address.key, "ada.@b.org");
  });
  test("are recognized in other languages", () => {
    for (const [word, state] of [
      ["Abgemeldet", "unsubscribed"],
      ["désinscrit", "unsubscribed"],
      ["attivo", "active"],
      ["geblokkeerd", "blocked"],
    ] as const)
      assert.equal(parseState(word), state);
  });
  test("only suppressing states become suppressions", () => {
    assert.equal(parseState("Subscribed"), "active");
    assert.equal(parseSuppression("subscribed"), null);
    assert.equal(parseSuppression("Hard Bounce"), "bounced");
  });
});

test("a time is read to the same value with and without spaces, seconds and offsets", () => {
  for (const text of ["2026-03-04T01:02:00Z", "2026-03-04 01:02", "2026-03-04 01:02:00", "2026-03-04T01:02Z"])
    assert.equal(readTime(text), Date.UTC(2026, 2, 4, 1, 2));
  for (const text of ["", "2026", "2026-03-04 1:2", "04-03-2026", "2026-03-04x01:02:00"])
    assert.equal(readTime(text), null);
  assert.equal(toIsoDate("13/1/2026", "mdy"), "2026-13-01", "an invalid date is rejected when it is parsed");
});

test("an unambiguous date has an order, and the quick check never misses one", () => {
  for (const [text, order] of [
    ["25.12.1990", "dmy"],
    ["12/25/1990", "mdy"],
    [" 3-4-1990 10:00 ", "either"],
    ["05.05.1990", null],
    ["31.02.1990", null],
    ["2/31/1990", null],
    ["13/13/1990", null],
    ["3/4/1990 25:99", null],
    ["1990-04-03", null],
    ["25.12.90", null],
    ["", null],
  ] as const) {
    assert.equal(orderOf(text), order, text);
    if (order !== null) assert.equal(likelyOrder(text), order, text);
  }
});
