/** `mailroll campaign create` to `verify`: what is printed, and the exit codes. A service sends. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { startFaultyRelay } from "../delivery/smtp/faulty-relay.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
const env = { MAILROLL_BASE_URL: "https://mail.example.org", MAILROLL_SMTP: `file:${home.folder}/outbox` };
const run = async (words: readonly string[], code = 0, confirm: boolean | null = null) => {
  const ran = await home.runHere(words, confirm, env);
  assert.equal(ran.code, code, `${words.join(" ")}: ${ran.err}${ran.out}`);
  return ran;
};
const file = (name: string, text: string): string => {
  const path = join(home.folder, name);
  writeFileSync(path, text);
  return path;
};
before(async () => {
  await run(["account", "create", "Acme"]);
  await run(["list", "create", "News"]);
  for (const email of ["ada@example.org", "grace@example.org"]) await run(["subscriber", "add", "1", email]);
});
after(() => home.remove());

test("a campaign is created from a Markdown file, edited, and shown", async () => {
  const markdown = file("spring.md", "# Hello {{ first_name }}\n");
  const options = ["--list", "1", "--subject", "Spring", "--markdown", markdown, "--layout", "newsletter"];
  assert.match(
    (await run(["campaign", "create", "Spring", ...options])).out,
    /^Campaign 1 \(Spring\) is a draft\n/,
  );
  await run(["campaign", "edit", "1", "--preheader", "New colours"]);
  const { out } = await run(["campaign", "content", "1"]);
  assert.match(out, /Preheader {2}New colours\n/);
  assert.match(out, /layout newsletter/);
  assert.match((await run(["campaign", "edit", "1"], 2)).err, /nothing to change/);
  assert.match(
    (await run(["campaign", "create", "X", "--markdown", "none-such.md"], 1)).err,
    /there is no file/,
  );
  const wrong = join(home.folder, "latin1.md");
  writeFileSync(wrong, Buffer.from([0xe4, 0x0a]));
  assert.match((await run(["campaign", "create", "X", "--markdown", wrong], 1)).err, /not text in UTF-8/);
  assert.match((await run(["campaign", "layouts", "newsletter"])).out, /<!-- content -->/);
});

test("a campaign without a sender is not ready, and 'send' lists every problem", async () => {
  assert.match(
    (await run(["campaign", "check", "1"], 1)).out,
    /failed {3}sender: the campaign has no sender\n/,
  );
  const { err } = await run(["campaign", "send", "1"], 1);
  assert.match(err, /^- the campaign has no sender: choose one/m);
  assert.match(err, /campaign 1 is not ready to be sent; see the problem above\n$/);
  const { out } = await run(["campaign", "send", "1", "--json"], 1);
  const { problems, error } = JSON.parse(out) as { problems: string[]; error: { code: string } };
  assert.deepEqual([problems.length, error.code], [1, "NotReady"]);
});

test("a preview is printed or written, a test message is sent, and a dry run reports each empty field", async () => {
  const sender = ["--from", "Acme <news@example.org>", "--postal-address", "1 Main Street, London"];
  await run(["sender", "create", ...sender, "--signed-by", "relay"]);
  await run(["campaign", "edit", "1", "--sender", "1"]);
  const shown = await run(["campaign", "preview", "1", "--for", "ada@example.org"]);
  assert.match(shown.out, /^Subject: Spring$/m);
  assert.match(shown.err, /first_name has no value/);
  const eml = join(home.folder, "preview.eml");
  await run(["campaign", "preview", "1", "--output", eml]);
  assert.match(readFileSync(eml, "utf8"), /List-Unsubscribe: <https:\/\/mail\.example\.org\/u\/preview>/);
  assert.match((await run(["campaign", "preview", "1", "--output", eml], 1)).err, /already exists/);
  assert.match((await run(["campaign", "preview", "1", "--output", "x.pdf"], 2)).err, /must end in \.eml/);

  const tested = await run(["campaign", "test", "1", "--to", "me@example.com,ada@example.org"]);
  assert.match(tested.out, /^sent {2}me@example\.com {2}written to /m);
  const lines = "grace@example.org\r\nRCPT TO:<z@z.example>";
  assert.match(
    (await run(["campaign", "test", "1", "--to", lines], 2)).err,
    /--to .* must not contain control characters, such as line breaks/s,
  );
  await run(["block", "add", "@blocked.example"]);
  const refused = await run(["campaign", "test", "1", "--to", "me@example.com,eve@blocked.example"], 1);
  assert.match(refused.err, /no test was sent.*eve@blocked\.example \(blocked\); remove them/);

  const { out } = await run(["campaign", "send", "1", "--dry-run"]);
  assert.match(out, /^Recipients {4}2$/m);
  assert.match(out, /2 {2}first_name: ada@example\.org, grace@example\.org/);
  assert.match(out, /Duration {6}at least \d+ s/);
  assert.match((await run(["campaign", "show", "1"])).out, /is a draft/);
});

test("a campaign with a later start is said to start then, not within a few seconds", async () => {
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const { out } = await run(["campaign", "send", "1", "--at", `${day}T00:00Z`]);
  assert.match(out, new RegExp(`^Campaign 1 is scheduled for ${day} 00:00:00Z\\.$`, "m"));
  assert.match(out, /^Only 'bin\/mailroll serve' sends: a running service starts it then\.$/m);
  assert.doesNotMatch(out, /within a few seconds/);
  assert.match((await run(["campaign", "unschedule", "1"])).out, /is a draft again/);
});

test("a resumed campaign that has not started is said to start at its own time, or now if that was missed", async () => {
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  await run(["campaign", "send", "1", "--at", `${day}T00:00Z`]);
  const copy = join(home.folder, "copy.db");
  await run(["copy", `sqlite:${home.database}`, `sqlite:${copy}`]);
  const onCopy = { ...env, MAILROLL_DATABASE: `sqlite:${copy}` };
  const resume = () => home.runHere(["campaign", "resume", "1"], null, onCopy);
  const { out } = await resume();
  assert.match(out, new RegExp(`^Campaign 1 is scheduled for ${day} 00:00:00Z, as before\\. `));
  assert.match(out, /Only 'bin\/mailroll serve' sends: a running service starts it then\.$/m);
  const db = new DatabaseSync(copy);
  db.exec("UPDATE mailing SET state = 'held', scheduled_at = 1");
  db.close();
  assert.match(
    (await resume()).out,
    /^Campaign 1 is scheduled for now\. Only 'bin\/mailroll serve' sends: a running service starts it within a few seconds\.$/m,
  );
  await run(["campaign", "unschedule", "1"]);
});

test("a start without a time zone is refused, with what to write instead", async () => {
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const send = ["campaign", "send", "1", "--at"];
  for (const time of [`${day}T10:00`, `${day} 10:00:00`]) {
    const { err } = await run([...send, time], 2);
    assert.match(err, /--at needs a time zone, such as 2026-11-01T10:00:00Z or 2026-11-01T10:00:00\+01:00; /);
    assert.ok(err.includes(`'${time}' has none`), err);
  }
  for (const date of [day, `${day}Z`, `${day}+01:00`])
    assert.match((await run([...send, date], 2)).err, /--at needs a time and its zone, such as .* is a date/);
  assert.match((await run([...send, "soon"], 2)).err, /--at must be a time such as .*; 'soon' is not/);
  assert.match((await run(["campaign", "show", "1"])).out, /is a draft/);
  const { out } = await run([...send, `${day}T10:00+02:00`]);
  assert.match(out, new RegExp(`^Campaign 1 is scheduled for ${day} 08:00:00Z\\.$`, "m"));
  await run(["campaign", "unschedule", "1"]);
});

test("a started campaign is sent by the service, balances, and is retried only after confirmation", async () => {
  const { out } = await run(["campaign", "send", "1"]);
  assert.match(out, /Only 'bin\/mailroll serve' sends: a running service starts it within a few seconds\./);
  assert.match(out, /mailroll campaign show 1 --watch/);
  const served = await home.serve([], env);
  const watched = await home.run(["campaign", "show", "1", "--watch"], {
    env: { ...env, MAILROLL_DATABASE: `sqlite:${home.database}` },
  });
  await served.stop();
  assert.equal(watched.code, 0, watched.err);
  assert.match(watched.out, /^State {9}was sent$/m);
  assert.match(watched.out, /^ {2}sent {8}2$/m);
  assert.ok(existsSync(join(home.folder, "outbox")));
  assert.match((await run(["campaign", "list"])).out, /Spring .* finished +2 of 2 \(100%\)/);
  assert.match(
    (await run(["campaign", "recipients", "1", "--state", "sent"])).out,
    /grace@example\.org +sent/,
  );
  assert.match((await run(["campaign", "verify", "1"])).out, /Campaign 1 balances\./);
  assert.match((await run(["campaign", "retry", "1"], 2)).err, /give --failed, --unknown or both/);
  assert.match((await run(["campaign", "retry", "1", "--unknown"], 2)).err, /gets? it twice|give --yes/);
  const declined = await run(["campaign", "retry", "1", "--unknown"], 1, false);
  assert.match(declined.err, /who already got it get it twice/);
  assert.match((await run(["campaign", "retry", "1", "--unknown", "--yes"])).out, /nothing was changed/);
});

test("the bounces of a campaign are cleared after confirmation, and then its retry counts the people", async () => {
  await using relay = await startFaultyRelay({
    at: (step) => (step === "rcpt" ? "550 5.1.1 No such user" : undefined),
  });
  const content = ["--list", "1", "--subject", "Rain", "--markdown", file("rain.md", "Hello\n")];
  await run(["campaign", "create", "Rain", ...content, "--sender", "1"]);
  const served = await home.serve([], { ...env, MAILROLL_SMTP: relay.url });
  await run(["campaign", "send", "2"]);
  await home.run(["campaign", "show", "2", "--watch"], {
    env: { ...env, MAILROLL_DATABASE: `sqlite:${home.database}` },
  });
  await served.stop();
  const retry = ["campaign", "retry", "2", "--failed"];
  assert.match((await run(retry, 1, false)).err, /to 0 failed recipients who may still get it/);
  const clear = ["campaign", "clear-bounces", "2"];
  assert.match((await run([...clear, "--yes"], 2)).err, /--reason is missing/);
  assert.match((await run([...clear, "--reason", " "], 2, false)).err, /--reason ' ' must have 1 to 500/);
  const declined = await run([...clear, "--reason", "the relay was wrong"], 1, false);
  assert.match(declined.err, /the bounces of 2 subscribers in campaign 2/);
  const { out } = await run([...clear, "--reason", "the relay was wrong", "--yes"]);
  assert.match(out, /^2 bounces cleared\. .*bin\/mailroll campaign retry 2 --failed$/m);
  assert.match((await run([...clear, "--reason", "again", "--yes"], 1)).err, /nothing was changed/);
  assert.match((await run(retry, 1, false)).err, /to 2 failed recipients who may still get it/);
});

test("a service opens as many connections to a relay as is set", async () => {
  // Otherwise two connections may have sent everything before the third is there.
  await using relay = await startFaultyRelay({ delayMs: 100 });
  for (let n = 0; n < 20; n += 1) await run(["subscriber", "add", "1", `p${n}@example.org`]);
  const content = ["--list", "1", "--subject", "Summer", "--markdown", file("summer.md", "Hello\n")];
  await run(["campaign", "create", "Summer", ...content, "--sender", "1"]);
  const served = await home.serve([], { ...env, MAILROLL_SMTP: relay.url, MAILROLL_SMTP_CONNECTIONS: "3" });
  await run(["campaign", "send", "3"]);
  const watched = await home.run(["campaign", "show", "3", "--watch"], {
    env: { ...env, MAILROLL_DATABASE: `sqlite:${home.database}` },
  });
  await served.stop();
  assert.match(watched.out, /^ {2}sent {8}22$/m);
  assert.deepEqual([relay.complete.length, relay.most()], [22, 3]);
});

test("a campaign is duplicated, and the copy is a draft", async () => {
  const { out } = await run(["campaign", "duplicate", "1"]);
  assert.match(
    out,
    /^Campaign \d+ \(Copy of Spring\) is a draft\n.*layout newsletter.*campaign edit \d+\n$/s,
  );
});
