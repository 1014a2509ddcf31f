/** A folder in place of a relay. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { openRelay } from "#delivery/smtp/relays.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import { messageTo, text } from "./messages.ts";

function temporary(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "mailroll-outbox-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test("writes each message to a private file in a private folder, once", async () => {
  using folder = temporary();
  const outbox = join(folder.path, "new", "outbox");
  const transport = openRelay(`file:${outbox}`, { connections: 3, allowsInnerAddresses: true });
  assert.equal(transport.connections, 3);
  const names = ["7-1", "7-2", "7-3", "7-2"];
  const outcomes = await Promise.all(
    names.map((name) => transport.send(messageTo("a@example.com", text, { name }))),
  );
  await transport.close();
  assert.deepEqual(
    outcomes.map((outcome) => classify(outcome).result),
    names.map(() => ({ state: "sent", code: null })),
  );
  assert.deepEqual(readdirSync(outbox).sort(), ["7-1.eml", "7-2.eml", "7-3.eml"]);
  assert.equal(readFileSync(join(outbox, "7-2.eml"), "utf8"), text);
  assert.equal(statSync(outbox).mode & 0o777, 0o700);
  assert.equal(statSync(join(outbox, "7-1.eml")).mode & 0o777, 0o600);
});

test("reports a failing relay if the folder cannot be written, and works again when it can", async () => {
  using folder = temporary();
  const outbox = join(folder.path, "outbox");
  writeFileSync(outbox, "a file in its place");
  const transport = openRelay(`file:${outbox}`, { allowsInnerAddresses: true });
  const outcome = await transport.send(messageTo("a@example.com"));
  assert.equal(outcome.kind, "relay failed");
  const { result, relayFailure } = classify(outcome);
  assert.deepEqual(result, { state: "queued", isAttempt: false, afterMs: 0 });
  assert.match(relayFailure ?? "", /no message can be written to .*outbox/);
  rmSync(outbox);
  assert.equal((await transport.send(messageTo("a@example.com"))).kind, "accepted");
  rmSync(outbox, { recursive: true });
  assert.equal((await transport.send(messageTo("a@example.com"))).kind, "relay failed");
  assert.equal((await transport.send(messageTo("a@example.com"))).kind, "accepted");
});

test("reports a failing relay if the folder cannot be made, also below /proc", async () => {
  // In a process of its own: without an end, nothing else in this one would run, not even a timeout.
  const script = `
    const { openRelay } = await import(${JSON.stringify(import.meta.resolve("../../../src/delivery/smtp/relays.ts"))});
    const transport = openRelay("file:/proc/mailroll/outbox", { allowsInnerAddresses: true });
    const bytes = new Uint8Array();
    const message = { name: "1-1", envelope: { from: "a@example.org", to: "b@example.org" }, bytes };
    console.log(JSON.stringify(await transport.send(message)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  assert.match(stdout, /"relay failed".*no message can be written to \/proc\/mailroll\/outbox: ENOENT/);
});

test("leaves nothing behind of a message that could not be written, and nothing outside the folder", async () => {
  using folder = temporary();
  const outbox = join(folder.path, "outbox");
  const transport = openRelay(`file:${outbox}`, { allowsInnerAddresses: true });
  const outcome = await transport.send(messageTo("a@example.com", text, { name: "../evil" }));
  assert.equal(outcome.kind, "relay failed");
  assert.deepEqual(readdirSync(folder.path), []);
});

test("writes nothing to a folder that is not set by an administrator", async () => {
  using folder = temporary();
  const transport = openRelay(`file:${folder.path}`);
  const outcome = await transport.send(messageTo("a@example.com"));
  assert.equal(outcome.kind, "relay failed");
  assert.match(outcome.text, /administrator/);
  assert.deepEqual(readdirSync(folder.path), []);
});
