/**
 * `mailroll sender …`. The check is tested with a real name server in `test/interop/sender-dns.interop.ts`.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkText } from "#cli/commands/sender/sender.ts";
import type { Finding } from "#domain/sending/finding.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { senderValues } from "../store/sender-values.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const outputs: string[] = [];
async function run(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await home.runHere(words);
  outputs.push(out, err);
  assert.equal(code, 0, `${words.join(" ")}: ${err}`);
  return out;
}
async function fails(code: number, pattern: RegExp, ...words: readonly string[]): Promise<void> {
  const ran = await home.runHere(words);
  outputs.push(ran.out, ran.err);
  assert.equal(ran.code, code, `${words.join(" ")}: ${ran.out}${ran.err}`);
  assert.match(ran.err, pattern);
}
const required = ["--from", "Shop <news@example.org>", "--postal-address", "1 Main Street"];
const create = (...words: readonly string[]) => ["sender", "create", ...required, ...words];

/** With the secrets. */
async function stored(id: number) {
  const store = await SqliteStore.open(home.database, { days: 90, rows: 1000, bytes: 2 ** 28 });
  try {
    return await store.senders.toSendWith({ account: 1, id });
  } finally {
    await store.close();
  }
}

before(async () => {
  await run("account", "create", "Acme");
});

test("sender create makes a key and prints the DNS records to add", async () => {
  const out = await run(
    ...create("--bounce-domain", "bounces.example.org", "--relay", "smtps://mail.example.net"),
    ...["--per-day", "5000", "--reply-to", "help@example.org"],
  );
  const lines = [
    "Sender 1: Shop <news@example.org>",
    "Replies:        help@example.org",
    "Postal address: 1 Main Street",
    "Relays:         smtps://mail.example.net",
    "Bounces:        to bounces.example.org",
    "Signed by:      Mailroll, as example.org with the selector mailroll",
    "Limits:         5,000 per day",
    "",
    "DNS records that it needs:",
    "  TXT  bounces.example.org",
    "       v=spf1 a:mail.example.net ~all",
    "  TXT  mailroll._domainkey.example.org",
  ];
  assert.equal(out.slice(0, lines.join("\n").length), lines.join("\n"));
  assert.match(out, /\n {7}v=DKIM1; k=rsa; p=[\w+/=]{392}\n/);
  assert.match(out, /Check them with: bin\/mailroll sender check 1\n$/);
});

test("sender create explains what is wrong with an option", async () => {
  await fails(
    2,
    /--from 'news' is not an e-mail address/,
    "sender",
    "create",
    "--from",
    "news",
    "--postal-address",
    "x",
  );
  await fails(
    2,
    /--dkim-domain 'example\.com' must be example\.org/,
    ...create("--dkim-domain", "example.com"),
  );
  await fails(
    2,
    /--per-second must be a number from 1, or 'none'; 'x' is not/,
    ...create("--per-second", "x"),
  );
  await fails(2, /--signed-by must be one of/, ...create("--signed-by", "me"));
  await fails(2, /--relay: The weight of smtp:\/\/h/, ...create("--relay", "smtp://h=0"));
  await fails(2, /--relay: This is not the address of a relay/, ...create("--relay", "sm:u:PASSW0RD@h"));
});

test("a password comes from a file or from standard input, and is never printed", async () => {
  const file = join(home.folder, "passwords");
  writeFileSync(file, "PASSW0RD-1\nPASSW0RD-2\n");
  const relays = ["--relay", "smtp://a@one.example.org=3", "--relay", "smtp://b@two.example.org"];
  const made = await home.json<Sender>(
    ...create("--signed-by", "relay", ...relays, "--relay-password-file", file),
  );
  assert.deepEqual((await stored(made.id))?.relays, [
    { url: "smtp://a:PASSW0RD-1@one.example.org", weight: 3, allowsInner: true },
    { url: "smtp://b:PASSW0RD-2@two.example.org", weight: 1, allowsInner: true },
  ]);
  outputs.push(JSON.stringify(made));
  const set = ["sender", "set", String(made.id)];
  const { code, out, err } = await home.runHereOn("PASSW0RD-3\nPASSW0RD-4\n", [
    ...set,
    "--relay-password-file",
    "-",
  ]);
  outputs.push(out, err);
  assert.equal(code, 0, err);
  const changed = (await stored(made.id))?.relays.map(({ url }) => new URL(url).password);
  assert.deepEqual(changed, ["PASSW0RD-3", "PASSW0RD-4"]);
  await fails(2, /has 2 lines, but 0 relays/, ...set, "--relay", "smtp://h", "--relay-password-file", file);
  await fails(
    2,
    /has a user, but no password is given or stored/,
    ...set,
    "--relay",
    "smtp://c@one.example.org",
  );
});

test("sender set keeps what is not given, and stored passwords", async () => {
  const relay = "smtp://a:PASSW0RD-5@one.example.org";
  const made = await home.json<Sender>(...create("--signed-by", "relay", "--relay", relay));
  const set = ["sender", "set", String(made.id)];
  await fails(2, /nothing to set: give at least one of --from/, ...set);
  await run(...set, "--from", '"Shop, Ltd." <shop@example.org>', "--relay", "smtp://a@one.example.org=2");
  const changed = await stored(made.id);
  assert.deepEqual(
    [changed?.fromName, changed?.fromAddress, changed?.postalAddress, changed?.relays],
    ["Shop, Ltd.", "shop@example.org", "1 Main Street", [{ url: relay, weight: 2, allowsInner: true }]],
  );
  await run(...set, "--relay", "none", "--per-day", "9");
  await run(...set, "--per-day", "none", "--from", "shop@example.org");
  const last = await stored(made.id);
  assert.deepEqual([last?.relays, last?.perDay, last?.fromName], [[], null, ""]);
});

test("sender list and show print no secret, and new-key replaces the key", async () => {
  assert.match(
    await run("sender", "list"),
    /^ID +FROM +SIGNED BY +RELAYS +PER DAY +CREATED\n *1 +Shop <news@/,
  );
  assert.match(await run("sender", "show", "1"), /^Sender 1: Shop/);
  const before = (await stored(1))?.dkimKey;
  assert.match(await run("sender", "new-key", "1"), /mailroll2\._domainkey\.example\.org/);
  assert.notEqual((await stored(1))?.dkimKey, before);
  await fails(1, /there is no sender 99; see 'bin\/mailroll sender list'/, "sender", "show", "99");
});

test("sender delete asks for confirmation", async () => {
  await fails(2, /to confirm it without a terminal.*--yes/, "sender", "delete", "1");
  assert.equal(await run("sender", "delete", "1", "--yes"), "Deleted sender 1 (Shop <news@example.org>).\n");
  assert.equal(await stored(1), null);
});

test("no command has printed a password or a private key", () => {
  assert.ok(outputs.length > 20);
  assert.doesNotMatch(outputs.join("\n"), /PASSW0RD|PRIVATE KEY/);
});

test("sender check reports a folder as the relay with a note that is no failure", async () => {
  const { id } = await home.json<Sender>(...create("--signed-by", "relay"));
  // Nothing listens there, so everything but the relay and its signature is unknown.
  const { code, out, err } = await home.runHere(["sender", "check", String(id), "--dns", "127.0.0.1:9"]);
  assert.match(out, /^note {4}RELAY: Messages are written to a folder, and nobody gets them/m);
  assert.match(err, /2 of 4 checks got no answer/);
  assert.equal(code, 1);
});

test("a record of the DNS cannot imitate a finding", () => {
  const finding: Finding = {
    ...{ subject: "spf", state: "wrong", where: "example.org", record: null },
    ...{ text: "It is a\nok      DKIM", found: ["v=spf1\r\nok      DMARC"] },
  };
  const sender = { ...senderValues, id: 1, createdAt: 1 };
  assert.equal(
    checkText({ sender, findings: [finding], records: [], checkedAt: 1 })
      .split("\n")
      .slice(1)
      .join("|"),
    "WRONG   SPF: It is a ok      DKIM|  found: v=spf1  ok      DMARC",
  );
});

test("sender create --provider asks for what is needed only, and says what to do there", async () => {
  const file = join(home.folder, "password");
  writeFileSync(file, "s3cret/+\n");
  const out = await run(
    ...create("--provider", "ses", "--region", "eu-west-1", "--smtp-user", "AKIA/x"),
    ...["--relay-password-file", file],
  );
  assert.match(out, /^Relays: {9}smtp:\/\/AKIA%2Fx@email-smtp\.eu-west-1\.amazonaws\.com:587$/m);
  assert.match(out, /^Signed by: {6}the relay$/m);
  assert.match(
    out,
    /^DNS records that it needs:\n {2}those that the provider of the relay lists, and:\n {2}TXT {2}_dmarc/m,
  );
  assert.match(out, /^At Amazon SES:\n {2}1\. Choose a region/m);
  const id = Number(/^Sender (\d+)/.exec(out)?.[1]);
  assert.equal(
    (await stored(id))?.relays[0]?.url,
    "smtp://AKIA%2Fx:s3cret%2F%2B@email-smtp.eu-west-1.amazonaws.com:587",
  );
  const signed = await run(...create("--provider", "own", "--smtp-host", "mail.example.org"));
  assert.match(signed, /^Signed by: {6}Mailroll/m);
  assert.doesNotMatch(signed, /those that the provider/);
  await run("sender", "set", String(id), "--provider", "own", "--smtp-host", "mail.example.org");
  const moved = await stored(id);
  assert.deepEqual(
    [moved?.relays.map(({ url }) => url), moved?.signing, moved?.dkimKey != null],
    [["smtp://mail.example.org"], "mailroll", true],
    "who signs changes with the provider",
  );
});

test("answers for a provider that are missing, wrong or for no provider are usage errors", async () => {
  for (const [pattern, ...words] of [
    [/--region must be the name of a region, such as eu-west-1/, "--provider", "ses", "--smtp-user", "a"],
    [/--smtp-user must not be empty/, "--provider", "brevo"],
    [/--smtp-user is not needed for SendGrid/, "--provider", "sendgrid", "--smtp-user", "a"],
    [/--region needs --provider/, "--region", "eu-west-1"],
    [
      /--relay and --provider cannot be given together/,
      "--provider",
      "own",
      "--smtp-host",
      "a.example",
      "--relay",
      "none",
    ],
    [/--provider/, "--provider", "pigeon"],
  ] as const)
    await fails(2, pattern, ...create(...words));
});
