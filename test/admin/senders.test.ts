/** What the actions on senders allow, keep and make. */
import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Action, type Admin, perform } from "#admin/kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import { checkDns } from "#admin/senders/check-sender.ts";
import {
  checkSender,
  createSender,
  deleteSender,
  newSenderKey,
  setSender,
  showSender,
} from "#admin/senders/senders.ts";
import { mailTools } from "#app/mail-tools.ts";
import { directRenderer } from "#delivery/previews/direct-renderer.ts";
import type { RenderedMessage } from "#delivery/previews/renderer.ts";
import { prepareMailing } from "#delivery/runner/prepare.ts";
import type { Role } from "#domain/access/user.ts";
import type { Store } from "#domain/ports/store.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import { publicKeyOf } from "#domain/sending/sender.ts";
import { finishJob } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { startServer } from "../delivery/smtp/smtp-server.ts";
import { draftIn, NO_DNS } from "../sending-campaign.ts";
import { NOW, newAccount } from "../store/actor.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-senders-"));
let store: Store;
let account: number;
before(async () => {
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 });
  account = await newAccount(store);
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const mailOver = (smtp: string) => mailTools({ baseUrl: null, smtp, dns: NO_DNS }, directRenderer());
const run = <Args extends object, Result>(
  action: Action<Args, Result>,
  args: Args,
  { role = "owner", smtp = "smtp://127.0.0.1:2500" }: { readonly role?: Role; readonly smtp?: string } = {},
): Promise<Result> => {
  const admin: Admin = {
    store,
    clock: () => NOW,
    actor: {
      origin: { kind: "operator" },
      roleIn: (of) => (of === null && role !== "administrator" ? null : role),
    },
    continueJob: finishJob(store.jobs),
    mail: mailOver(smtp),
  };
  return perform(admin, action, args);
};
/** A key takes time to make, so most tests need none. */
const signedElsewhere = { signing: "relay" } as const;
const values = { fromAddress: "news@example.org", postalAddress: "1 Main Street" };
const create = (given: Partial<Parameters<typeof createSender.run>[1]> = {}) =>
  run(createSender, { account, ...values, ...given });
const secretsOf = async (id: number) =>
  (await store.senders.toSendWith({ account, id })) ?? assert.fail("there is no such sender");
const relay = (url: string, weight = 1) => ({ url, weight });
const refuses = (given: object, input: string, text: RegExp) =>
  assert.rejects(create(given), (error) => {
    assert.ok(error instanceof InvalidInput, String(error));
    assert.equal(error.input, input);
    assert.match(error.message, text);
    return true;
  });

test("a new sender gets an RSA key of 2,048 bits, whose public part is in its DNS record", async () => {
  const { sender, records } = await create({ fromAddress: "News@EXAMPLE.org" });
  assert.deepEqual(
    [sender.fromAddress, sender.signing, sender.dkimDomain, sender.dkimSelector],
    ["News@example.org", "mailroll", "example.org", "mailroll"],
  );
  const { dkimKey } = await secretsOf(sender.id);
  const key = createPrivateKey(dkimKey ?? "");
  assert.deepEqual([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength], ["rsa", 2048]);
  assert.ok(records.some(({ value }) => value.endsWith(`p=${publicKeyOf(dkimKey ?? "")}`)));
  assert.doesNotMatch(JSON.stringify({ sender, records }), /PRIVATE KEY/);
});

test("each value that breaks a rule is named", async () => {
  await refuses({ fromAddress: "news" }, "fromAddress", /is not an e-mail address: it has no @/);
  await refuses({ replyTo: "x@" }, "replyTo", /is not an e-mail address/);
  await refuses({ postalAddress: " " }, "postalAddress", /must not be empty/);
  await refuses({ bounceDomain: "bounces" }, "bounceDomain", /not a full domain/);
  await refuses({ dkimDomain: "example.com" }, "dkimDomain", /must be example\.org/);
  await refuses({ dkimSelector: "a b" }, "dkimSelector", /letters/);
  await refuses({ signing: "relay", dkimSelector: "a" }, "dkimSelector", /does not sign/);
  await refuses({ perDay: 0 }, "perDay", /whole number/);
  await refuses({ relays: [relay("http://x")] }, "relays", /not the address of a relay/);
});

test("an owner cannot make the service connect to its own network, an administrator can", async () => {
  const inner = { relays: [relay("smtp://a:b@127.0.0.1:587")], ...signedElsewhere };
  await refuses(inner, "relays", /inside the network/);
  await refuses({ relays: [relay("file:/tmp/x")] }, "relays", /administrator/);
  const same = await create({ relays: [relay("smtp://a:b@127.0.0.1:2500")], ...signedElsewhere });
  assert.deepEqual(same.sender.relays, [relay("smtp://a@127.0.0.1:2500")]);
  const { sender } = await run(createSender, { account, ...values, ...inner }, { role: "administrator" });
  // What is stored stays when an owner changes something else.
  const changed = await run(setSender, { account, id: sender.id, relays: sender.relays, perDay: 5 });
  assert.deepEqual([changed.sender.perDay, changed.sender.relays], [5, [relay("smtp://a@127.0.0.1:587")]]);
  const marked = inner.relays.map((one) => ({ ...one, allowsInner: true }));
  assert.deepEqual((await secretsOf(sender.id)).relays, marked);
  assert.deepEqual((await secretsOf(same.sender.id)).relays, [relay("smtp://a:b@127.0.0.1:2500")]);
});

test("only an administrator's relay may be inside the network, and it stays so until its address changes", async () => {
  const outer = { relays: [relay("smtp://a:b@mail.example.org")], ...signedElsewhere };
  const marks = async (id: number) =>
    (await secretsOf(id)).relays.map(({ allowsInner }) => allowsInner === true);
  const role = "administrator";
  const claimed = { ...relay("smtp://a:b@mail.example.org"), allowsInner: true };
  const { sender: ofOwner } = await create({ ...outer, relays: [claimed] });
  assert.deepEqual(await marks(ofOwner.id), [false]);
  // The owner of an account chose the name, and may make it lead anywhere.
  await run(setSender, { account, id: ofOwner.id, relays: outer.relays, perDay: 5 }, { role });
  assert.deepEqual(await marks(ofOwner.id), [false]);

  const { sender } = await run(createSender, { account, ...values, ...outer }, { role });
  const one = { account, id: sender.id };
  assert.deepEqual(await marks(sender.id), [true], "only the DNS knows where a name leads");
  await run(setSender, { ...one, perDay: 5 });
  await run(setSender, { ...one, relays: [relay("smtp://a:new@mail.example.org", 3)] });
  assert.deepEqual(await marks(sender.id), [true]);
  await run(setSender, { ...one, relays: [relay("smtp://c:d@mail.example.org")] });
  assert.deepEqual(await marks(sender.id), [false]);
});

test("an administrator's relay inside the network and folder get test messages and campaigns", async () => {
  await using server = await startServer({ disabledCommands: ["STARTTLS"] });
  const relays = [relay(`smtp://127.0.0.1:${server.port}`), relay(`file:${join(folder, "outbox")}`)];
  const given = { account, ...values, ...signedElsewhere };
  const smtp = "smtp://192.0.2.1";
  for (const one of relays) {
    const { sender } = await run(createSender, { ...given, relays: [one] }, { role: "administrator", smtp });
    const message = {
      envelope: { from: "news@example.org" },
      source: "Subject: x\r\n\r\nx\r\n",
    } as RenderedMessage;
    await mailOver(smtp).handOver(await secretsOf(sender.id), message, "me@example.com");
    const { id: list } = await store.lists.create({ account, name: `News ${sender.id}`, at: NOW });
    const of = await draftIn(store, { account, list }, { sender: sender.id });
    const settings = { baseUrl: () => "https://mail.example.org", relay: smtp };
    const prepared = await prepareMailing(store, settings, of, Date.now());
    assert.ok(typeof prepared !== "string", JSON.stringify(prepared));
    assert.deepEqual(prepared.sender.relays, [{ ...one, allowsInner: true }]);
  }
  assert.deepEqual([server.delivered.length, readdirSync(join(folder, "outbox")).length], [1, 1]);
});

test("a relay that is given without its password keeps it, and loses it with another user or host", async () => {
  const stored = [relay("smtp://shop:s3cret@mail.example.org:587", 2), relay("smtps://other.example.org")];
  const { sender } = await create({ relays: stored, ...signedElsewhere });
  const one = { account, id: sender.id };
  const turned = [relay("smtps://other.example.org", 9), relay("smtp://shop@mail.example.org:587")];
  await run(setSender, { ...one, relays: turned });
  assert.deepEqual((await secretsOf(sender.id)).relays, [
    relay("smtps://other.example.org", 9),
    relay("smtp://shop:s3cret@mail.example.org:587"),
  ]);
  for (const url of ["smtp://shop@evil.example.com:587", "smtp://other@mail.example.org:587"])
    await assert.rejects(run(setSender, { ...one, relays: [relay(url)] }), /no password is given or stored/);
  await run(setSender, { ...one, relays: [relay("smtp://shop:new@mail.example.org:587")] });
  assert.deepEqual((await secretsOf(sender.id)).relays, [relay("smtp://shop:new@mail.example.org:587")]);
});

test("a change keeps what is not given, and the DKIM domain follows the From address", async () => {
  const { sender } = await create({ fromName: "Shop", replyTo: "help@example.org", perDay: 7 });
  const one = { account, id: sender.id };
  const before = await secretsOf(sender.id);
  const moved = await run(setSender, { ...one, fromAddress: "news@example.net" });
  assert.deepEqual(moved.sender, {
    ...sender,
    fromAddress: "news@example.net",
    dkimDomain: "example.net",
  });
  assert.equal((await secretsOf(sender.id)).dkimKey, before.dkimKey);
  await run(setSender, { ...one, fromAddress: "news@mail.example.net", dkimDomain: "example.net" });
  const below = await run(setSender, { ...one, fromAddress: "news@a.mail.example.net" });
  assert.equal(below.sender.dkimDomain, "example.net", "it was chosen");
  await assert.rejects(run(setSender, { ...one, fromAddress: "news@example.com" }), InvalidInput);
  const none = await run(setSender, { ...one, replyTo: null, perDay: null });
  assert.deepEqual([none.sender.replyTo, none.sender.perDay], [null, null]);
});

test("a sender whose relay signs has no key, and gets a new one when Mailroll signs", async () => {
  const { sender } = await create();
  const one = { account, id: sender.id };
  const old = (await secretsOf(sender.id)).dkimKey;
  const { sender: relayed, records } = await run(setSender, { ...one, signing: "relay" });
  assert.deepEqual([relayed.dkimDomain, relayed.dkimSelector], [null, null]);
  assert.equal((await secretsOf(sender.id)).dkimKey, null);
  assert.ok(records.every(({ subject }) => subject !== "dkim"));
  await assert.rejects(run(newSenderKey, one), NotPossible);
  await run(setSender, { ...one, signing: "mailroll" });
  const key = (await secretsOf(sender.id)).dkimKey;
  assert.ok(key !== null && key !== old);
});

test("a new key has another selector than the old one", async () => {
  const { sender } = await create();
  const one = { account, id: sender.id };
  const old = (await secretsOf(sender.id)).dkimKey;
  const next = await run(newSenderKey, one);
  assert.equal(next.sender.dkimSelector, "mailroll2");
  const { dkimKey } = await secretsOf(sender.id);
  assert.notEqual(dkimKey, old);
  assert.ok(next.records.some(({ name }) => name === "mailroll2._domainkey.example.org"));
  await assert.rejects(run(newSenderKey, { ...one, dkimSelector: "mailroll2" }), /another selector/);
  assert.equal((await run(newSenderKey, { ...one, dkimSelector: "autumn" })).sender.dkimSelector, "autumn");
});

test("a sender that a draft uses is not deleted, and the error names the campaign", async () => {
  const { sender } = await create(signedElsewhere);
  const one = { account, id: sender.id };
  const content = { ...emptyContent, sender: sender.id };
  const made = await store.mailings.create({ account, name: "Spring", content, at: NOW });
  assert.ok("campaign" in made);
  const id = made.campaign.id;
  await assert.rejects(
    run(deleteSender, one),
    new NotPossible(
      `sender ${sender.id} cannot be deleted: campaign ${id} uses it; choose another sender there, or delete or cancel them first`,
    ),
  );
  await store.mailings.setContent({ account, campaign: id, changes: { sender: null } });
  assert.equal((await run(deleteSender, one)).id, sender.id);
  await assert.rejects(run(showSender, one), NotFound);
});

test("a check tells DNS outages from relays, and tries each relay without sending anything", async () => {
  await using server = await startServer({
    authMethods: ["PLAIN"],
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ password = "" }, _session, done) =>
      password === "right" ? done(null, { user: "shop" }) : done(new Error("Invalid login")),
  });
  const address = `127.0.0.1:${server.port}`;
  const states = async (password: string, smtp = `smtp://${address}`, role: Role = "owner") => {
    const relays = [relay(`smtp://shop:${password}@${address}`)];
    const given = { account, ...values, ...signedElsewhere, relays };
    // The owner chose it while it was the relay of the installation.
    const then = role === "owner" ? { smtp: `smtp://${address}` } : { smtp, role };
    const { sender } = await run(createSender, given, then);
    const { findings } = await run(checkSender, { account, id: sender.id }, { smtp });
    assert.doesNotMatch(JSON.stringify(findings), new RegExp(password));
    return findings.map(({ subject, state, found }) => [subject, state, ...found]);
  };
  const dns = [
    ["spf", "unknown"],
    ["dkim", "ok"],
    ["dmarc", "unknown"],
  ];
  assert.deepEqual(await states("right"), [...dns, ["relay", "ok"]]);
  const [, , , wrong] = await states("mistaken");
  assert.deepEqual(wrong?.slice(0, 2), ["relay", "wrong"]);
  assert.match(wrong[2] ?? "", /Invalid login|535/);
  const [, , , inner] = await states("right", "smtp://192.0.2.1");
  assert.match(
    inner?.[2] ?? "",
    /inside the network|inner|not allowed/i,
    "it is not the installation's relay",
  );
  assert.deepEqual(await states("right", "smtp://192.0.2.1", "administrator"), [...dns, ["relay", "ok"]]);
  assert.deepEqual(server.delivered, []);
});

const [CUT_OFF, SERVFAIL, NXDOMAIN, NOTAUTH] = [0x200, 2, 3, 9];
/** A name server that answers every question without a record: with these flags, over UDP and over TCP. */
async function startEmptyNameServer(overUdp: number, overTcp: number) {
  const answerTo = (question: Buffer, flags: number): Buffer => {
    const end = question.indexOf(0, 12) + 5;
    const header = [0x80 | (flags >> 8), flags & 0xff, 0, 1, 0, 0, 0, 0, 0, 0];
    return Buffer.concat([question.subarray(0, 2), Buffer.from(header), question.subarray(12, end)]);
  };
  const tcp = createServer((connection) => {
    let read = Buffer.alloc(0);
    connection.on("error", () => {});
    connection.on("data", (chunk) => {
      read = Buffer.concat([read, chunk]);
      // Each message follows its length.
      while (read.length >= 2) {
        const end = 2 + read.readUInt16BE();
        if (read.length < end) return;
        const answer = answerTo(read.subarray(2, end), overTcp);
        connection.write(Buffer.concat([Buffer.from([0, answer.length]), answer]));
        read = read.subarray(end);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket("udp4").bind(port, "127.0.0.1");
  udp.on("message", (question, from) => udp.send(answerTo(question, overUdp), from.port, from.address));
  await once(udp, "listening");
  return {
    address: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

test("a check says that a record is missing only if the name server says so", async () => {
  const { sender } = await create({ bounceDomain: "bounces.example.org" });
  for (const [overUdp, overTcp, state, reason] of [
    [0, 0, "missing", /no |Neither /],
    [NXDOMAIN, NXDOMAIN, "missing", /no |Neither /],
    [SERVFAIL, SERVFAIL, "unknown", /the name server cannot find out/],
    [NOTAUTH, NOTAUTH, "unknown", /the name server responded with the code 9/],
    [CUT_OFF, 0, "unknown", /the response was truncated/],
    [CUT_OFF, NXDOMAIN, "unknown", /the response was truncated/],
    [CUT_OFF, CUT_OFF, "unknown", /the response was truncated/],
    [CUT_OFF, SERVFAIL, "unknown", /the name server cannot find out/],
  ] as const) {
    await using nameServer = await startEmptyNameServer(overUdp, overTcp);
    const findings = await checkDns(await secretsOf(sender.id), [], [nameServer.address]);
    assert.deepEqual(
      findings.map((finding) => [finding.subject, finding.state]),
      ["spf", "dkim", "dmarc", "mx"].map((subject) => [subject, state]),
      `${overUdp} ${overTcp}`,
    );
    for (const { text } of findings) assert.match(text, reason);
  }
});

test("the relay of the installation is tried, and its address is not shown", async () => {
  const { sender } = await create(signedElsewhere);
  const one = { account, id: sender.id };
  const { findings } = await run(checkSender, one, { smtp: "smtp://hidden:p4ss@127.0.0.1:9" });
  const found = findings.find(({ subject }) => subject === "relay");
  assert.deepEqual([found?.state, found?.where], ["wrong", "the relay of the installation"]);
  assert.doesNotMatch(JSON.stringify(findings), /hidden|p4ss/);
});

test("a folder as the relay is a note, not a failure", async () => {
  const { sender } = await create(signedElsewhere);
  const { findings } = await run(checkSender, { account, id: sender.id }, { smtp: `file:${folder}` });
  const found = findings.find(({ subject }) => subject === "relay");
  assert.equal(found?.state, "note");
  assert.match(found.text, /written to a folder, and nobody gets them/);
});
