/** Files that are imported in the console, without JavaScript. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { summary } from "#cli/commands/transfer/import-summary.ts";
import { formatsFor } from "#console/kit/formats.ts";
import { outcomeTable, reportOf } from "#console/pages/imports/outcomes.ts";
import { liveProgress } from "#console/pages/imports/progress.ts";
import { type ImportCounts, noSubscriberCounts } from "#domain/import/batch.ts";
import type { Job } from "#domain/job/job.ts";
import { finishJobs } from "../api/v2/finish-jobs.ts";
import type { Received } from "../send-request.ts";
import { addressOf } from "../store/actor.ts";
import { type Arrived, notImported, productExports } from "../transfer/product-exports.ts";
import { packed, textRow, workbookParts } from "../workbook/write-workbook.ts";
import type { Browser } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = "<script>alert(1)</script>";
let server: ConsoleServer;
let list = 0;
let editor: Browser;
let viewer: Browser;
before(async () => {
  server = await startConsole();
  const { store } = server;
  for (const name of ["Default", "Other"]) await store.accounts.create({ name, at: 1 });
  list = (await store.lists.create({ account: 1, name: `News ${HOSTILE}`, at: 1 })).id;
  const origin = { kind: "operator" } as const;
  const person = (email: string) => ({
    ...{ account: 1, at: 1, origin, recordedCall: null, address: addressOf(email) },
  });
  await store.subscribers.add({ ...person("known@example.org"), list });
  await store.subscribers.add({ ...person("gone@example.org"), list });
  await store.subscribers.unsubscribe({ ...person("gone@example.org"), at: 2 });
  editor = await server.signedIn("editor");
  viewer = await server.signedIn("viewer");
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

const IMPORTS = "/console/1/imports";
const BOUNDARY = "----mailroll";
type Field = readonly [name: string, value: string | Buffer, fileName?: string];

/** As a browser sends a form with a file. */
function multipart(browser: Browser, path: string, fields: readonly Field[]): Promise<Received> {
  const parts = fields.flatMap(([name, value, fileName]) => {
    const file = fileName === undefined ? "" : `; filename="${fileName}"\r\nContent-Type: text/csv`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from("\r\n")];
  });
  return browser.send("POST", path, {
    body: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` },
  });
}
const locationOf = ({ headers }: Received): string =>
  new URL(headers.get("location") ?? "", server.origin).pathname;

/** Uploads a file with one form; returns the path of its page. */
async function upload(text: string | Buffer, name = "people.csv"): Promise<string> {
  const sent = await multipart(editor, IMPORTS, [
    ["do", "upload"],
    ["file", text, name],
  ]);
  assert.equal(sent.status, 303, sent.body);
  return locationOf(sent);
}
const selected = ({ body }: Received, name: string): string | null => {
  const select = new RegExp(`<select[^>]*name="${name}"[^>]*>(.*?)</select>`, "s").exec(body)?.[1] ?? "";
  return /<option value="([^"]*)" selected>/.exec(select)?.[1] ?? null;
};
/** Tries the file with these settings; returns the page with the result. */
async function dryRun(path: string, fields: Readonly<Record<string, string>>, read = path): Promise<string> {
  const base = { list: String(list), overwrite: "here" };
  const sent = await editor.post(read, "check", { ...base, ...fields });
  assert.equal(sent.status, 303, sent.body);
  await finishJobs(server.store);
  return (await editor.get(path)).body;
}
/** Starts the import that a dry run has shown; returns the path of its page. */
async function begin(path: string, report: string): Promise<string> {
  const run = /name="run" value="(\d+)"/.exec(report)?.[1] ?? assert.fail(report);
  const started = await editor.post(path, "import", { run });
  assert.equal(started.status, 303, started.body);
  return locationOf(started);
}
async function importNow(path: string, report: string): Promise<string> {
  const page = await begin(path, report);
  await finishJobs(server.store);
  return page;
}
const personOf = (email: string) =>
  server.store.subscribers.byAddress({ account: 1, address: addressOf(email) });
const EMAIL = { "column-0": "email" };
const TABLE = [
  "E-Mail-Adresse;Vorname;Nachname;Geburtsdatum;Firma",
  "new@example.org;Ada;Lovelace;25.12.1815;A",
  `known@example.org;Kim;${HOSTILE};01.02.1990;B`,
  "gone@example.org;Gia;One;;C",
  "wrong;=1+1;Y;;D",
  "",
].join("\n");
const chosen = {
  "column-0": "email",
  "column-1": "first_name",
  "column-2": "last_name",
  "column-3": "birthday",
  "column-4": "ignore",
  overwrite: "here",
};

test("the way from other products is shown to who may import", async () => {
  const { body } = await editor.get(IMPORTS);
  assert.match(body, /<details class="samples"><summary>How to come from Mailchimp/);
  assert.match(body, /<dt>listmonk<[\s\S]*<code>blocklisted<\/code> is blocked/);
  assert.match(
    body,
    /junk\.csv \(Addresses not to mail: They reported spam\), then active\.csv \(Subscribers\)/,
  );
  assert.doesNotMatch((await viewer.get(IMPORTS)).body, /How to come from/);
});

test("a user with 20 files that wait is told how to delete one", async () => {
  const hoarder = await server.signedIn("editor");
  const begin = (browser: Browser) => browser.post(IMPORTS, "begin", { fileName: "x.csv", size: "9" });
  for (let n = 0; n < 20; n += 1) assert.equal((await begin(hoarder)).status, 303);
  const refused = await begin(hoarder);
  assert.equal(refused.status, 422);
  assert.match(refused.body, /already have 20 uploads in this account.*Delete this file/);
  const other = await begin(editor);
  assert.equal(other.status, 303);
  await editor.post(locationOf(other), "delete");
});

test("a page that is made while its import ends is live, and then shows the result", async () => {
  const path = await upload("email\nquick@example.org\n", "quick.csv");
  const page = await begin(path, await dryRun(path, EMAIL));
  // The store that the console reads from.
  const imports = server.store.forOperators.imports as { byId: ConsoleServer["store"]["imports"]["byId"] };
  const { byId } = imports;
  imports.byId = async (one) => {
    const found = await byId(one);
    await finishJobs(server.store);
    return found;
  };
  const during = await editor.get(page).finally(() => {
    imports.byId = byId;
  });
  assert.match(during.body, new RegExp(`data-stream="${page}/events"`));
  assert.match((await editor.get(page)).body, /They are on the list now/);
});

test("a file with foreign headings is mapped, tried, imported, and its rejected rows are downloaded", async () => {
  const path = await upload(TABLE, "kunden.csv");
  assert.match(path, /^\/console\/1\/imports\/uploads\/\d+$/);
  const settings = await editor.get(path);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((index) => selected(settings, `column-${index}`)),
    ["email", "first_name", "last_name", "birthday", "ignore"],
  );
  assert.match(settings.body, /Detect \(semicolon\)/);
  assert.match(settings.body, /Day first/);
  const tried = await editor.post(path, "check", { ...chosen, list: String(list) });
  assert.equal(tried.status, 303);
  const running = await editor.get(path);
  assert.match(running.body, new RegExp(`data-stream="${path}/events"`));
  await finishJobs(server.store);
  const report = await editor.get(path);
  assert.match(report.body, /Result of the dry run/);
  assert.match(report.body, /Added<\/dt><dd><span class="stat-value">1</);
  for (const sample of [
    /line 2<\/span> new@example.org · Ada/,
    /line 3<\/span> known@example.org/,
    /line 4<\/span> gone@example.org/,
  ])
    assert.match(report.body, sample);
  assert.match(report.body, /&#39;wrong&#39; is not an e-mail address: it has no @/);
  const run = /name="run" value="(\d+)"/.exec(report.body)?.[1] ?? "";
  const other = await editor.post(path, "import", { run: "999" });
  assert.equal(other.status, 422);
  assert.match(other.body, /another dry run/);
  const started = await editor.post(path, "import", { run });
  assert.equal(started.status, 303);
  const page = locationOf(started);
  assert.match(page, /^\/console\/1\/imports\/\d+$/);
  const live = await editor.get(page);
  assert.match(live.body, new RegExp(`data-stream="${page}/events"`));
  assert.match(live.body, /Stop the import/);
  await finishJobs(server.store);
  const done = await editor.get(page);
  assert.match(done.body, /Finished/);
  assert.match(done.body, /They are on the list now/);
  assert.match(done.body, /1 person is new in this account/);
  const rows = await editor.get(`${page}/rejected-rows`);
  assert.match(rows.body, /^\ufeffrejected_line;rejected_reason;.*\r\n5;'wrong'.*;'=1\+1;/s);
  assert.match(done.body, /cells that a spreadsheet would run as formulas/);
  const unchanged = await editor.get(`${page}/rejected-rows?unchanged`);
  assert.match(unchanged.body, /^\ufeffrejected_line;rejected_reason;.*\r\n5;'wrong'.*;=1\+1;/s);
  const [, ofTrial = ""] = /href="([^"]+\/uploads\/\d+\/content)"/.exec(report.body) ?? [];
  assert.match((await editor.get(ofTrial)).body, /;'=1\+1;/);
  assert.match((await editor.get(`${ofTrial}?unchanged`)).body, /;=1\+1;/);
  // The upload is gone; its page leads to the import.
  assert.equal(locationOf(await editor.get(path)), page);
  const all = await viewer.get(IMPORTS);
  assert.match(all.body, new RegExp(`href="${page}">kunden.csv`));
  for (const { body } of [settings, report, live, done, all]) assert.ok(!body.includes(HOSTILE));
});

test("a file arrives in parts, and its page says how much has arrived", async () => {
  const bytes = "email,first_name\nparts@example.org,Pat\n";
  const begun = await editor.post(IMPORTS, "begin", { fileName: "parts.csv", size: String(bytes.length) });
  assert.equal(begun.status, 303);
  const path = locationOf(begun);
  const part = (offset: number, text: string): Promise<Received> =>
    multipart(editor, path, [
      ["do", "part"],
      ["offset", String(offset)],
      ["part", text, "blob"],
    ]);
  assert.match((await editor.get(path)).body, /data-arrived="0" data-expected="39"/);
  assert.equal((await part(0, bytes.slice(0, 20))).status, 303);
  assert.match((await editor.get(path)).body, /data-arrived="20"/);
  assert.equal((await part(0, bytes.slice(0, 20))).status, 303, "the same part may be sent again");
  const other = await part(0, "x".repeat(20));
  assert.equal(other.status, 422);
  assert.match(other.body, /This is another file than the one whose upload began/);
  const early = await editor.post(path, "finish");
  assert.equal(early.status, 422);
  assert.match(early.body, /20 of 39 bytes/);
  assert.match((await editor.get(IMPORTS)).body, /Incomplete/);
  assert.equal((await part(20, bytes.slice(20))).status, 303);
  assert.equal((await editor.post(path, "finish")).status, 303);
  assert.match((await editor.get(path)).body, /Choose what each column of the file means/);
});

describe("a wrong file gets clear words", () => {
  test("no file, an empty one and a nameless one are refused at once", async () => {
    const none = await multipart(editor, IMPORTS, [["do", "upload"]]);
    assert.equal(none.status, 422);
    assert.match(none.body, /Choose a file first/);
    const empty = await multipart(editor, IMPORTS, [
      ["do", "upload"],
      ["file", "", "empty.csv"],
    ]);
    assert.match(empty.body, /The file is empty/);
    assert.match(
      (await editor.post(IMPORTS, "begin", { fileName: "e.csv", size: "0" })).body,
      /file is empty/,
    );
    const nameless = await editor.post(IMPORTS, "begin", { fileName: "", size: "3" });
    assert.match(nameless.body, /Must have 1 to/);
  });

  test("a file over the limit is refused before it is sent", async () => {
    const size = String(3 * 1024 ** 3);
    const refused = await editor.post(IMPORTS, "begin", { fileName: "huge.csv", size });
    assert.equal(refused.status, 422);
    assert.match(refused.body, /would exceed the limit/);
  });

  test("the sheet of a workbook can be chosen, and is read by the dry run and the import", async () => {
    const sheets = [
      { name: "Customers", rows: textRow("email", "first_name") + textRow("sheet1@example.org", "Ada") },
      { name: "Former & others", rows: textRow("email") + textRow("sheet2@example.org") },
    ];
    const path = await upload(packed(workbookParts({ sheets })), "two.xlsx");
    const first = await editor.get(path);
    assert.match(first.body, /<option value="Customers" selected>/);
    assert.match(first.body, /Ada/);
    assert.doesNotMatch(first.body, /name="encoding"/);
    const chosen = `${path}?sheet=${encodeURIComponent("Former & others")}`;
    const second = await editor.get(chosen);
    assert.match(second.body, /sheet2@example\.org/);
    assert.doesNotMatch(second.body, /Ada/);
    await importNow(path, await dryRun(path, EMAIL, chosen));
    assert.equal(await personOf("sheet1@example.org"), null);
    assert.ok(await personOf("sheet2@example.org"));
  });

  test("a workbook and a binary file are named as such", async () => {
    const workbook = await editor.get(await upload("PK\x03\x04 xl/workbook", "people.xlsx"));
    assert.match(workbook.body, /This file cannot be imported/);
    assert.match(workbook.body, /the workbook is damaged/);
    assert.match((await editor.get(await upload("\0\x01\x02\x03\0\0", "x.bin"))).body, /binary file/);
  });

  test("an encoding that does not fit is said, and another one can be chosen", async () => {
    const path = await upload("email,first_name\nzoe@example.org,Zoë\n", "utf8.csv");
    assert.match((await editor.get(`${path}?encoding=utf-8`)).body, /Zoë/);
    assert.match((await editor.get(`${path}?encoding=windows-1252`)).body, /ZoÃ«/);
    const wrong = await editor.get(`${path}?encoding=utf-16le`);
    assert.equal(wrong.status, 200);
    assert.doesNotMatch(wrong.body, /Zoë/);
    assert.match(wrong.body, /name="encoding"/);
  });

  test("a file without headings is warned about", async () => {
    const { body } = await editor.get(await upload("ada@example.org,Ada\nbob@example.org,Bob\n", "bare.csv"));
    assert.match(body, /The file seems to have no row of headings/);
    assert.match(body, /&quot;ada@example.org&quot;/);
  });

  test("no address column, two of them, and an ambiguous date are said where they are chosen", async () => {
    const path = await upload("a,b,c\nada@example.org,bob@example.org,01/02/2000\n", "abc.csv");
    const first = await editor.get(path);
    assert.equal(selected(first, "column-0"), "ignore");
    const base = { list: String(list), overwrite: "file", "column-0": "email" };
    const none = await editor.post(path, "check", { ...base, "column-0": "ignore" });
    assert.equal(none.status, 422);
    assert.match(none.body, /Choose the column that contains the e-mail addresses/);
    const two = await editor.post(path, "check", { ...base, "column-1": "email" });
    assert.equal(two.status, 422);
    assert.match(two.body, /id="field-column-1-error">E-mail address is chosen for two columns/);
    assert.equal(selected(two, "column-0"), "email", "what was chosen is kept");
    const dates = await editor.post(path, "check", { ...base, "column-2": "birthday" });
    assert.equal(dates.status, 422);
    assert.match(dates.body, /id="field-dates-2-error">These dates can be read in two ways/);
    const noList = await editor.post(path, "check", { ...base, list: "" });
    assert.match(noList.body, /Choose a list, or a new one/);
    await dryRun(path, { ...base, "column-2": "birthday", "dates-2": "mdy" });
    const change = await editor.get(`${path}?change`);
    assert.equal(selected(change, "column-2"), "birthday", "the settings of the last run are shown again");
    assert.equal(selected(change, "list"), String(list));
  });

  test("the same file twice is noticed", async () => {
    const text = "email\ntwice@example.org\n";
    const first = await upload(text, "twice.csv");
    const second = await editor.get(await upload(text, "twice.csv"));
    assert.match(second.body, /This file is already uploaded/);
    assert.match(second.body, new RegExp(`href="${first}"`));
    await importNow(first, await dryRun(first, EMAIL));
    const third = await editor.get(await upload(text, "twice.csv"));
    assert.match(third.body, /A file with this name was imported before/);
  });
});

test("a dry run creates nothing; the import creates its new list and its new field", async () => {
  const path = await upload("email,Shoe size\nshoe@example.org,43\n", "shoes.csv");
  const fields = { ...EMAIL, "column-1": "new_field", list: "new", newList: "" };
  const nameless = await editor.post(path, "check", fields);
  assert.equal(nameless.status, 422);
  assert.match(nameless.body, /Give the new list a name/);
  const report = await dryRun(path, { ...fields, newList: "Shoes" });
  const names = async () => ({
    lists: (await editor.get("/console/1/lists")).body.includes("Shoes"),
    fields: (await editor.get("/console/1/fields")).body.includes("Shoe size"),
  });
  assert.deepEqual(await names(), { lists: false, fields: false });
  assert.match(report, /Into the list &quot;Shoes&quot;.*created when the import starts/);
  assert.match(report, /New field: &#39;Shoe size&#39; \(text\)/);
  const change = await editor.get(`${path}?change`);
  assert.equal(selected(change, "list"), "new", "what was planned is shown again");
  assert.equal(selected(change, "column-1"), "new_field");
  assert.match(change.body, /name="newList"[^>]*value="Shoes"/);
  await importNow(path, report);
  assert.deepEqual(await names(), { lists: true, fields: true });
  const found = await editor.follow(
    await editor.post("/console/1/subscribers", "search", { search: "shoe@example.org" }),
  );
  assert.match(found.body, /shoe@example\.org/);
});

test("the JSON attributes of a product are filled in as fields, which the dry run names and the import creates", async () => {
  const row = 'u,json@example.org,"{""Glove size"":7}",enabled';
  const path = await upload(`uuid,email,attributes,status\n${row}\n`, "listmonk.csv");
  const page = await editor.get(path);
  assert.equal(selected(page, "column-2"), "json_attributes");
  const columns = { "column-0": "ignore", "column-1": "email", "column-2": "json_attributes" };
  const report = await dryRun(path, { ...columns, "column-3": "state" });
  assert.match(report, /New field: &#39;Glove size&#39; \(number\)/);
  assert.doesNotMatch((await editor.get("/console/1/fields")).body, /Glove size/);
  await importNow(path, report);
  const found = await personOf("json@example.org");
  assert.deepEqual(
    found?.values.map(({ value }) => value),
    ["7"],
  );
});

test("how names are split is shown with the columns and in the dry run, and the job keeps no name", async () => {
  const row = "u,split@example.org,Jutta von der Heide,{},enabled";
  const path = await upload(`uuid,email,name,attributes,status\n${row}\n`, "listmonk.csv");
  const split =
    /&quot;.?Jutta von der Heide.?&quot; becomes the first name &quot;.?Jutta von der.?&quot; and the last name &quot;.?Heide/;
  const page = await editor.get(path);
  assert.equal(selected(page, "column-2"), "full_name");
  assert.match(page.body, split);
  const columns = { "column-1": "email", "column-2": "full_name", "column-4": "state" };
  assert.match(await dryRun(path, columns), split);
  const { rows } = await server.store.jobs.all.page({ account: 1 }, { after: null, limit: 1 });
  assert.doesNotMatch(JSON.stringify(rows[0]?.result), /Heide/);
});

test("a file without headings is read without them, mapped by position and imported with its first row", async () => {
  const path = await upload("pia@example.org,Pia,x\nquinn@example.org,Quinn,y\n", "bare.csv");
  const link = /href="([^"]*headings=none)"/.exec((await editor.get(path)).body)?.[1] ?? "";
  const read = link.replaceAll("&amp;", "&");
  const page = await editor.get(read);
  assert.doesNotMatch(page.body, /seems to have no row of headings/);
  assert.match(page.body, /Column 1<[\s\S]*pia@example\.org[\s\S]*Column 3</);
  assert.deepEqual([selected(page, "column-0"), selected(page, "column-1")], ["email", "ignore"]);
  assert.doesNotMatch(page.body, /New text field with this name/);
  const columns = { "column-0": "email", "column-1": "first_name", "column-2": "ignore" };
  const report = await dryRun(path, columns, read);
  assert.match((await editor.get(`${path}?change`)).body, /Column 1</);
  await importNow(path, report);
  for (const name of ["Pia", "Quinn"])
    assert.equal((await personOf(`${name.toLowerCase()}@example.org`))?.data.firstName, name);
});

describe("the export of another product is right as it is filled in:", () => {
  /** The form as it stands. */
  const filledIn = ({ body }: Received): Readonly<Record<string, string>> => {
    const names = [...body.matchAll(/<select[^>]*name="([^"]+)"/g)].map(([, name]) => name ?? "");
    return Object.fromEntries(names.map((name) => [name, selected({ body } as Received, name) ?? ""]));
  };
  const arrived = async ({ email, since }: Arrived): Promise<Arrived> => {
    const found = await personOf(email);
    if (found === null) return notImported(email);
    const { data, state, lists } = found;
    const joinedAt = lists[0]?.joinedAt;
    return {
      ...{ email, state, first: data.firstName || null, last: data.lastName || null, country: data.country },
      since: since === null || joinedAt === undefined ? null : new Date(joinedAt).toISOString().slice(0, 10),
    };
  };
  for (const { name, text, people } of productExports)
    test(name, async () => {
      const path = await upload(text, name);
      const settings = await editor.get(path);
      const { id } = await server.store.lists.create({ account: 1, name, at: 1 });
      await importNow(path, await dryRun(path, { ...filledIn(settings), list: String(id) }));
      const found: Arrived[] = [];
      for (const person of people) found.push(await arrived(person));
      assert.deepEqual(found, people);
    });
});

test("several columns that say something about the state are taken as they are filled in", async () => {
  const rows = [
    "email,Newsletter,Abo,Status",
    "several@example.org,no,aktiv,active",
    "more@example.org,yes,aktiv,active",
  ];
  for (const width of [4, 3]) {
    const text = rows.map((row) => `${row.split(",").slice(0, width).join(",")}\n`).join("");
    const path = await upload(text, `several${width}.csv`);
    const page = await editor.get(path);
    const columns = [0, 1, 2, 3]
      .slice(0, width)
      .map((index) => [`column-${index}`, selected(page, `column-${index}`) ?? ""]);
    assert.deepEqual(
      columns.map(([, column]) => column),
      ["email", "state", width === 4 ? "ignore" : "state", "state"].slice(0, width),
    );
    assert.match(
      await dryRun(path, Object.fromEntries(columns)),
      /Unsubscribed<\/span><\/td>|Not mailed<\/dt><dd><span class="stat-value">1</,
    );
  }
});

test("a value that is not valid costs no person; a column full of them is left out with one button", async () => {
  const rows = ["email,birthday,country", "lo1@example.org,04/17,DE", "lo2@example.org,05/01,Atlantis"];
  const path = await upload(`${rows.join("\n")}\n`, "birthdays.csv");
  const columns = { "column-0": "email", "column-1": "birthday", "column-2": "country" };
  const report = await dryRun(path, columns);
  assert.match(report, /2 of 2 rows have an invalid value in the column &quot;.?birthday/);
  assert.match(report, /1 of 2 rows have an invalid value in the column &quot;.?country/);
  assert.match(report, /For example, in line 2: &quot;.?04\/17.?&quot; has no year\./);
  assert.match(report, /is not a country[^<]*<\/td>\s*<td[^>]*>.?Atlantis.?<\/td>/);
  assert.match(report, /Values that are left out/);
  assert.doesNotMatch(report, /Why rows are rejected/);
  const left = await editor.post(path, "leave-out", { heading: "birthday" });
  assert.equal(left.status, 303);
  await finishJobs(server.store);
  const again = (await editor.get(path)).body;
  assert.doesNotMatch(again, /in the column &quot;.?birthday/);
  assert.match(again, /in the column &quot;.?country/);
  const { body } = await editor.get(await importNow(path, again));
  assert.match(body, /These people were imported without these values.*is not a country.*>3</s);
  const found = await personOf("lo2@example.org");
  assert.deepEqual([found?.state, found?.data.country], ["active", null]);
});

test("each reason of rejected and left-out values has its first value with the line, however late it comes", async () => {
  const rows = Array.from({ length: 12 }, (_, n) => `wrong${n},`);
  const late = `${HOSTILE}@example.org,\nlate@example.org,${HOSTILE}${"x".repeat(300)}\n`;
  const path = await upload(`${rows.join("\n")}\n${late}`, "late.csv");
  const report = await dryRun(path, { ...EMAIL, "column-1": "country" }, `${path}?headings=none`);
  const cell = (text: string): RegExp => new RegExp(`<td[^>]*>${text}</td>`);
  assert.match(report, cell("Line 1: .?&#39;wrong0&#39;.?"));
  assert.match(report, cell("Line 13: .?&#39;&lt;script&gt;alert\\(1\\)&lt;/script&gt;@example.org&#39;.?"));
  assert.match(report, cell("&lt;script&gt;alert\\(1\\)&lt;/script&gt;x{35}….?"));
  assert.match(report, cell("14"));
  assert.ok(!report.includes(HOSTILE));
  const page = await importNow(path, report);
  assert.match((await editor.get(page)).body, cell("Line 1: .?&#39;wrong0&#39;.?"));
  const { body } = await viewer.get(page);
  assert.match(body, /… is not an e-mail address: it has no @/);
  assert.doesNotMatch(body, /wrong0/);
});

test("counts are in the same order wherever they are shown, and reasons by their number", () => {
  const one = 1;
  const { suppressed: _, ...none } = noSubscriberCounts;
  // As PostgreSQL may return the members of an object.
  const suppressed = { erased: one, blocked: one, bounced: one, complained: one, unsubscribed: one };
  const counts = {
    ...none,
    rejected: one,
    leftSince: one,
    pending: one,
    alreadyThere: one,
    added: one,
    suppressed,
  };
  const shown = { counts: { ...counts, duplicates: one }, isDone: true, formats: formatsFor("en", null) };
  const labels = [
    ...(outcomeTable("Outcome", shown)?.html ?? "").matchAll(/class="badge[^"]*"[^>]*>(?:<[^>]*>)*([^<]+)/g),
  ];
  assert.deepEqual(
    labels.map(([, label]) => label),
    [
      ...["Added", "Already there", "Not confirmed", "Unsubscribed", "Bounced", "Complained", "Blocked"],
      ...["Erased", "Left the list", "Repeated", "Rejected"],
    ],
  );
  const inText = summary("", { ...counts, duplicates: one });
  const words = ["added", "already on", "pending", "- unsub", "- bounced", "- complained", "- blocked"];
  const at = [...words, "- erased", "left the list", "duplicates", "rejected"].map((word) =>
    inText.indexOf(word),
  );
  assert.deepEqual(
    at,
    at.toSorted((a, b) => a - b),
  );
  assert.ok(!at.includes(-1), inText);
  const leftOut = { 2: { late: { values: 1, lines: [1] } }, 10: { late: { values: 3, lines: [1] } } };
  const report = reportOf({ result: { counts: {}, leftOut, rejected: { reasons: { 7: 1, often: 3 } } } });
  assert.deepEqual(
    report?.leftOut.map(({ heading }) => heading),
    ["10", "2"],
  );
  assert.deepEqual(report.reasons, [
    ["often", 3],
    ["7", 1],
  ]);
});

test("whoever would change nothing is not led to import, and is asked about an earlier import only if all are there", async () => {
  const isPrimary = (body: string): boolean =>
    /<button class="button primary"[^>]*>(?:(?!<\/button>).)*Import now/s.test(body);
  const report = async (text: string): Promise<string> => dryRun(await upload(text, "nothing.csv"), EMAIL);
  const wrong = await report("email\nnobody\n");
  assert.match(wrong, /No row would change anything\./);
  const repeated = await report("email\nknown@example.org\n");
  assert.match(repeated, /No row would change anything: was this file imported before\?/);
  const useful = await report("email\nuseful@example.org\n");
  assert.deepEqual([wrong, repeated, useful].map(isPrimary), [false, false, true]);
});

test("a file of suppressions needs no columns, only the reason", async () => {
  const path = await upload("email\nknown@example.org\n@blocked.example\n", "stop.csv");
  const page = await editor.get(`${path}?contains=suppressions`);
  assert.match(page.body, /Why they must not be mailed/);
  const unsaid = await editor.post(`${path}?contains=suppressions`, "check", { as: "" });
  assert.equal(unsaid.status, 422);
  const tried = await editor.post(`${path}?contains=suppressions`, "check", { as: "blocked" });
  assert.equal(tried.status, 303);
  await finishJobs(server.store);
  assert.match((await editor.get(path)).body, /Newly blocked<\/dt><dd><span class="stat-value">2</);
});

test("the progress of an import says once how many rows there are: in figures, or in words if there are none", () => {
  const job: Job = {
    ...{ id: 1, kind: "import", name: "import 1", account: 1, createdAt: 0, by: null, done: 0, total: null },
    ...{ dueAt: 0, startedAt: 0, attempts: 0, lastError: null, leasedUntil: 100_000, cancelledAt: null },
    ...{ endedAt: null, ending: null, result: { import: 7, pass: 2, rows: 8500, bytes: 50 } },
  };
  const shown = (counts: ImportCounts | null): string =>
    liveProgress({ job, size: 100, at: 40_000, counts }, formatsFor("en", null), "/events", "/page").html;
  // Those that are saved, and not those that are read.
  const counts = { ...noSubscriberCounts, added: 8000, rejected: 250 };
  const rows = (html: string): readonly string[] => html.match(/8,\d50(?: rows)?|8,\d{3} rows/g) ?? [];
  assert.deepEqual(rows(shown(counts)), ["8,250"]);
  assert.match(shown(counts), /<p>213 rows per second · less than a minute left<\/p>/);
  assert.deepEqual(rows(shown(null)), ["8,500 rows"]);
});

test("an import can be stopped while it runs; its page says so", async () => {
  const path = await upload("email\nstop@example.org\n", "stopped.csv");
  const page = await begin(path, await dryRun(path, EMAIL));
  assert.match((await editor.get(`${page}?stop`)).body, /Stop the import\?/);
  assert.doesNotMatch((await viewer.get(`${page}?stop`)).body, /Stop the import/);
  assert.equal((await viewer.post(page, "stop")).status, 403);
  assert.equal((await editor.post(page, "stop")).status, 303);
  await finishJobs(server.store);
  assert.match((await editor.get(page)).body, /The import was stopped/);
});

test("a viewer sees imports, but neither uploads nor rejected rows; other accounts are not found", async () => {
  const path = await upload("email\nv@example.org\n", "v.csv");
  const { body } = await viewer.get(IMPORTS);
  assert.doesNotMatch(body, /type="file"|Uploaded files/);
  assert.equal((await viewer.get(path)).status, 403);
  assert.equal((await viewer.post(IMPORTS, "begin", { fileName: "v.csv", size: "1" })).status, 403);
  assert.equal((await viewer.get(`${IMPORTS}/1/rejected-rows`)).status, 403);
  const stranger = await server.signedIn("editor", 2);
  assert.equal((await stranger.get(path)).status, 404);
  assert.equal((await stranger.get(path.replace("/1/", "/2/"))).status, 404);
  assert.equal((await stranger.get("/console/2/imports/1")).status, 404);
  assert.equal((await stranger.get("/console/2/imports/uploads/1/content")).status, 404);
});

test("of a file name that is too long, the beginning and the extension are kept", async () => {
  const { body } = await editor.get(await upload("email\nl@example.org\n", `${"long".repeat(50)}.csv`));
  assert.match(body, /<h1>(?:long){23}lon…\.csv<\/h1>/);
});

test("a file that waits is deleted by a form", async () => {
  const path = await upload("email\nd@example.org\n", "deleted.csv");
  const deleted = await editor.post(path, "delete");
  assert.equal(locationOf(deleted), IMPORTS);
  assert.equal((await editor.get(path)).status, 404);
});

describe("an import is undone in the console:", () => {
  async function imported(text: string, name: string): Promise<string> {
    const path = await upload(text, name);
    return await importNow(path, await dryRun(path, EMAIL));
  }

  test("its page leads to the numbers, and then asks; afterwards it says that it was undone", async () => {
    const page = await imported(
      "email\nundone1@example.org\nknown@example.org\ngone@example.org\n",
      "undo.csv",
    );
    const done = await editor.get(page);
    assert.match(done.body, /1 person in the file stays without mail: opted out/);
    assert.match(done.body, new RegExp(`href="${page}/undo"[^>]*>.*?Undo this import`));
    assert.match((await editor.get(`${page}/undo`)).body, /First it is only counted/);
    const counting = await editor.post(`${page}/undo`, "count");
    assert.equal(counting.status, 303);
    assert.match((await editor.follow(counting)).body, /data-stream="\/console\/1\/jobs\/\d+\/events"/);
    await finishJobs(server.store);
    const asked = (await editor.follow(counting)).body;
    assert.match(
      asked,
      /Deleted: the import created them, and nothing else is known of them<\/t[dh]>\s*<td[^>]*>1</,
    );
    assert.match(asked, /Undo the import\?/);
    assert.match(asked, /Nobody who opted out gets mail again/);
    assert.ok(await personOf("undone1@example.org"));
    const started = await editor.post(`${page}/undo`, "undo");
    assert.match(locationOf(started), /^\/console\/1\/jobs\/\d+$/);
    await finishJobs(server.store);
    const job = (await editor.follow(started)).body;
    assert.match(job, /Undoing import \d+/);
    assert.match(job, /Removed from the list, but kept as subscribers<\/dt><dd>0</);
    assert.equal(await personOf("undone1@example.org"), null);
    const after = (await editor.get(page)).body;
    assert.match(after, /This import was undone on \d+ \w+ \d{4}/);
    assert.doesNotMatch(after, new RegExp(`${page}/undo`));
    assert.equal(locationOf(await editor.get(`${page}/undo`)), page);
    const again = await editor.post(`${page}/undo`, "undo");
    assert.equal(locationOf(again), page);
  });

  test("a viewer can neither count nor undo, and the count of another import is not taken", async () => {
    const [one, other] = [
      await imported("email\nv1@example.org\n", "v1.csv"),
      await imported("email\nv2@example.org\n", "v2.csv"),
    ];
    assert.doesNotMatch((await viewer.get(one)).body, /Undo this import/);
    assert.equal((await viewer.get(`${one}/undo`)).status, 403);
    assert.equal((await viewer.post(`${one}/undo`, "undo")).status, 403);
    const counting = await editor.post(`${one}/undo`, "count");
    await finishJobs(server.store);
    const asked = await editor.follow(counting);
    assert.match(asked.body, new RegExp(`There are later imports.*href="${other}"`, "s"));
    const { search } = new URL(counting.headers.get("location") ?? "", server.origin);
    assert.equal((await editor.get(`${other}/undo${search}`)).status, 404);
  });
});
