/** `mailroll statistics …`, and what the doctor makes of wrong numbers. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import type { Check } from "#cli/commands/doctor.ts";
import { dayOf } from "#domain/calendar.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor } from "../store/actor.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const run = home.output;
const refusal = async (...words: readonly string[]): Promise<string> => {
  const { code, err } = await home.runHere(words);
  assert.notEqual(code, 0);
  return err;
};

const SEEN = Date.UTC(2026, 10, 14, 9, 30);
const DAY = dayOf(SEEN);

before(async () => {
  await run("account", "create", "Acme");
  await run("list", "create", "News");
  await run("list", "create", "Offers");
  await run("key", "create", "--label", "Shop");
  await run("key", "create", "--label", "Form");
  const store = await SqliteStore.open(home.database, { days: 90, rows: 100, bytes: 2 ** 28 });
  const acme = actor(store, 1);
  for (const name of ["ada", "bob", "eve"]) await acme.add(1, `${name}@example.org`, SEEN);
  await acme.remove(1, "eve@example.org", SEEN);
  await acme.unsubscribe("bob@example.org", SEEN);
  const php = { key: 1, program: "PHP-SOAP 7.4" };
  await store.statistics.addCalls({
    calls: [
      { ...php, day: DAY, calls: 1200, refusals: 3, faults: 1 },
      { ...php, day: DAY - 1, calls: 10, refusals: 0, faults: 0 },
      { key: 2, program: "curl 8.1", day: DAY, calls: 2, refusals: 0, faults: 2 },
    ],
    quirks: [{ ...php, quirk: "wsdl-every-call", seenAt: SEEN }],
  });
  await store.close();
});

test("statistics subscribers shows every day of a range, with how many were active at its end", async () => {
  const range = ["--from", "2026-11-13", "--to", "2026-11-14"];
  assert.equal(
    await run("statistics", "subscribers", "--list", "1", ...range),
    `DATE        JOINED  LEFT  ACTIVE
2026-11-13       0     0       0
2026-11-14       3     2       1
`,
  );
  const days = JSON.parse(await run("statistics", "subscribers", "--to", "2026-11-14", "--json")) as object[];
  assert.equal(days.length, 30);
  assert.deepEqual(days.at(-1), { date: "2026-11-14", joined: 3, left: 1, active: 2 });
});

test("statistics lists shows what each list has won and lost", async () => {
  assert.deepEqual(JSON.parse(await run("statistics", "lists", "--to", "2026-11-15", "--json")), [
    { id: 1, name: "News", joined: 3, left: 2, members: 1 },
    { id: 2, name: "Offers", joined: 0, left: 0, members: 0 },
  ]);
  assert.match(await run("statistics", "lists", "--to", "2020-01-01"), /\n +1 +News +0 +0 +1\n/);
});

test("statistics calls shows programs by their calls, observations about them, and single days", async () => {
  const range = ["--from", "2026-11-01", "--to", "2026-11-14"];
  assert.deepEqual((await run("statistics", "calls", ...range)).trimEnd().split("\n"), [
    "KEY ID  PROGRAM       CALLS  REFUSALS  FAULTS  LAST DATE",
    "     1  PHP-SOAP 7.4  1,210         3       1  2026-11-14",
    "     2  curl 8.1          2         0       2  2026-11-14",
    "Key 1: PHP-SOAP 7.4 reads the WSDL again for its calls; turn on its WSDL cache (last seen 2026-11-14 09:30:00Z).",
  ]);
  assert.deepEqual(
    JSON.parse(await run("statistics", "calls", "--by-day", "--key", "1", "--json", ...range)),
    [
      { keyId: 1, program: "PHP-SOAP 7.4", calls: 10, refusals: 0, faults: 0, date: "2026-11-13" },
      { keyId: 1, program: "PHP-SOAP 7.4", calls: 1200, refusals: 3, faults: 1, date: "2026-11-14" },
    ],
  );
  assert.match(await run("statistics", "calls", "--to", "2020-01-01"), /^There are no calls in these days\./);
});

test("statistics keys shows all keys with their totals, and with --json their days and programs", async () => {
  const range = ["--from", "2026-11-13", "--to", "2026-11-14"];
  assert.equal(
    await run("statistics", "keys", ...range),
    `KEY ID  NAME  CALLS  REFUSALS  FAULTS  PROGRAM COUNT
     1  Shop  1,210         3       1              1
     2  Form      2         0       2              1
`,
  );
  const total = { calls: 2, refusals: 0, faults: 2 };
  assert.deepEqual(await home.json("statistics", "keys", "--key", "2", ...range), [
    {
      ...{ keyId: 2, name: "Form", total, programCount: 1 },
      days: [
        { date: "2026-11-13", calls: 0, refusals: 0, faults: 0 },
        { date: "2026-11-14", ...total },
      ],
      programs: [{ program: "curl 8.1", ...total, lastDate: "2026-11-14" }],
    },
  ]);
  assert.match(
    await refusal("statistics", "keys", "--from", "2026-01-01", ...range.slice(2)),
    /at most 100 days/,
  );
});

test("campaign results counts events by day and lists who had one; statistics campaigns counts all", async () => {
  await run("campaign", "record", "Spring", "--list", "1", "--sent", "2020-05-01T10:00:00Z");
  for (const [kind, name] of [
    ["bounced", "max"],
    ["bounced", "zoe"],
    ["complained", "ivy"],
  ] as const)
    await run("campaign", "event", "1", kind, `${name}@example.org`, "--at", "2020-05-02T10:00:00Z");
  const counts = { bounced: 2, unsubscribed: 0, complained: 1 };
  assert.deepEqual(await home.json("campaign", "results", "1", "--to", "2020-05-02"), [
    { date: "2020-05-01", bounced: 0, unsubscribed: 0, complained: 0, isComplete: true },
    { date: "2020-05-02", ...counts, isComplete: true },
  ]);
  assert.match(
    await run("campaign", "results", "1"),
    /^DATE +BOUNCED +UNSUBSCRIBED +COMPLAINED +IS COMPLETE\n/,
  );
  const [max, ...others] = await home.json<readonly Readonly<Record<string, unknown>>[]>(
    ...["campaign", "results", "1", "--event", "bounced"],
  );
  assert.equal(others.length, 1);
  const at = "2020-05-02T10:00:00.000Z";
  const none = { firstName: null, lastName: null };
  assert.deepEqual(max, {
    subscriberId: max?.subscriberId,
    email: "max@example.org",
    ...none,
    joinedAt: at,
    at,
  });
  const first = await home.runHere(["campaign", "results", "1", "--event", "bounced", "--limit", "1"]);
  assert.match(first.out, /max@example\.org/);
  assert.match(first.err, /these are the first 1; for more, give --limit N/);
  assert.match(await run("campaign", "results", "1", "--event", "unsubscribed"), /Nobody has unsubscribed/);
  for (const [words, reason] of [
    [["9"], /there is no campaign 9/],
    [["1", "--limit", "5"], /--limit needs --event/],
    [
      ["1", "--event", "complained", "--to", "2020-05-02"],
      /--from and --to cannot be used with --event; leave out/,
    ],
    [["1", "--event", "click"], /--event must be one of bounced, unsubscribed, complained/],
  ] as const)
    assert.match(await refusal("campaign", "results", ...words), reason);
  const [spring] = await home.json<readonly { readonly createdAt: string }[]>("statistics", "campaigns");
  const sentAt = "2020-05-01T10:00:00.000Z";
  assert.deepEqual(spring, { id: 1, name: "Spring", createdAt: spring?.createdAt, sentAt, ...counts });
});

test("field usage and block preview count subscribers, and change nothing", async () => {
  await run("field", "create", "Town", "--type", "STRING");
  await run("field", "create", "Size", "--type", "STRING");
  await run("subscriber", "set", "ada@example.org", "--field", "Town=London");
  const usage = await home.json<{ readonly subscriberCount: number }>("field", "usage");
  const { subscriberCount } = usage;
  assert.deepEqual(usage, { subscriberCount, hasMore: false, fields: [{ fieldId: 1, valueCount: 1 }] });
  assert.equal(
    await run("field", "usage"),
    `Number of the ${subscriberCount} subscribers who have a value:
FIELD ID  NAME  VALUE COUNT
       1  Town            1
       2  Size            0
`,
  );
  assert.deepEqual(await home.json("block", "preview", "@EXAMPLE.org"), {
    ...{ pattern: "@example.org", subscriberCount, hasMore: false },
  });
  assert.equal(
    await run("block", "preview", "ada@example.org"),
    "A block of ada@example.org would cover 1 subscriber.\n",
  );
  assert.match(await refusal("block", "preview", "*@x.org"), /must not contain \*/);
  assert.match(await run("block", "list"), /^Nothing is blocked/);
});

test("says what is wrong with a day, a range, a list or a key", async () => {
  const of = (...words: readonly string[]) => refusal("statistics", ...words);
  assert.match(
    await of("lists", "--from", "yesterday"),
    /--from 'yesterday' is not a date such as 2026-11-01/,
  );
  assert.match(await of("lists", "--to", "2026-02-30"), /--to '2026-02-30' is not a date/);
  assert.match(
    await of("calls", "--from", "2026-02-02", "--to", "2026-02-01"),
    /--from '2026-02-02' must not be after the last day, 2026-02-01/,
  );
  assert.match(
    await of("subscribers", "--from", "2020-01-01", "--to", "2026-02-01"),
    /is too early: at most 400 days can be read at once; with this last day, the earliest is 2024-12-29/,
  );
  assert.match(await of("subscribers", "--list", "9"), /there is no list 9; see 'bin\/mailroll list list'/);
  assert.match(await of("calls", "--key", "9"), /there is no key 9; see 'bin\/mailroll key list'/);
});

test("doctor reports days that do not add up, and corrects them if it is told to", async () => {
  const db = new DatabaseSync(home.database);
  db.exec("UPDATE list_day SET gained = gained + 5; UPDATE account SET active_subscribers = 77");
  db.close();
  const examine = async (...words: readonly string[]) => {
    const { code, out } = await home.runHere(["doctor", "--json", ...words]);
    const { checks } = JSON.parse(out) as { checks: readonly Check[] };
    const found = checks.filter(({ name }) => name === "counters" || name === "statistics");
    return { code, found: found.map(({ status, message }) => `${status}: ${message}`) };
  };
  const wrong = await examine();
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.found.join("\n"),
    /^problem: active subscribers of account 1: 77 is stored, .* run: bin\/mailroll doctor --correct-statistics; .*defect\nproblem: sum of the days of list 1: 6 is stored, but a recount gives 1; to correct it, run: bin\/mailroll doctor --correct-statistics; .*defect$/,
  );
  const corrected = await examine("--correct-statistics");
  assert.equal(corrected.code, 0);
  assert.match(
    corrected.found.join("\n"),
    /^warning: corrected 2 wrong entries \(.*\)\nok: stored counts agree/,
  );
  assert.match((await examine("--correct-statistics")).found.join("\n"), /^ok: .*nothing was changed\nok: /);
});
