/** `mailroll user …`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { hashSecret } from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { addressOf } from "../store/actor.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const run = home.output;
async function fails(code: number, pattern: RegExp, ...words: readonly string[]): Promise<void> {
  const ran = await home.runHere(words);
  assert.equal(ran.code, code, `${words.join(" ")}: ${ran.out}${ran.err}`);
  assert.match(ran.err, pattern);
}

before(async () => {
  await run("account", "create", "Acme");
});

test("user create makes a viewer unless told otherwise, and says what comes next", async () => {
  const out = await run("user", "create", "ada@example.org", "--name", "Ada");
  assert.equal(
    out,
    "User 1: ada@example.org (Ada), viewer in account 1\nNext: bin/mailroll user invite ada@example.org, or bin/mailroll user token create ada@example.org --name NAME\n",
  );
  assert.match(await run("user", "create", "eve@example.org", "--role", "editor"), /editor in account 1/);
  assert.match(await run("user", "create", "root@example.org", "--administrator"), /, administrator\n/);
  await fails(1, /a user with this address already exists/, "user", "create", "ADA@example.org");
  await fails(
    2,
    /--role must be one of viewer, editor, owner/,
    "user",
    "create",
    "x@example.org",
    "--role",
    "boss",
  );
  await fails(2, /EMAIL 'x' is not an e-mail address/, "user", "create", "x");
  const both = ["user", "create", "x@example.org", "--administrator", "--role", "owner"];
  await fails(2, /contradict each other/, ...both);
});

test("user list shows roles, passwords and second factors, of all accounts or one", async () => {
  assert.match(
    await run("user", "list"),
    /^ID +EMAIL +NAME +ROLES +PASSWORD +TOTP +CREATED +DISABLED\n *1 +ada@example\.org +Ada +viewer in account 1 +no +no +20/,
  );
  const users = await home.json<readonly User[]>("user", "list", "--account", "1");
  assert.deepEqual(
    users.map(({ email }) => email),
    ["ada@example.org", "eve@example.org"],
  );
});

test("user set changes the name, the role in an account, and whether the user is an administrator", async () => {
  const set = (...words: readonly string[]) => run("user", "set", "Ada@Example.org", ...words);
  assert.equal(await set("--role", "owner", "--name", ""), "User 1: ada@example.org, owner in account 1\n");
  assert.match(await set("--administrator", "yes"), /, administrator, owner in account 1\n/);
  assert.match(await set("--administrator", "no", "--role", "none"), /, no role\n/);
  await run("account", "create", "Other");
  await fails(2, /more than one account/, "user", "set", "ada@example.org", "--role", "owner");
  assert.match(await set("--role", "editor", "--account", "Other"), /editor in account 2/);
  await fails(2, /nothing to set/, "user", "set", "ada@example.org");
  const unknown = ["user", "set", "nobody@example.org", "--name", "X"];
  await fails(1, /there is no user nobody@example\.org; see 'bin\/mailroll user list'/, ...unknown);
});

test("user set says that it has ended an invitation, and how to make another", async () => {
  await run("user", "create", "ivy@example.org", "--role", "viewer", "--account", "1");
  await run("user", "invite", "ivy@example.org");
  const set = (...words: readonly string[]) => home.runHere(["user", "set", "ivy@example.org", ...words]);
  assert.equal((await set("--role", "editor", "--account", "1")).err, "");
  const further = await set("--role", "viewer", "--account", "2");
  assert.match(further.err, /^the invitation has ended, .*: 'bin\/mailroll user invite ivy@example\.org'\n$/);
  assert.equal((await set("--administrator", "yes")).err, "");
});

test("user disable asks, and user enable reverts it", async () => {
  await fails(
    2,
    /this disables user 2 \(eve@example\.org, editor in account 1\)/,
    "user",
    "disable",
    "eve@example.org",
  );
  assert.match(await run("user", "disable", "eve@example.org", "--yes"), /, disabled\n/);
  assert.match(await run("user", "list"), /eve@example\.org .* 20\S+ \S+Z +20/);
  assert.doesNotMatch(await run("user", "enable", "eve@example.org"), /disabled/);
});

test("user password reads the password from standard input, and never repeats it", async () => {
  const set = (input: string) => home.runHereOn(input, ["user", "password", "eve@example.org"]);
  const done = await set("a good long password\nsecond line\n");
  assert.deepEqual([done.code, done.out], [0, "The password of user 2 (eve@example.org) was set.\n"]);
  assert.match(await run("user", "list"), /eve@example\.org +- +editor in account 1 +yes/);
  for (const bad of ["short", ""]) {
    const { code, out, err } = await set(`${bad}\n`);
    assert.deepEqual([code, out], [2, ""]);
    assert.equal(err, "mailroll: password must have 12 to 256 characters\n");
  }
  const argument = ["user", "password", "eve@example.org", "a good long password"];
  await fails(2, /unexpected argument/, ...argument);
});

test("user password asks twice on a terminal", async () => {
  const answers = ["a good long password", "another one"];
  const typed = await home.runHere(
    ["user", "password", "eve@example.org"],
    null,
    {},
    async () => answers.shift() ?? "",
  );
  assert.deepEqual(
    [typed.code, typed.err],
    [2, "mailroll: the two were not the same; nothing was changed\n"],
  );
  const nothing = await home.runHere(["user", "password", "eve@example.org"], null, {}, async () => "");
  assert.deepEqual([nothing.code, nothing.err], [1, "mailroll: nothing was changed\n"]);
  const same = await home.runHere(
    ["user", "password", "eve@example.org"],
    null,
    {},
    async () => "a good long password",
  );
  assert.equal(same.code, 0, same.err);
});

test("user token create shows the token once; list and revoke do not", async () => {
  const made = await run(
    "user",
    "token",
    "create",
    "eve@example.org",
    "--name",
    "Report",
    "--role",
    "viewer",
  );
  const [secret = ""] = made.split("\n");
  assert.match(secret, /^mrt_[\w-]{43}$/);
  assert.match(made, /Token 1 of user 2 \(eve@example\.org\), role viewer at most, does not expire\./);
  assert.match(
    await run("user", "token", "list", "eve@example.org"),
    /^ID +NAME +ROLE +WORKS .*\n *1 +Report +viewer +yes /,
  );
  const create = ["user", "token", "create", "eve@example.org", "--name", "X"];
  await fails(
    2,
    /--role 'owner' must be at most the role of the user, which is editor/,
    ...create,
    "--role",
    "owner",
  );
  await fails(2, /--expires '2020-01-01' must be in the future/, ...create, "--expires", "2020-01-01");
  await fails(2, /--name is missing/, ...create.slice(0, 4));
  await fails(
    1,
    /there is no token 9; see 'bin\/mailroll user token list EMAIL'/,
    "user",
    "token",
    "revoke",
    "eve@example.org",
    "9",
  );
  await fails(2, /this revokes token 1 \(Report\)/, "user", "token", "revoke", "eve@example.org", "1");
  assert.match(await run("user", "token", "revoke", "eve@example.org", "1", "--yes"), /^Revoked at 20/);
  const all =
    (await run("user", "token", "list", "eve@example.org", "--json")) +
    (await run("audit", "list", "--all-accounts", "--json"));
  assert.ok(!all.includes(secret.slice(4)) && all.includes('"user.token.create"'));
});

test("user session list shows where a user is signed in, and end signs the user out there", async () => {
  const store = await SqliteStore.open(home.database, { days: 90, rows: 100, bytes: 2 ** 28 });
  const at = Date.now();
  for (const program of ["Firefox", "Safari"])
    await store.sessions.create({
      ...{ user: 2, hash: hashSecret(program), client: "192.0.2.1", program },
      ...{ at, expiresAt: at + 3_600_000 },
    });
  await store.close();
  const of = ["user", "session"];
  const listed = await home.json<readonly Readonly<Record<string, unknown>>[]>(
    ...of,
    "list",
    "eve@example.org",
  );
  const [createdAt, expiresAt] = [at, at + 3_600_000].map((time) => new Date(time).toISOString());
  assert.deepEqual(
    listed,
    ["Firefox", "Safari"].map((program, at) => ({
      id: listed[at]?.id,
      ...{ program, clientAddress: "192.0.2.1", createdAt, lastUsedAt: createdAt, expiresAt },
    })),
  );
  const end = [...of, "end", "eve@example.org", String(listed[0]?.id)];
  await fails(2, /this ends session \d+ of user 2 \(eve@example\.org\)/, ...end);
  assert.match(await run(...end, "--yes"), /^Ended session \d+ of user 2/);
  await fails(1, /there is no session \d+/, ...end, "--yes");
  assert.match(
    await run(...of, "list", "eve@example.org"),
    /^ID +PROGRAM +CLIENT ADDRESS .*\n *\d+ +Safari +192\.0\.2\.1 /,
  );
  assert.match(await run(...of, "list", "ada@example.org"), /is not signed in/);
  assert.match(await run("audit", "list", "--all-accounts"), /user\.session\.end/);
});

test("user totp enrols, confirms with a code, and removes", async () => {
  const { secret } = await home.json<{ secret: string }>("user", "totp", "enrol", "eve@example.org");
  const confirm = ["user", "totp", "confirm", "eve@example.org"];
  await fails(2, /CODE '12' is not the current code/, ...confirm, "12");
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  assert.match(await run(...confirm, code), /^(?:[2-9A-Z]{4}(?:-[2-9A-Z]{4}){3}\n){10}\n.*each works once/);
  assert.match(await run("user", "list"), /eve@example\.org +- +editor in account 1 +yes +yes/);
  await fails(1, /no second factor is waiting/, ...confirm, code);
  await run("user", "totp", "remove", "eve@example.org", "--yes");
  assert.match(await run("user", "list"), /eve@example\.org +- +editor in account 1 +yes +no/);
});

test("console link leads to where the service was started last, and in a restored database not to the original", async () => {
  const store = await SqliteStore.open(home.database, { days: 90, rows: 100, bytes: 2 ** 28 });
  const { schemaVersion, health } = store;
  const address = "https://mail.example.org/m";
  await health.startProgram({
    version: "1.2.3",
    schemaVersion,
    since: 1,
    address,
    isDemo: false,
    isFilling: false,
  });
  await store.close();
  const linkOf = async (...more: readonly string[]) =>
    (await home.json<{ url: string }>("console", "link", "eve@example.org", ...more)).url;
  assert.match(await linkOf(), /^https:\/\/mail\.example\.org\/m\/console\/link\?token=/);
  assert.match(await linkOf("--port", "8081"), /^http:\/\/localhost:8081\/console\/link\?/);
  assert.match(await linkOf("--base-url", "https://a.example"), /^https:\/\/a\.example\/console\/link\?/);
  const backup = join(home.folder, "backup.db");
  const restored = ["--database", `sqlite:${join(home.folder, "restored.db")}`];
  await run("backup", backup);
  await run("restore", backup, ...restored);
  assert.match(await linkOf(...restored), /^http:\/\/localhost:\d+\/console\/link\?/);
});

test("subscriber show, subscriber export and audit list name the user or the key that made a change", async () => {
  const store = await SqliteStore.open(home.database, { days: 90, rows: 100, bytes: 2 ** 28 });
  try {
    const origin = { kind: "user", user: 2 } as const;
    const audit = { at: Date.now(), origin, from: "192.0.2.7", action: "list.create" };
    const key = await store.keys.create({
      ...{ account: 1, hash: Buffer.alloc(32), hint: "f3a9", length: 32, label: "Web shop", scope: "full" },
      ...{ expiresAt: null, at: 1 },
    });
    const byKey = { ...audit, origin: { kind: "key", key: key?.id ?? 0 } } as const;
    await store.lists.create({ account: 1, name: "Of the shop", at: 1, audit: byKey });
    const list = await store.lists.create({ account: 1, name: "News", at: Date.now(), audit });
    const address = addressOf("grace@example.org");
    const added = { account: 1, list: list.id, address, at: Date.now(), origin, recordedCall: null };
    await store.subscribers.add(added);
    await store.blocks.add({
      ...{
        account: 1,
        pattern: address.key,
        at: Date.now(),
        origin,
        audit: { ...audit, action: "block.add" },
      },
      lease: { owner: "test", until: 0 },
    });
  } finally {
    await store.close();
  }
  const one = ["grace@example.org", "--account", "1"];
  assert.match(await run("subscriber", "show", ...one), /joined +user eve@example\.org/);
  const text = (await run("subscriber", "export", ...one)).replaceAll(/\s+/g, " ");
  assert.match(text, /You were added to the list “News”\. Done by staff of Acme \(eve@example\.org\)\./);
  assert.match(text, /put on the block list\. Done by staff of Acme \(eve@example\.org\)\./);
  const document = await home.json<{
    subscriber: { history: readonly object[] };
    blockChanges: readonly object[];
    user: unknown;
  }>("subscriber", "export", ...one);
  const actor = { kind: "user", id: "2", name: "eve@example.org" };
  assert.partialDeepStrictEqual(document.subscriber.history[0], { actor });
  assert.partialDeepStrictEqual(document.blockChanges[0], { actor });
  assert.equal(document.user, null);
  assert.match(
    await run("audit", "list", "--account", "1"),
    / user eve@example\.org +list\.create +list \d+ News +name: News/,
  );
  const [entry] = await home.json<readonly { readonly actor: object }[]>("audit", "list", "--account", "1");
  assert.deepEqual(entry?.actor, actor);
  assert.match(
    await run("audit", "list", "--all-accounts"),
    / key Web shop +list\.create +list \d+ Of the shop +name: Of the shop/,
  );
});

test("subscriber export says if the address is also that of a user, whom an erasure leaves", async () => {
  const one = ["eve@example.org", "--account", "1"];
  assert.match(
    (await run("subscriber", "export", ...one)).replaceAll(/\s+/g, " "),
    /YOUR LOG-IN Somebody with this address works with this software for Acme, as editor, since/,
  );
  await run("subscriber", "erase", ...one, "--yes", "--leave-traces");
  assert.match(await run("user", "list"), /eve@example\.org/);
});
