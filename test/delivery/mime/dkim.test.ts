/** DKIM signatures, verified by another program with a resolver of the test. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { dkimVerify } from "mailauth";
import type { OutgoingMessage } from "#delivery/messages.ts";
import { identityOf } from "#delivery/mime/compose.ts";
import { type DkimSigner, dkimSignature, signedHeaders } from "#delivery/mime/dkim.ts";
import { composed, outgoing, readPart } from "./sample.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
const resolver = async (name: string, type: string): Promise<string[][]> => {
  if (name === "s1._domainkey.example.org" && type === "TXT") return [[record]];
  throw Object.assign(new Error(`no ${type} record of ${name}`), { code: "ENOTFOUND" });
};
const dkim = { domain: "example.org", selector: "s1", privateKey, leavesOut: [] };

async function verify(
  message: Buffer | string,
): Promise<{ readonly result: string; readonly comment: string }> {
  const { results } = await dkimVerify(message, { resolver } as Parameters<typeof dkimVerify>[1]);
  const [first] = results;
  return { result: first?.status.result ?? "none", comment: first?.status.comment ?? "" };
}
const signed = (message: Partial<OutgoingMessage> = {}): Buffer => composed(message, { dkim }).bytes;

test("signs ordinary, foreign, long and indented messages so that they verify", async () => {
  const html = (text: string): OutgoingMessage["rendered"] => ({ subject: "News", html: text, text });
  const messages: readonly Partial<OutgoingMessage>[] = [
    {},
    { name: "Zoë Ångström", rendered: { ...html("<p>Grüße 🌷</p>"), subject: "Frühling 🌷 ".repeat(20) } },
    { rendered: html("Привет, мир! ".repeat(200)) },
    { rendered: { ...html("x"), subject: "A subject that is folded more than once. ".repeat(30) } },
    { rendered: html(`<p>\n    indented  twice \n\n\n\t${"x".repeat(2000)}</p>\n\n\n`) },
    { rendered: html("") },
    { rendered: { subject: "x", html: null, text: "" } },
    { rendered: { subject: "x", html: null, text: "\n\n\n" } },
    { name: "", unsubscribeUrl: `https://mail.example.org/${"path/".repeat(100)}` },
  ];
  for (const message of messages) {
    const { result, comment } = await verify(signed(message));
    assert.equal(result, "pass", `${JSON.stringify(message).slice(0, 100)}: ${comment}`);
  }
});

test("signs every header of its list", () => {
  const message = readPart(composed({}, { dkim, replyTo: "a@example.org" }).bytes.toString("latin1"));
  const signature = message.headers.get("dkim-signature") ?? "";
  const names = (/ h=([^;]+);/.exec(signature)?.[1] ?? "").replaceAll(/\s/g, "").split(":");
  for (const name of signedHeaders)
    if (name !== "Content-Transfer-Encoding") assert.ok(names.includes(name.toLowerCase()), name);
  assert.ok(names.includes("list-unsubscribe-post"));
  const single = composed({ rendered: { subject: "x", html: null, text: "x" } }, { dkim }).bytes.toString(
    "latin1",
  );
  assert.match(single.replaceAll(/\s/g, ""), /:content-transfer-encoding:/);
});

test("does not verify when a signed header or the body was changed, or one was added", async () => {
  const message = signed().toString("latin1");
  const forged = [
    message.replace("One-Click", "Two-Click"),
    message.replace("Subject: News", "Subject: Olds"),
    message.replace("c12:a3", "c12:a4"),
    message.replace("<p>Hello", "<p>Hullo"),
    message.replace("Subject:", "Reply-To: <evil@example.net>\r\nSubject:"),
    message.replace("Subject:", "Subject: Other\r\nSubject:"),
    ...["From: <evil@example.net>", "To: <evil@example.net>", "Cc: <evil@example.net>"].map(
      (added) => `${added}\r\n${message}`,
    ),
    ...[
      "Content-Type: text/html",
      "List-Unsubscribe: <https://evil.example>",
      "List-Unsubscribe-Post: x",
    ].flatMap((added) => [`${added}\r\n${message}`, message.replace("Subject:", `${added}\r\nSubject:`)]),
  ];
  for (const text of forged) {
    assert.notEqual(text, message);
    assert.notEqual((await verify(text)).result, "pass", text.slice(0, 900));
  }
});

test("still verifies when a relay folds headers and adds blanks", async () => {
  const message = signed().toString("latin1");
  const relayed = `Received: from x by y\r\n${message.replace("Subject: News", "Subject:\r\n\tNews ")}\r\n\r\n`;
  assert.notEqual(relayed, message);
  assert.equal((await verify(relayed)).result, "pass");
});

test("still verifies when a provider replaces the headers that it is known to replace", async () => {
  const relays = [{ url: "smtp://a:b@email-smtp.eu-west-1.amazonaws.com:587", weight: 1 }];
  const { headers, dkim: ofSender } = identityOf(
    {
      ...{ id: 1, fromAddress: "news@example.org", fromName: "", replyTo: null, postalAddress: "" },
      ...{ bounceDomain: null, signing: "mailroll", dkimDomain: "example.org", dkimSelector: "s1", relays },
      ...{ perSecond: null, perDomainMinute: null, perDay: null, createdAt: 0 },
      dkimKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    },
    { account: 1, campaign: 2, secret: Buffer.alloc(32) },
  );
  const message = composed({}, { headers, dkim: ofSender }).bytes.toString("latin1");
  const relayed = message
    .replace(/^Date: .*$/m, "Date: Thu, 19 Nov 2026 10:00:00 +0000")
    .replace(/^Message-ID: .*$/m, "Message-ID: <0102018-000000@eu-west-1.amazonses.com>")
    .replace(/^Feedback-ID: .*$/m, "Feedback-ID: 1.eu-west-1.x=:AmazonSES");
  assert.notEqual(relayed, message);
  assert.equal((await verify(relayed)).result, "pass");
  assert.equal((await verify(relayed.replace(/^Subject: .*$/m, "Subject: Other"))).result, "fail");
  const usual = signed()
    .toString("latin1")
    .replace(/^Date: .*$/m, "Date: Thu, 19 Nov 2026 10:00:00 +0000");
  assert.equal((await verify(usual)).result, "fail", "of another relay, Date is signed");
});

test("signs an empty body", async () => {
  const signer: DkimSigner = { ...dkim, key: privateKey };
  const headers = [
    "From: <news@example.org>\r\n",
    "Subject: x\r\n",
    `Date: ${new Date(outgoing.date).toUTCString()}\r\n`,
  ];
  for (const body of ["", "\r\n", "\r\n\r\n"]) {
    const signature = dkimSignature(signer, headers, Buffer.from(body));
    const { result, comment } = await verify(`${signature}${headers.join("")}\r\n${body}`);
    assert.equal(result, "pass", comment);
  }
});

test("reads a key in PEM, and adds no signature without one", async () => {
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { bytes } = composed({}, { dkim: { ...dkim, privateKey: pem } });
  assert.equal((await verify(bytes)).result, "pass");
  assert.equal(readPart(composed().bytes.toString("latin1")).headers.has("dkim-signature"), false);
});
