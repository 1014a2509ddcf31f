/** The doctor, content and discontent. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { Check } from "#cli/commands/doctor.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { newPair } from "../certificate-files.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
/** Opens the database of the other one anew for each command. */
const opening = new Installation();
after(() => Promise.all([home.remove(), opening.remove()]));

/** Of an installation that can send. */
const SENDS = { MAILROLL_SMTP: "smtp://relay.example.org", MAILROLL_BASE_URL: "https://mail.example.org" };
const examine = async (env: Readonly<Record<string, string>> = {}, by = home) => {
  const { code, out } = await by.runHere(["doctor", "--json"], null, { ...SENDS, ...env });
  return { code, checks: (JSON.parse(out) as { checks: readonly Check[] }).checks };
};
const spoil = (sql: string): void => {
  const db = new DatabaseSync(home.database);
  db.exec(sql);
  db.close();
};
const statuses = (checks: readonly Check[]) => checks.map(({ name, status }) => `${name} ${status}`);

test("doctor reports a missing database and creates none", async () => {
  const { code, out, err } = await home.runHere(["doctor"], null, SENDS);
  assert.equal(code, 1);
  assert.match(
    out,
    /^ok +settings .*\nproblem +file +there is no database .*; start the server once \('bin\/mailroll serve'\).*\nok +mail /,
  );
  assert.equal(err, "mailroll: 1 problem found\n");
  assert.equal(existsSync(dirname(home.database)), false);
});

test("a file that is not a database is a problem, and stays unchanged", async () => {
  mkdirSync(dirname(home.database));
  writeFileSync(home.database, "something else entirely", { mode: 0o600 });
  const { code, checks } = await examine();
  assert.equal(code, 1);
  assert.match(checks.find(({ status }) => status === "problem")?.message ?? "", /is not a SQLite database/);
  writeFileSync(home.database, "");
});

test("an account without a valid key, a readable file and an unknown variable are warnings with advice", async () => {
  await home.json("account", "create", "Acme");
  chmodSync(home.database, 0o644);
  const { code, checks } = await examine({ MAILROLL_BASEURL: "https://mail.example.org" });
  assert.equal(code, 0);
  const warnings = checks.filter(({ status }) => status === "warning").map(({ message }) => message);
  assert.equal(warnings.length, 3);
  assert.match(warnings[0] ?? "", /MAILROLL_BASEURL .* did you mean MAILROLL_BASE_URL\?/);
  assert.match(warnings[1] ?? "", /run: chmod 600 \S+m\.db$/);
  assert.match(warnings[2] ?? "", /account 1 \(Acme\) has no valid key; .*mailroll key create --account 1/);
});

test("a sound installation is reported line by line, with exit code 0", async () => {
  chmodSync(home.database, 0o600);
  await home.json("key", "create");
  await home.json("list", "create", "News");
  await home.json("subscriber", "add", "1", "ada@example.org");
  const { code, out, err } = await home.runHere(["doctor"], null, SENDS);
  assert.equal(code, 0, out);
  assert.equal(err, "");
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ +/, 2).join(" "));
  const names = [
    "settings",
    "file",
    "disk",
    "schema",
    "writes",
    "integrity",
    "counters",
    "accounts",
    "jobs",
    "mail",
  ];
  assert.deepEqual(
    lines,
    names.map((name) => `ok ${name}`),
  );
});

test("campaigns that would be written to files, and links that would lead nowhere, are warnings", async () => {
  const { code, out } = await home.runHere(["doctor"]);
  assert.equal(code, 0);
  assert.match(
    out,
    /^warning +mail +messages are written to files in .*outbox, and not sent; for real mail, set/m,
  );
  assert.match(out, /^warning +address +MAILROLL_BASE_URL is not set, so links in messages would lead/m);
  const { checks } = await examine();
  const mail = checks.find(({ name }) => name === "mail");
  assert.equal(mail?.message, "the relay of the installation is relay.example.org:25");
  assert.ok(!checks.some(({ name }) => name === "address"));
});

test("no relay of the installation is needed if every sender has one, and none in a demo", async () => {
  const mail = async () =>
    (await home.runHere(["doctor"])).out.split("\n").filter((line) => /^\w+ +(mail|address) /.test(line));
  const sender = ["--from", "news@example.org", "--postal-address", "1 Main Street", "--signed-by", "relay"];
  await home.json("sender", "create", ...sender, "--relay", "smtp://relay.example.org");
  assert.match((await mail())[0] ?? "", /^ok +mail +every sender has a relay of its own$/);
  await home.json("sender", "create", ...sender);
  assert.match((await mail())[0] ?? "", /^warning +mail +messages are written to files/);
  const program = {
    version: "0",
    schemaVersion: 1,
    since: 1,
    address: "http://localhost",
    isDemo: true,
    isFilling: false,
  };
  const store = await SqliteStore.open(home.database, { days: 90, rows: 1000, bytes: 2 ** 28 });
  await store.health.startProgram(program);
  await store.close();
  const shown = await mail();
  assert.equal(shown.length, 1);
  assert.match(
    shown[0] ?? "",
    /^ok +mail +this database is a demo, which sends nothing: messages are written/,
  );
  spoil("UPDATE program SET is_demo = 0");
});

test("a valid key of fewer than 16 characters is a warning with advice; one of unknown length is not", async () => {
  const take = (key: string) => home.json<{ id: number }>("key", "create", "--key", key);
  const short = await take("Short-Key-15-ch");
  await take("Longer-Key-16-ch");
  const unknown = await take("UnknownL");
  spoil(`UPDATE api_key SET length = NULL WHERE id = ${unknown.id}`);
  const warnings = async () => (await examine()).checks.filter(({ status }) => status === "warning");
  const [warning, ...others] = await warnings();
  assert.deepEqual(others, []);
  assert.equal(warning?.name, "keys");
  assert.match(
    warning.message,
    new RegExp(`^key ${short.id} \\(SHOR…\\) of account 1 has fewer than 16 .*mailroll key revoke`),
  );
  await home.json("key", "revoke", String(short.id), "--yes");
  assert.deepEqual(await warnings(), []);
});

test("a job that fails, and one that nobody does or knows, are warnings; a periodic one that waits is not", async () => {
  const due = Date.UTC(2026, 0, 1);
  const insert = (name: string, attempts: number, lastError: string | null) =>
    spoil(`INSERT INTO job (name, kind, args, created_at, due_at, attempts, last_error)
           VALUES ('${name}', '${name.split(" ")[0]}', '{}', ${due}, ${due}, ${attempts}, ${lastError === null ? "NULL" : `'${lastError}'`})`);
  const jobs = async () => (await examine()).checks.filter(({ name }) => name === "jobs");
  assert.deepEqual(await jobs(), [{ name: "jobs", status: "ok", message: "none is failing; left to do: 0" }]);
  insert("purge", 0, null);
  insert("purge-refusals", 0, null);
  insert("delete-list 3", 2, "the disk is full");
  insert("apply-block 1 @example.org", 0, null);
  const [failing, waiting, ...others] = await jobs();
  assert.deepEqual([failing?.status, waiting?.status, others], ["warning", "warning", []]);
  assert.match(
    failing?.message ?? "",
    /^job delete-list 3 failed 2 times: the disk is full; a server repeats it at 2026-01-01/,
  );
  assert.match(
    waiting?.message ?? "",
    /^job apply-block 1 @example\.org has been waiting since 2026-01-01.*; start the server/,
  );
  spoil("DELETE FROM job");
  insert("newer-kind 1", 0, null);
  const [unknown] = await jobs();
  assert.match(unknown?.message ?? "", /^job newer-kind 1 has been waiting .*; run the newer Mailroll/);
  spoil("DELETE FROM job");
});

test("a key of a certificate or a file of settings with secrets that all users of this machine can read is a warning with advice", async () => {
  const { cert, key } = newPair(home.folder, "mail.example.org");
  const settings = join(home.folder, "mailroll.config.json");
  const warnings = async (modes: readonly [number, number], given: Readonly<Record<string, unknown>>) => {
    writeFileSync(settings, JSON.stringify({ tlsCert: cert, tlsKey: key, ...given }));
    chmodSync(settings, modes[0]);
    chmodSync(key, modes[1]);
    const { code, checks } = await examine();
    assert.equal(code, 0);
    assert.ok(statuses(checks).includes("certificate ok"));
    return checks.filter(({ status }) => status !== "ok").map(({ message }) => message);
  };
  const advice = (file: string) => `all users of this machine can read ${file}; run: chmod o= ${file}`;
  assert.deepEqual(await warnings([0o644, 0o644], { metricsToken: "0123456789abcdef" }), [
    advice(settings),
    advice(key),
  ]);
  assert.deepEqual(
    await warnings([0o644, 0o640], { port: 9000 }),
    [],
    "no secret is in it, and a group reads the key",
  );
  const replica = "postgres://mailroll:password@db.example.org/mailroll";
  assert.deepEqual(await warnings([0o604, 0o600], { replica }), [advice(settings)]);
  assert.deepEqual(await warnings([0o640, 0o600], { replica }), []);
  rmSync(settings);
});

test("an expiring or invalid certificate is reported with advice", async (t) => {
  const { cert: tlsCert, key: tlsKey } = newPair(home.folder, "mail.example.org", 2);
  const settings = join(home.folder, "mailroll.config.json");
  t.after(() => rmSync(settings));
  const told = async (given: object) => {
    writeFileSync(settings, JSON.stringify(given));
    const { code, out } = await home.runHere(["doctor", "--json"]);
    const { checks } = JSON.parse(out) as { checks: readonly Check[] };
    return { code, ...checks.find(({ name }) => name === "certificate") };
  };
  const alone = await told({ tlsCert });
  assert.deepEqual([alone.code, alone.status], [1, "problem"]);
  assert.match(alone.message ?? "", /only one of .*; the server does not start with it$/);
  const empty = join(home.folder, "empty.crt");
  writeFileSync(empty, "");
  const without = await told({ tlsCert: empty, tlsKey });
  assert.deepEqual([without.code, without.status], [1, "problem"]);
  assert.match(
    without.message ?? "",
    /empty\.crt is not a certificate in PEM form: .*; the server does not start/,
  );
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() - 86_400_000 });
  const early = await told({ tlsCert, tlsKey });
  assert.deepEqual([early.code, early.status], [0, "warning"]);
  assert.match(early.message ?? "", /is not valid yet, .*; check its dates.* \(valid from 20\d\d-/);
  t.mock.timers.setTime(Date.now() + 4 * 86_400_000);
  const expired = await told({ tlsCert, tlsKey });
  assert.deepEqual([expired.code, expired.status], [0, "warning"]);
  assert.match(expired.message ?? "", /has expired, .*; renew it.* \(valid from 20\d\d-/);
});

test("a public address with plain HTTP is a warning if HTTPS is served", async (t) => {
  const { cert: tlsCert, key: tlsKey } = newPair(home.folder, "mail.example.org");
  const settings = join(home.folder, "mailroll.config.json");
  t.after(() => rmSync(settings));
  const addressCheck = async (given: object) => {
    writeFileSync(settings, JSON.stringify(given));
    const { out } = await home.runHere(["doctor", "--json"]);
    const { checks } = JSON.parse(out) as { checks: readonly Check[] };
    return checks.find(({ name }) => name === "address");
  };
  const baseUrl = "http://mail.example.org";
  const warned = await addressCheck({ tlsCert, tlsKey, baseUrl });
  assert.equal(warned?.status, "warning");
  assert.match(
    warned.message,
    /^MAILROLL_BASE_URL is http:\/\/mail.example.org, but the service speaks HTTPS/,
  );
  assert.equal(await addressCheck({ tlsCert, tlsKey, baseUrl: "https://mail.example.org" }), undefined);
  assert.equal(await addressCheck({ baseUrl }), undefined);
});

test("a counter that differs from a recount is a problem that shows both numbers", async () => {
  spoil("UPDATE list SET member_count = 7 WHERE id = 1");
  const { code, checks } = await examine();
  assert.equal(code, 1);
  assert.deepEqual(
    statuses(checks).filter((line) => line.includes("problem")),
    ["counters problem"],
  );
  assert.match(
    checks.find(({ name }) => name === "counters")?.message ?? "",
    /members of list 1: 7 is stored, but a recount gives 1/,
  );
  spoil("UPDATE list SET member_count = 1 WHERE id = 1");
});

test("a database of a newer version is rejected with the store's message", async () => {
  const database = { MAILROLL_DATABASE: `sqlite:${home.database}` };
  spoil("INSERT INTO schema_migration (number, name, applied_at) VALUES (999, 'later', 0)");
  const { code, checks } = await examine(database, opening);
  assert.equal(code, 1);
  assert.match(checks.at(-2)?.message ?? "", /was written by a newer Mailroll \(schema 999/);
  const { code: refused, err } = await opening.runHere(["list", "list"], null, database);
  assert.equal(refused, 1);
  assert.match(err, /^mailroll: [^\n]* newer Mailroll [^\n]*\n$/);
});
