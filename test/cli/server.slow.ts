/** The command line beside a running server on the same database. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Installation, type Served } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
let server: Served;
let key = "";

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await pause(20);
};
const call = (operation: string, parameters: Readonly<Record<string, string | number>>) =>
  server.call(operation, { APIKey: key, ...parameters });

test("the first start prints the endpoint, a key, a list, and a call to try them", async () => {
  server = await home.serve();
  assert.match(server.endpoint, /^http:\/\/localhost:\d+\/default\.asmx$/);
  assert.match(server.output.out, /Your API key, shown this once: {2}[0-9A-F]{32}\n/);
  assert.match(server.output.out, /1 \(Newsletter\)[\s\S]*curl /);
});

test("a configured key is not printed, and the printed call reads it from the environment", async (t) => {
  const other = new Installation();
  t.after(() => other.remove());
  const chosen = `o'k<&"$x\\y]]>`;
  const env = { MAILROLL_API_KEY: chosen, MAILROLL_LOG: "info" };
  const started = await other.serve([], env);
  await until(() => /<\/soap:Envelope>'\n/.test(started.output.out));
  const { out } = started.output;
  assert.match(out, /Your API key: +the one that you set; .*\$MAILROLL_API_KEY\n/);
  const script = out.slice(out.indexOf("curl "));
  const { stdout } = await promisify(execFile)("sh", ["-c", script], { env: { ...process.env, ...env } });
  assert.match(stdout, /<Subscriber\.AddResult>0</);
  await started.stop();
  for (const text of [out, started.output.err])
    assert.ok(!text.toUpperCase().includes(chosen.toUpperCase()), text);
  assert.match(started.output.err, /"level":"warn".*the first API key has fewer than 16 characters/);
  const again = await other.serve([], env);
  await again.stop();
  assert.doesNotMatch(again.output.err, /fewer than 16/);
});

test("a key works as soon as it is created, and stops working once it is revoked", async () => {
  const made = await home.json<{ id: number; secret: string }>("key", "create", "--label", "Shop");
  assert.equal(await server.call("Client.TestApiConnection", { APIKey: made.secret }), "true");
  await home.json("key", "revoke", String(made.id), "--yes");
  while ((await server.call("Client.TestApiConnection", { APIKey: made.secret })) === "true") await pause(20);
});

test("the server returns a list and a subscriber that were created on the command line", async () => {
  key = (await home.json<{ secret: string }>("key", "create")).secret;
  const { id } = await home.json<{ id: number }>("list", "create", "Events");
  await home.json("subscriber", "add", String(id), "ada@example.org");
  const lists = await call("Client.GetSubscribersLists", {});
  assert.match(lists, new RegExp(`>${id}</\\w+><Name>Events</Name>.*<SubscribersQuantity>1</`));
  assert.match(lists, /<Name>Newsletter<\/Name>.*<SubscribersQuantity>0</);
});

test("a refused call is listed, explained, corrected and replayed", async () => {
  const parameters = { SubscribersListID: 1, EMail: "ada@@example.org" };
  assert.equal(await call("Subscriber.Add", parameters), "1");
  assert.equal(await call("Subscriber.Add", parameters), "1");
  assert.equal(await call("Subscriber.Remove", { SubscribersListID: 1, EMail: "ada@example.org" }), "202");

  const { out: table } = await home.runHere(["refused", "list"]);
  assert.match(
    table,
    / 1 {2}Subscriber\.Add {2}InvalidEmail \(1\) +2 .*SubscribersListID=1 EMail=ada@@example\.org/,
  );
  assert.match(table, /No-ops, which are only counted:\nOPERATION .*\nSubscriber\.Remove {2}NotOnList +1\n/);
  assert.ok(!table.includes(key));

  const { out: page } = await home.runHere(["refused", "show", "1"]);
  assert.match(page, /InvalidEmail \(1\): The e-mail address is missing, malformed/);
  assert.match(page, /Called +2 times/);
  assert.match(page, /"EMail": "ada@@example\.org"/);
  assert.match(page, /mailroll refused replay 1 \(add --set NAME=VALUE/);

  const again = await home.runHere(["refused", "replay", "1", "--json"]);
  assert.equal(again.code, 1);
  const { error, ...refused } = JSON.parse(again.out) as { readonly error: { readonly code: string } };
  assert.deepEqual([error.code, refused], ["InvalidEmail", { outcome: "InvalidEmail", byte: 1 }]);
  const wrong = await home.runHere(["refused", "replay", "1", "--set", "Mail=x"]);
  assert.equal(wrong.code, 2);
  assert.match(
    wrong.err,
    /^mailroll: --set: there is no parameter Mail; there are: SubscribersListID, EMail\n$/,
  );
  const corrected = await home.runHere(["refused", "replay", "1", "--set", "email=grace@example.org"]);
  assert.equal(corrected.code, 0, corrected.err);
  assert.match(corrected.out, /^Done \(0\)/);
  assert.match(await call("Client.GetSubscribersLists", {}), /Newsletter<\/Name>.*?<SubscribersQuantity>1</);

  const gone = await home.runHere(["refused", "show", "1"]);
  assert.equal(gone.code, 1);
  assert.match(gone.err, /^mailroll: there is no refused call 1; see 'bin\/mailroll refused list'\n$/);
});

test("a refused call is dismissed, once", async () => {
  assert.equal(await call("Subscriber.Add", { SubscribersListID: 99, EMail: "bob@example.org" }), "101");
  const { refused } = await home.json<{
    refused: readonly { id: number; arguments: unknown; byte: number }[];
  }>(...["refused", "list"]);
  assert.deepEqual(
    refused.map(({ arguments: args, byte }) => ({ args, byte })),
    [{ args: { SubscribersListID: "99", EMail: "bob@example.org" }, byte: 101 }],
  );
  const id = String(refused[0]?.id);
  assert.equal(
    (await home.runHere(["refused", "dismiss", id])).out,
    `Refused call ${id} was removed from the list.\n`,
  );
  const twice = await home.runHere(["refused", "dismiss", id]);
  assert.equal(twice.code, 1);
  const left = await home.json<{ refused: unknown[]; noOps: unknown[] }>("refused", "list", "--limit", "5");
  assert.deepEqual(left, {
    refused: [],
    noOps: [{ operation: "Subscriber.Remove", outcome: "NotOnList", callCount: 1 }],
  });
});

test("'refused list' says whether there are more refused calls than it shows", async () => {
  for (const SubscribersListID of [97, 98])
    assert.equal(await call("Subscriber.Add", { SubscribersListID, EMail: "bob@example.org" }), "101");
  const shown = async (limit: string) => (await home.run(["refused", "list", "--limit", limit])).out;
  assert.match(await shown("1"), /\nThese are the newest 1; for more, give --limit N\n/);
  assert.doesNotMatch(await shown("2"), /for more/);
  const { refused } = await home.json<{ refused: readonly { id: number }[] }>("refused", "list");
  for (const { id } of refused) await home.run(["refused", "dismiss", String(id)]);
});

test("a refused call that is too long to be stored in full is not replayed", async () => {
  const EMail = `${"x".repeat(5000)}@example.org`;
  assert.equal(await call("Subscriber.Add", { SubscribersListID: 1, EMail }), "1");
  const { refused } = await home.json<{ refused: readonly { id: number }[] }>("refused", "list");
  const id = String(refused[0]?.id);
  const { code, err } = await home.runHere(["refused", "replay", id]);
  assert.equal(code, 1, err);
  assert.match(
    err,
    /^mailroll: its arguments were too long to be stored in full, so it cannot be replayed; make the call again instead\n$/,
  );
  await home.json("refused", "dismiss", id);
});

test("a key is shown by its label, or by its first characters without one", async () => {
  assert.equal(await call("Subscriber.Unsubscribe", { EMail: "ada@example.org" }), "0");
  const nameless = `key 3 \\(${key.slice(0, 4)}…\\)`;
  const history = await home.runHere(["subscriber", "show", "ada@example.org"]);
  assert.match(history.out, new RegExp(`unsubscribed +${nameless}`));

  const form = (await home.json<{ secret: string }>("key", "create", "--label", "Form")).secret;
  const refused = { SubscribersListID: 98, EMail: "bob@example.org" };
  assert.equal(await call("Subscriber.Add", refused), "101");
  assert.equal(
    await server.call("Subscriber.Add", { ...refused, APIKey: form, EMail: "cy@example.org" }),
    "101",
  );
  const { out: table } = await home.runHere(["refused", "list"]);
  assert.match(table, new RegExp(`${nameless} +SubscribersListID=98 EMail=bob@example\\.org`));
  assert.match(table, /Form \(key 4\) +SubscribersListID=98 EMail=cy@example\.org/);
  const [id] = /\d+(?=.* Form )/.exec(table) ?? [];
  assert.match((await home.runHere(["refused", "show", id ?? ""])).out, /\nKey +Form \(key 4\)\n/);
  const shown = await home.json<{ keyId: number; keyName: string }>("refused", "show", id ?? "");
  assert.deepEqual([shown.keyId, shown.keyName], [4, "Form"]);
});

test("a port in use is reported in one line that names the setting", async () => {
  const { port } = new URL(server.endpoint);
  const env = { MAILROLL_PORT: port, MAILROLL_LOG: "silent" };
  const { code, err } = await home.run(["serve"], { env });
  assert.equal(code, 1);
  assert.match(err, new RegExp(`^mailroll: port ${port} is already in use; set MAILROLL_PORT [^\\n]*\\n$`));
});

test("a signal ends the server with exit code 0, and acknowledged calls are kept", async () => {
  assert.equal(await server.stop(), 0);
  const keys = await home.json<readonly { lastUsedAt: string | null }[]>("key", "list");
  assert.match(keys[2]?.lastUsedAt ?? "", /^20/);
});

test("a setting comes from the option, the variable, the file or the default, in this order", async () => {
  const other = new Installation();
  after(() => other.remove());
  const file = join(other.folder, "mailroll.config.json");
  const nameUsed = async (
    words: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string> => {
    // In a process of its own, whose folder is that of the installation.
    const { err } = await other.run(["key", "list", ...words], { env });
    return /there is no database \S*\/([\w.]+);/.exec(err)?.[1] ?? err;
  };
  writeFileSync(file, '{"database":"sqlite:file.db"}');
  const variable = { MAILROLL_DATABASE: "sqlite:variable.db" };
  const used = await Promise.all([
    nameUsed(["--database", "sqlite:flag.db"], variable),
    nameUsed([], variable),
    nameUsed([], { MAILROLL_DATABASE: "" }),
  ]);
  assert.deepEqual(used, ["flag.db", "variable.db", "file.db"]);
  writeFileSync(file, "{}");
  assert.equal(await nameUsed([], { MAILROLL_DATABASE: "" }), "mailroll.db");
});

test("an invalid setting is reported in one line with its source, and exit code 78", async () => {
  const other = new Installation();
  after(() => other.remove());
  const flag = await other.run(["serve", "--port", "http"]);
  assert.equal(flag.code, 78);
  assert.match(flag.err, /^mailroll: --port: "http" is not a port from 0 to 65535\n$/);
  const variable = await other.runHere(["doctor"], null, { MAILROLL_LOG: "loud" });
  assert.equal(variable.code, 78);
  assert.match(variable.err, /^mailroll: MAILROLL_LOG: "loud" is not one of silent, [^\n]*\n$/);
  writeFileSync(join(other.folder, "mailroll.config.json"), '{"prot":1}');
  const unknown = await other.runHere(["key", "list"]);
  assert.equal(unknown.code, 78);
  assert.match(unknown.err, /^mailroll: "prot" in mailroll\.config\.json is not a setting; [^\n]*\n$/);
});
