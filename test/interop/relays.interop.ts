/**
 * Postfix and Exim of Debian as relays: composed and signed messages get through them unchanged, and their
 * refusals are understood.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { composeMessage, makeComposer } from "#delivery/mime/compose.ts";
import { openRelay } from "#delivery/smtp/relays.ts";
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { OutgoingMessage } from "#domain/sending/hand-over.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { exim } from "./relays/exim.ts";
import { RunningMailServer } from "./relays/mail-server.ts";
import { postfix } from "./relays/postfix.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const RECORD_NAME = "mailroll._domainkey.example.org";
const RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;

const composer = makeComposer({
  account: 1 as AccountId,
  campaign: 7 as CampaignId,
  fromAddress: "news@example.org",
  fromName: 'Grüße, "Übersee" & Söhne',
  replyTo: "office@example.org",
  bounceDomain: null,
  dkim: { domain: "example.org", selector: "mailroll", privateKey, leavesOut: [] },
  headers: [],
  secret: Buffer.alloc(32, 7),
});

let number = 0;
function messageTo(
  address: string,
  text = "Hello.\n.\n..\n.hidden\n\nÄ long line: ".concat("wörd ".repeat(300)),
) {
  number += 1;
  const { bytes, envelope, needsSmtpUtf8 } = composeMessage(composer, {
    subscriber: number as SubscriberId,
    address,
    name: 'Jürgen "J." Groß',
    unsubscribeUrl: "https://mail.example.org/u/AAECAwQFBgcICQoLDA0ODw",
    date: Date.UTC(2026, 0, 2, 3, 4, 5),
    rendered: {
      subject:
        "Neues für den Frühling: 100 % größer, und eine Zeile, die sehr viel länger als die anderen ist 🎉",
      html: `<p>.</p>\n.\n<p>${text}</p>`,
      text,
    },
  });
  return { name: `7-${number}`, bytes, envelope, needsSmtpUtf8 } satisfies OutgoingMessage;
}

const header = (message: Buffer, name: string): string => {
  const head = message.toString("utf8").split("\r\n\r\n")[0] ?? "";
  return new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, "im").exec(head)?.[1] ?? "";
};

/** By two programs that have nothing in common. */
async function verdicts(message: Buffer): Promise<readonly string[]> {
  const { results } = await dkimVerify(message, {
    resolver: (name: string) => Promise.resolve(name === RECORD_NAME ? [[RECORD]] : []),
  });
  const words = [join(import.meta.dirname, "relays/verify-dkim.py"), RECORD_NAME, RECORD];
  const python = spawnSync("/usr/bin/python3", words, { input: message, encoding: "utf8" });
  assert.equal(python.status, 0, python.stderr);
  return [...results.map(({ status }) => status.result), python.stdout.trim()];
}
const assertSigned = async (message: Buffer | undefined): Promise<void> => {
  assert.ok(message !== undefined);
  assert.deepEqual(await verdicts(message), ["pass", "pass"]);
};

for (const server of [postfix, exim])
  describe(`${server.name} as a relay`, () => {
    let running: RunningMailServer;
    before(async () => {
      running = await RunningMailServer.start(server);
    });
    after(() => running.stop());

    const open = (login = "", connections = 1): ReturnType<typeof openRelay> =>
      openRelay(`smtp://${login}localhost:${running.place.port}`, {
        connections,
        allowsInnerAddresses: true,
        ca: readFileSync(running.place.certificate.cert, "utf8"),
      });

    test("delivers ten signed messages that came over one connection, and no more", async () => {
      const transport = open();
      for (let left = 10; left > 0; left -= 1) {
        const outcome = await transport.send(messageTo("good@example.com"));
        assert.equal(outcome.kind, "accepted", JSON.stringify(outcome));
      }
      await transport.close();
      const messages = await running.delivered("good", 10);
      const ids = new Set(messages.map((message) => header(message, "Message-ID")));
      assert.equal(ids.size, 10);
      const [first] = messages;
      assert.ok(first !== undefined);
      await assertSigned(first);
      assert.match(header(first, "Received"), /with ESMTPS|\(TLS/);
    });

    test("delivers no signature that a changed message would have, too", async () => {
      const [message] = await running.delivered("good", 10);
      assert.ok(message !== undefined);
      const changed = Buffer.from(message.toString("latin1").replace("One-Click", "Two-Click"), "latin1");
      assert.deepEqual(await verdicts(changed), ["fail", "fail"]);
    });

    test("tells apart recipients that do not exist, are refused, and are to be tried again", async () => {
      const transport = open();
      const results: unknown[] = [];
      for (const to of ["nobody", "full", "spam", "later", "also"]) {
        const { result, relayFailure } = classify(await transport.send(messageTo(`${to}@example.com`)));
        assert.equal(relayFailure, null);
        results.push([to, result.state, "isHardBounce" in result ? result.isHardBounce : null]);
      }
      await transport.close();
      assert.deepEqual(results, [
        ["nobody", "failed", true],
        ["full", "failed", false],
        ["spam", "failed", false],
        ["later", "deferred", null],
        ["also", "sent", null],
      ]);
      const [message] = await running.delivered("also", 1);
      await assertSigned(message);
    });

    test("blames the relay, not the recipient, if it does not relay or refuses the sender", async () => {
      const transport = open();
      const abroad = classify(await transport.send(messageTo("somebody@elsewhere.example")));
      assert.match(abroad.relayFailure ?? "", /relay/i);
      assert.equal(abroad.result.state, "deferred");
      const message = messageTo("good@example.com");
      const envelope = { ...message.envelope, from: "banned@example.org" };
      const banned = classify(await transport.send({ ...message, envelope }));
      assert.match(banned.relayFailure ?? "", /Not you/);
      await transport.close();
    });

    test("skips a message that is too large for it", async () => {
      const transport = open();
      const { result } = classify(await transport.send(messageTo("good@example.com", "x\n".repeat(100_000))));
      await transport.close();
      assert.equal(result.state, "skipped");
      assert.equal(result.reason, "message too large");
    });

    test("delivers to an address that needs SMTPUTF8", async () => {
      const transport = open();
      const outcome = await transport.send(messageTo("jürgen@example.com"));
      await transport.close();
      assert.equal(outcome.kind, "accepted", JSON.stringify(outcome));
      const [message] = await running.delivered("jürgen", 1);
      await assertSigned(message);
    });

    test("refuses a wrong login, which pauses the campaign with its words", async () => {
      const transport = open("news:wrong@");
      const { relayFailure } = classify(await transport.send(messageTo("good@example.com")));
      await transport.close();
      assert.match(relayFailure ?? "", /the relay refuses the login: 5\d\d /);
    });

    if (server === exim)
      test("blames the relay if it cannot verify the sender, and says why in the words of a hard bounce", async () => {
        const transport = open();
        const message = messageTo("good@example.com");
        const envelope = { ...message.envelope, from: "unverified@example.org" };
        const { result, relayFailure } = classify(await transport.send({ ...message, envelope }));
        await transport.close();
        assert.match(relayFailure ?? "", /Verification failed for <address> Unrouteable address/);
        assert.equal(result.state, "deferred");
      });

    // Postfix leaves logins to another program.
    if (server === exim)
      test("takes a right login", async () => {
        const transport = open("news:secret@");
        const outcome = await transport.send(messageTo("member@example.com"));
        await transport.close();
        assert.equal(outcome.kind, "accepted", JSON.stringify(outcome));
        const [message] = await running.delivered("member", 1);
        assert.ok(message !== undefined);
        assert.match(header(message, "Received"), /with esmtpsa/);
      });
  });
