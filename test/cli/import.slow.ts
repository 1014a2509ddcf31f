/** Tables in and out. Where standard input or output is the subject, by the real program. */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { rowsText } from "#cli/commands/transfer/table-file.ts";
import type { SubscriberCounts } from "#domain/import/batch.ts";
import { Installation, type Ran } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
const path = (name: string): string => join(home.folder, name);
const put = (name: string, text: string | Buffer): string => {
  writeFileSync(path(name), text);
  return path(name);
};
const here = (...words: readonly string[]): Promise<Ran> => home.runHere(words);
const subscribers = (file: string, ...more: readonly string[]): Promise<Ran> =>
  here("import", "subscribers", file, "--list", "1", ...more);
const partialFolders = (): readonly string[] =>
  readdirSync(home.folder).filter((name) => name.startsWith("mailroll-partial-"));
async function fails(ran: Promise<Ran>, code: number, line: RegExp): Promise<Ran> {
  const result = await ran;
  assert.match(result.err, line);
  assert.equal(result.code, code, result.err);
  assert.match(result.err, /^mailroll: [^\n]+\n$/);
  return result;
}
interface Imported {
  readonly counts: SubscriberCounts;
}
interface Shown {
  readonly state: string;
  readonly suppressions: Readonly<Record<string, string | null>>;
  readonly lists: readonly { readonly id: number; readonly joinedAt: string }[];
  readonly firstName: string | null;
  readonly values: readonly { readonly field: { readonly name: string }; readonly value: string }[];
}
const show = async (email: string): Promise<Shown> => {
  const { out, err } = await here("subscriber", "show", email, "--json");
  assert.equal(err, "");
  return JSON.parse(out) as Shown;
};
const members = async (list: number): Promise<number | undefined> => {
  const lists = JSON.parse((await here("list", "list", "--json")).out) as {
    id: number;
    memberCount: number;
  }[];
  return lists.find(({ id }) => id === list)?.memberCount;
};

before(async () => {
  await here("account", "create", "Acme");
  for (const name of ["Members", "Copy"]) await here("list", "create", name);
  await here("field", "create", "Town", "--type", "STRING", "--id", "37328");
  await here("field", "create", "Score", "--type", "SCORE");
});

describe("import subscribers", () => {
  const table = Buffer.from(
    [
      "E-Mail;First name;37328;Score;Subscribed;Status;Unsubscribed",
      "ada@example.org;José;Nürnberg;4.5;01/05/2019 10:00;active;",
      "bob@example.org;Bob;;high;02/05/2019;active;",
      "out@example.org;;;;03/05/2019;unsubscribed;04/05/2020",
      "nonsense;;;;;;",
      "",
    ].join("\r\n"),
    "latin1",
  );

  test("reports in a dry run what it would do, and changes nothing", async () => {
    put("people.csv", table);
    const ran = await subscribers(path("people.csv"), "--dates", "dmy", "--strict", "--dry-run", "--json");
    assert.equal(ran.code, 1);
    const { error, notes, ...told } = JSON.parse(ran.out) as Record<string, unknown>;
    assert.match(JSON.stringify([error, notes]), /"RowsRejected".*1 line is not UTF-8/);
    assert.deepEqual(told, {
      ...{ isDryRun: true, importId: null, listId: 1, rowCount: 4, leftOutValues: [] },
      counts: {
        added: 1,
        alreadyThere: 0,
        pending: 0,
        suppressed: { unsubscribed: 1, bounced: 0, complained: 0, blocked: 0, erased: 0 },
        leftSince: 0,
        duplicates: 0,
        rejected: 2,
        newSubscribers: 2,
        updated: { subscribers: 0, values: 0 },
        keptNewer: { subscribers: 0, values: 0 },
        newBlocks: 0,
      },
      rejected: {
        rowCount: 2,
        file: null,
        reasons: [
          {
            reason: "… is not valid for the field Score (SCORE), which takes a number such as 4.5",
            rowCount: 1,
          },
          { reason: "… is not an e-mail address: it has no @", rowCount: 1 },
        ],
        first: [
          {
            line: 3,
            reason: "'high' is not valid for the field Score (SCORE), which takes a number such as 4.5",
          },
          { line: 5, reason: "'nonsense' is not an e-mail address: it has no @" },
        ],
      },
    });
    assert.match((await here("subscriber", "show", "ada@example.org")).err, /there is no subscriber/);
    const { err } = await here(
      "import",
      "subscribers",
      path("people.csv"),
      "--list",
      "1",
      ...["--dates", "dmy", "--strict", "--dry-run"],
    );
    assert.match(
      err,
      /line 3: 'high' is not valid for .*\nline 5: 'nonsense' is not an e-mail address: it has no @\nmailroll: 2 rows would be rejected\n$/,
    );
    assert.equal(existsSync(path("people.rejected.csv")), false);
    assert.deepEqual(partialFolders(), []);
  });

  test("imports a spreadsheet's CSV, writes rejected rows to a file, and imports them once corrected", async () => {
    const ran = await subscribers(path("people.csv"), "--dates", "dmy", "--strict");
    assert.equal(ran.code, 1);
    assert.match(
      ran.out,
      /^Imported into list 1 \(Members\) as import 1:\n +4 {2}rows read\n +1 {2}added to the list \(new subscribers, including suppressed ones: 2\)/,
    );
    assert.match(ran.out, / 2 {2}rejected\n +1 {2}- … is not valid for the field Score/);
    assert.match(ran.err, /1 line is not UTF-8 and was read as windows-1252/);
    assert.match(
      ran.err,
      /mailroll: 2 rows were rejected and written to .*people\.rejected\.csv; correct that file and import it\n$/,
    );
    const ada = await show("ada@example.org");
    assert.deepEqual(
      [ada.firstName, ada.values.map(({ field, value }) => `${field.name}=${value}`), ada.lists[0]?.joinedAt],
      ["José", ["Town=Nürnberg", "Score=4.5"], "2019-05-01T10:00:00.000Z"],
    );
    const out = await show("out@example.org");
    assert.deepEqual(
      [out.state, out.suppressions.unsubscribed],
      ["unsubscribed", "2020-05-04T00:00:00.000Z"],
    );
    assert.equal(await members(1), 1);

    const report = path("people.rejected.csv");
    const text = readFileSync(report, "utf8");
    assert.equal(statSync(report).mode & 0o777, 0o600);
    assert.deepEqual(text.split("\r\n"), [
      "\ufeffrejected_line;rejected_reason;E-Mail;First name;37328;Score;Subscribed;Status;Unsubscribed",
      `3;"'high' is not valid for the field Score (SCORE), which takes a number such as 4.5";bob@example.org;Bob;;high;02/05/2019;active;`,
      "5;'nonsense' is not an e-mail address: it has no @;nonsense;;;;;;",
      "",
    ]);
    put("corrected.csv", text.replace(";high;", ";7;").replace(";nonsense;", ";cy@example.org;"));
    const corrected = await subscribers(path("corrected.csv"), "--dates", "dmy");
    assert.equal(corrected.code, 0, corrected.err);
    assert.equal(await members(1), 3);
    assert.equal(existsSync(path("corrected.rejected.csv")), false);
  });

  test("writes rejected rows without formulas, unless asked otherwise, and imports them as they were", async () => {
    put("formulas.csv", "email,First name\nnonsense,=1+1\n");
    const file = path("formulas.rejected.csv");
    await subscribers(path("formulas.csv"), "--rejected", file);
    const text = readFileSync(file, "utf8");
    assert.match(text, /,nonsense,'=1\+1\r\n$/);
    put("formulas.csv", text.replace(",nonsense,", ",nonsense-again,"));
    await subscribers(path("formulas.csv"), "--rejected", file, "--rejected-unchanged");
    assert.match(readFileSync(file, "utf8"), /,nonsense-again,=1\+1\r\n$/);
  });

  test("never overwrites an existing file of rejected rows", async () => {
    const ran = await subscribers(path("people.csv"), "--dates", "dmy", "--strict");
    assert.match(
      ran.out,
      / 1 {2}already on the list\n +1 {2}suppressed; they are not mailed\n +1 {2}- unsubscribed\n/,
    );
    assert.match(ran.err, /written to .*people\.rejected-2\.csv/);
    assert.equal(await members(1), 3, "the same file again changes nothing");
  });

  test("never clears an opt-out", async () => {
    put("again.csv", "email,state\nout@example.org,active\n");
    const ran = await subscribers(path("again.csv"), "--json");
    assert.equal((JSON.parse(ran.out) as Imported).counts.suppressed.unsubscribed, 1);
    assert.equal((await show("out@example.org")).state, "unsubscribed");
    assert.equal(await members(1), 3);
  });

  test("adds blocks for addresses that are blocked in the file", async () => {
    put("blocked.csv", "email,state\nbad@example.org,blocked\ncy@example.org,blocked\n");
    assert.equal((await subscribers(path("blocked.csv"))).code, 0);
    assert.match((await here("block", "list")).out, /bad@example\.org .*\ncy@example\.org /);
    assert.equal(await members(1), 2);
    await here("block", "remove", "cy@example.org");
    assert.equal(await members(1), 3);
  });

  test("reads standard input, and reports where the rejected rows are", async () => {
    const words = ["import", "subscribers", "-", "--list", "1"];
    const ran = await home.run(words, { input: "email\ndee@example.org\nno\n" });
    assert.match(ran.err, /1 row was rejected and written to stdin\.rejected\.csv/);
    assert.equal((await show("dee@example.org")).state, "active");
  });

  test("reports in one line what it cannot read, and imports nothing", async () => {
    mkdirSync(path("folder"));
    const wrong: readonly (readonly [text: string | null, name: string, code: number, line: RegExp])[] = [
      [null, "nowhere.csv", 1, /^mailroll: there is no file .*nowhere\.csv\n$/],
      [null, "folder", 1, /folder is a folder; name a file in it/],
      ["", "empty.csv", 1, /empty\.csv is empty/],
      ["name,town\nx,y\n", "no-email.csv", 2, /no column is named email; the columns are: name, town/],
      [
        "ada@example.org,Ada\n",
        "no-header.csv",
        2,
        /the first row must name the columns.*'ada@example\.org'/,
      ],
      ["email,E-Mail\n", "twice.csv", 2, /the columns 'email' and 'E-Mail' map to the same data/],
      ["email,E-Mail\n", "twice.csv", 2, /ignore one with --map E-Mail=ignore/],
      ["email,Twon,xyz\n", "unknown.csv", 2, /unknown columns: 'Twon', 'xyz'\. .*--ignore-unknown/],
    ];
    for (const [text, name, code, line] of wrong) {
      if (text !== null) put(name, text);
      await fails(here("import", "subscribers", path(name), "--list", "1"), code, line);
    }
    await fails(here("import", "subscribers", path("again.csv"), "--list", "9"), 1, /there is no list 9/);
    for (const [option, value, line] of [
      ["--separator", "ab", /--separator takes one character/],
      ["--dates", "ymd", /--dates must be one of dmy, mdy/],
      ["--encoding", "klingon", /there is no encoding 'klingon'/],
    ] as const) {
      const words = ["import", "subscribers", path("again.csv"), "--list", "1", option, value];
      assert.match((await here(...words)).err, line);
    }
    const ignoring = await subscribers(
      put("unknown.csv", "email,Twon\neve@example.org,x\n"),
      "--ignore-unknown",
    );
    assert.equal(ignoring.code, 0, ignoring.err);
  });

  test("reports the line of an unclosed quote before it imports the first row", async () => {
    const rows = Array.from({ length: 1200 }, (_, n) => `q${n}@example.org,x`).join("\n");
    const file = put("quote.csv", `email,first_name\n${rows}\nbad@example.org,"x\n${"y\n".repeat(600_000)}`);
    await fails(
      subscribers(file),
      1,
      /quote\.csv cannot be read: the row that begins in line 1202 is longer .*check for an unclosed quote there/,
    );
    assert.match((await here("subscriber", "show", "q999@example.org")).err, /there is no subscriber/);
    put("quote.csv", `email,first_name\n${rows}\nq1200@example.org,"x"\n`);
    const again = await subscribers(file, "--json");
    const { alreadyThere, added } = (JSON.parse(again.out) as Imported).counts;
    assert.deepEqual([alreadyThere, added], [0, 1201]);
  });

  test("stops before the first row if no rejected rows can be written beside the file", async () => {
    const file = openSync(put("unnamed.csv", "email\nunnamed@example.org\nno\n"), "r");
    // Nobody can create a file in this folder.
    const name = `/proc/${process.pid}/fd/${file}`;
    try {
      await fails(
        here("import", "subscribers", name, "--list", "1"),
        1,
        /rejected rows cannot be written to \/proc\/.*\.rejected\.csv: .*; give --rejected FILE to write them elsewhere\n/,
      );
      assert.match((await here("subscriber", "show", "unnamed@example.org")).err, /there is no subscriber/);
      const ran = await here("import", "subscribers", name, "--list", "1", "--rejected", path("unnamed.rej"));
      assert.match(ran.err, /1 row was rejected and written to .*unnamed\.rej;/);
    } finally {
      closeSync(file);
    }
  });

  test("reports a list or an import that does not exist as NotFound", async () => {
    for (const words of [
      ["import", "subscribers", put("any.csv", "email\n"), "--list", "99"],
      ["import", "show", "99"],
    ]) {
      const { code, out } = await here(...words, "--json");
      const { error } = JSON.parse(out) as { readonly error: { readonly code: string } };
      assert.deepEqual([code, error.code], [1, "NotFound"]);
    }
  });

  test("writes rejected rows to a new private file, which replaces the old one when it is complete", async () => {
    const report = put("open-report.csv", "old");
    chmodSync(report, 0o644);
    const { ino } = statSync(report);
    const bad = put("bad.csv", "email\nno\n");
    const ran = await here("import", "subscribers", bad, "--list", "1", "--rejected", report);
    assert.equal(ran.code, 1);
    assert.notEqual(statSync(report).ino, ino);
    assert.equal(statSync(report).mode & 0o777, 0o600);
    assert.match(readFileSync(report, "utf8"), /^\ufeffrejected_line,.*\r\n2,.*\r\n$/);
    assert.deepEqual(partialFolders(), []);
  });

  test("does not follow a link at the default name of the file of rejected rows", async () => {
    const victim = put("report-victim.txt", "mine");
    symlinkSync(victim, path("planted.rejected.csv"));
    const ran = await here("import", "subscribers", put("planted.csv", "email\nno\n"), "--list", "1");
    assert.match(ran.err, /written to .*planted\.rejected-2\.csv/);
    assert.equal(readFileSync(victim, "utf8"), "mine");
  });

  test("reports an interruption, and ends even if its input does not", async () => {
    const report = path("interrupted.csv");
    const child = home.start(["import", "suppressions", "-", "--as", "bounced", "--rejected", report]);
    const output = { err: "" };
    child.stderr?.on("data", (text: Buffer) => {
      output.err += text.toString();
    });
    child.stdin?.write("email\nno\nyes@example.org\n");
    // Before, the folder is tried out, without a file in it.
    const isWriting = () => partialFolders().some((name) => existsSync(path(join(name, "file"))));
    while (!isWriting()) await delay(20);
    assert.ok(!existsSync(report), "it has its name only when it is whole");
    child.kill("SIGINT");
    const [code] = (await once(child, "exit")) as [number | null];
    assert.equal(code, 1);
    assert.match(output.err, /mailroll: interrupted\. The import stopped at line 3; import the file again/);
    assert.match(readFileSync(report, "utf8"), /\r\n2,.*\r\n$/);
    assert.deepEqual(partialFolders(), []);
  });

  test("lets a server write to the same database meanwhile", async () => {
    const served = await home.serve(["--api-key", "0123456789ABCDEF"]);
    const key = (await here("key", "create")).out.slice(0, 32);
    const rows = Array.from({ length: 20_000 }, (_, n) => `big${n}@example.org`).join("\n");
    const importing = subscribers(put("big.csv", `email\n${rows}\n`));
    const done = new AbortController();
    const ended = importing.finally(() => done.abort());
    let answered = 0;
    for (; !done.signal.aborted; answered += 1) {
      const EMail = `live${answered}@example.org`;
      assert.equal(await served.call("Subscriber.Add", { APIKey: key, SubscribersListID: 1, EMail }), "0");
    }
    assert.equal((await ended).code, 0);
    assert.ok(answered > 0);
    await served.stop();
    assert.match((await here("doctor")).out, /counters +stored counts agree with a recount: \d+/);
  });
});

describe("export subscribers", () => {
  const table = [
    "email,first_name,last_name,gender,birthday,country,Town,Score,subscribed_at,state,unsubscribed_at,bounced_at,complained_at,blocked_at",
    'ada@example.net," Ada ","Love; ""lace""",F,1985-12-10,GB,"two\r\nlines",-4.5,2019-05-01T10:00:00.123Z,active,,,,',
    '=1+1@example.net,=1+1,,X,,,"|",,2019-05-01T10:00:00Z,complained,2020-01-01T00:00:00Z,2020-01-02T00:00:00Z,2020-01-03T00:00:00Z,',
    "blocked@example.net,,,,,,,,2019-05-01T10:00:00Z,blocked,,,,2020-01-04T00:00:00Z",
    "",
  ].join("\r\n");

  test("writes byte for byte what was imported", async () => {
    const taken = await home.run(["import", "subscribers", put("odd.csv", table), "--list", "2"]);
    assert.equal(taken.code, 0, taken.err);
    const ran = await home.run(["export", "subscribers", "--list", "2", "--state", "all"]);
    assert.equal(ran.out, table);
    const other = new Installation();
    try {
      await other.runHere(["account", "create", "Other"]);
      for (const name of ["One", "Two"]) await other.runHere(["list", "create", name]);
      await other.runHere(["field", "create", "Town", "--type", "STRING"]);
      await other.runHere(["field", "create", "Score", "--type", "SCORE"]);
      const again = await other.run(["import", "subscribers", "-", "--list", "2"], { input: ran.out });
      assert.equal(again.code, 0, again.err);
      assert.equal((await other.run(["export", "subscribers", "--list", "2", "--state", "all"])).out, table);
    } finally {
      await other.remove();
    }
  });

  test("writes a private file, with a byte order mark and the requested separator", async () => {
    const file = path("out.csv");
    const words = [
      "export",
      "subscribers",
      "--list",
      "2",
      "--state",
      "all",
      "--output",
      file,
      "--bom",
      "--separator",
      "tab",
    ];
    assert.match((await here(...words)).out, /^Exported 3 members of list 2 to .*out\.csv\n$/);
    assert.match(readFileSync(file, "utf8"), /^\ufeffemail\tfirst_name\t/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse((await here(...words, "--force", "--json")).out), {
      listId: 2,
      state: "all",
      rowCount: 3,
      file,
    });
    await fails(here("export", "subscribers", "--list", "9"), 1, /there is no list 9/);
    const asJson = await here("export", "subscribers", "--list", "2", "--json");
    assert.equal(asJson.code, 2);
    assert.match(asJson.out, /"InvalidUsage"[\s\S]*with --json, give --output FILE/);
    const nowhere = ["export", "subscribers", "--list", "2", "--output", path("nowhere/out.csv")];
    await fails(here(...nowhere), 1, /out\.csv cannot be written: there is no folder/);
  });
});

describe("import suppressions", () => {
  const take = (file: string, ...more: readonly string[]): Promise<Ran> =>
    here("import", "suppressions", file, ...more);

  test("stores one address or domain per line with the given kind", async () => {
    const file = put("optouts.txt", "Gone@example.org\n\nada@example.org\nnonsense@\n@example.com\n");
    const ran = await take(file, "--as", "unsubscribed");
    assert.equal(ran.code, 1);
    assert.match(ran.out, /^Imported as import \d+:\n +4 {2}rows read\n +2 {2}opt-outs, .*\n +0 {2}blocks/);
    assert.match(
      readFileSync(path("optouts.rejected.csv"), "utf8"),
      /^.*\r\n4,'nonsense@' is neither.*\r\n5,"'@example\.com' is a whole domain, which can only be blocked; set its kind to blocked",'@example\.com\r\n$/,
    );
    for (const email of ["gone@example.org", "ada@example.org"])
      assert.equal((await show(email)).state, "unsubscribed");
    const again = await take(file, "--as", "unsubscribed");
    assert.match(again.out, /\n +2 {2}already recorded\n/);
  });

  test("imports a file with kinds and dates, and a dry run predicts the same", async () => {
    const file = put(
      "suppressions.csv",
      "Pattern;Kind;Date;Note\nx@example.org;bounced;2020-01-01;a\ny@example.org;complaint;;b\n@spam.example;blocked;2020-01-02;\nz@example.org;pending;;\nADA@example.org;blocked;;\n",
    );
    const dry = await take(file, "--dry-run", "--json");
    const real = await take(file, "--json", "--rejected", path("kinds.csv"));
    const [foretold, done] = [dry, real].map(({ out }) => JSON.parse(out) as Record<string, unknown>);
    for (const told of [foretold, done]) {
      assert.equal(told?.rowCount, 5);
      assert.deepEqual(told.counts, { recorded: 2, newBlocks: 2, noOps: 0, rejected: 1 });
      assert.match(JSON.stringify(told.rejected), /^\{"rowCount":1,/);
    }
    assert.equal((await show("x@example.org")).suppressions.bounced, "2020-01-01T00:00:00.000Z");
    assert.equal((await show("y@example.org")).state, "complained");
    assert.equal((await show("ada@example.org")).state, "blocked");
    assert.match((await here("block", "list")).out, /@spam\.example +2020-01-02/);
    assert.match(
      readFileSync(path("kinds.csv"), "utf8"),
      /'pending' is not a kind; use one of: blocked, complained/,
    );
  });

  test("requires the kind of the addresses", async () => {
    await fails(take(put("what.txt", "a@example.org\n")), 2, /there is no column 'kind'; give --as/);
    await fails(
      take(put("what.txt", "who\nx\n"), "--as", "blocked"),
      2,
      /the first row must name the columns/,
    );
    await fails(take(put("what.txt", "a@example.org\n"), "--as", "active"), 2, /--as must be one of/);
  });
});

test("progress is shown as a percentage if the file size is known", () => {
  assert.equal(rowsText(50_000, 2000, 250, 1000), "[##--------] 25% 50,000 rows 25,000/s 6 s left");
  assert.equal(rowsText(50_000, 2000, 250, null), "50,000 rows 25,000/s");
  assert.equal(rowsText(0, 0, 0, 0), "0 rows 0/s");
  assert.equal(
    rowsText(50_000, 2000, 250, 1000, (rows) => `1 of 2: dates of ${rows} rows`),
    "[##--------] 25% 1 of 2: dates of 50,000 rows 25,000/s 6 s left",
  );
});
