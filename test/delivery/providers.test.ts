/**
 * A message through an imitation of each provider: it checks the login and the headers, and changes the
 * message as the provider's documentation and mails that went through it show (sources: the table in
 * `docs/guide/providers.md`). What arrives must have our unsubscribe link, and a signature of ours must
 * verify.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { dkimVerify } from "mailauth";
import { composeMessage, identityOf, makeComposer } from "#delivery/mime/compose.ts";
import { openRelay } from "#delivery/smtp/relays.ts";
import {
  type ProviderAnswers,
  type ProviderName,
  providerNames,
  relayOfProvider,
  usualSigning,
} from "#domain/sending/providers.ts";
import { parseRelayUrl } from "#domain/sending/relay.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import { senderValues } from "../sending-campaign.ts";
import { outgoing, readPart } from "./mime/sample.ts";
import { type FaultyRelay, startFaultyRelay } from "./smtp/faulty-relay.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
const resolver = async (name: string): Promise<string[][]> => {
  if (name === "s1._domainkey.example.org") return [[record]];
  throw Object.assign(new Error(name), { code: "ENOTFOUND" });
};

interface Imitation {
  readonly answers: ProviderAnswers;
  /** As the login arrives. */
  readonly login: readonly [user: string, password: string];
  /** Its reply to a message that it does not take; undefined: it takes it. */
  readonly refuses?: (headers: ReadonlyMap<string, string>) => string | undefined;
  /** What it delivers. */
  readonly delivers: (message: string) => string;
}
const replaced = (message: string, name: string, value: string): string =>
  message.replace(new RegExp(`^${name}: .*$`, "m"), `${name}: ${value}`);
const without = (message: string, pattern: RegExp): string => message.replaceAll(pattern, "");
const unless = (isOff: boolean, message: string): string =>
  isOff ? message : message.replaceAll(/https:\/\/[^\s>]+/g, "https://click.example/x");
const has = (message: string, line: string): boolean => message.includes(`${line}\r\n`);
const DATE = "Thu, 19 Nov 2026 10:00:00 +0000 (UTC)";
const same = (message: string): string => message;
const user = "user@example.org";
const password = "p:w/%+=";

const imitations: Readonly<Record<ProviderName, Imitation>> = {
  ses: {
    answers: { region: "eu-west-1", user: "AKIA/+", password },
    login: ["AKIA/+", password],
    delivers: (message) =>
      replaced(
        replaced(replaced(message, "Date", DATE), "Message-ID", "<0102@eu-west-1.amazonses.com>"),
        "Feedback-ID",
        "1.eu-west-1.x=:AmazonSES",
      ),
  },
  sendgrid: {
    answers: { password },
    login: ["apikey", password],
    delivers: (message) => {
      const { filters = {} } = JSON.parse(readPart(message).headers.get("x-smtpapi") ?? "{}") as {
        filters?: Record<string, { settings: { enable: number } } | undefined>;
      };
      const isOff = ["clicktrack", "opentrack"].every((name) => filters[name]?.settings.enable === 0);
      return unless(isOff, replaced(without(message, /^X-SMTPAPI: .*\r\n/gm), "Date", DATE));
    },
  },
  mailgun: {
    answers: { region: "eu", user, password },
    login: [user, password],
    delivers: (message) =>
      unless(
        ["X-Mailgun-Track: no", "X-Mailgun-Track-Clicks: no"].every((line) => has(message, line)),
        `Sender: news=example.org@mg.example.org\r\n${message}`,
      ),
  },
  postmark: {
    answers: { user: "PM-T-broadcasts-x", password, stream: "news" },
    login: ["PM-T-broadcasts-x", password],
    refuses: (headers) => (headers.get("x-pm-message-stream") === "news" ? undefined : "550 No such stream"),
    delivers: (message) => {
      const kept = has(message, "X-PM-KeepID: true")
        ? message
        : replaced(message, "Message-ID", "<x@mtasv.net>");
      return unless(
        has(message, "X-PM-TrackLinks: None") && has(message, "X-PM-TrackOpens: false"),
        without(kept, /^X-PM-.*\r\n/gm),
      );
    },
  },
  brevo: {
    answers: { user, password },
    login: [user, password],
    delivers: (message) => replaced(message, "Message-ID", "<x@smtp-relay.mailin.fr>"),
  },
  mailjet: {
    answers: { user, password },
    login: [user, password],
    delivers: (message) =>
      unless(
        has(message, "X-Mailjet-TrackClick: 0") && has(message, "X-Mailjet-TrackOpen: 0"),
        replaced(message, "Message-ID", "<x@mailjet.com>"),
      ),
  },
  smtp2go: { answers: { user, password }, login: [user, password], delivers: same },
  resend: {
    answers: { password },
    login: ["resend", password],
    delivers: (message) => replaced(replaced(message, "Date", DATE), "Message-ID", "<0102@amazonses.com>"),
  },
  sparkpost: {
    answers: { password },
    login: ["SMTP_Injection", password],
    delivers: (message) => {
      const { options } = JSON.parse(readPart(message).headers.get("x-msys-api") ?? "{}") as {
        options?: { click_tracking?: boolean; open_tracking?: boolean };
      };
      return unless(options?.click_tracking === false && options.open_tracking === false, message);
    },
  },
  postal: { answers: { host: "h.example", user, password }, login: [user, password], delivers: same },
  google: { answers: { user, password }, login: [user, password], delivers: same },
  microsoft: { answers: { user, password }, login: [user, password], delivers: same },
  hoster: { answers: { host: "h.example", user, password }, login: [user, password], delivers: same },
  own: { answers: { host: "h.example", user, password }, login: [user, password], delivers: same },
};

let relay: FaultyRelay;
let imitation: Imitation = imitations.own;
before(async () => {
  relay = await startFaultyRelay({
    offers: ["AUTH PLAIN"],
    at: (step) => {
      const [, credentials = ""] = /^AUTH PLAIN (\S+)$/.exec(relay.commands.at(-1) ?? "") ?? [];
      const given = Buffer.from(credentials, "base64").toString().split("\0").slice(1);
      if (step === "auth")
        return JSON.stringify(given) === JSON.stringify(imitation.login) ? undefined : "535 Wrong login";
      if (step !== "dot") return undefined;
      return imitation.refuses?.(readPart(relay.messages.at(-1) ?? "").headers);
    },
  });
});
after(() => relay[Symbol.asyncDispose]());

const senderWith = (url: string, signing: "relay" | "mailroll") => ({
  ...senderValues,
  ...{ id: 1, createdAt: 0, signing, relays: [{ url, weight: 1 }] },
  ...{ dkimDomain: "example.org", dkimSelector: "s1" },
  dkimKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
});

/** Sends a message as a campaign does. Returns what the provider delivers. */
async function deliveredBy(name: ProviderName, url: string, signing: "relay" | "mailroll"): Promise<string> {
  imitation = imitations[name];
  const identity = identityOf(senderWith(url, signing), {
    account: 1,
    campaign: 2,
    secret: Buffer.alloc(32),
  });
  const { bytes, envelope } = composeMessage(makeComposer(identity), {
    ...outgoing,
    rendered: { subject: "News", html: null, text: `Hello\n\n${outgoing.unsubscribeUrl}\n` },
  });
  const address = parseRelayUrl(url);
  assert.ok("kind" in address && address.kind === "smtp");
  const { user: login = "", password: secret = "" } = address.login ?? {};
  const here = `smtp://${encodeURIComponent(login)}:${encodeURIComponent(secret)}@127.0.0.1:${relay.port}`;
  const transport = openRelay(here, { connections: 1, allowsInnerAddresses: true });
  const outcome = await transport.send({ name: "1-1", envelope, bytes, needsSmtpUtf8: false });
  await transport.close();
  assert.deepEqual(classify(outcome).result, { state: "sent", code: 250 }, JSON.stringify(outcome));
  return imitation.delivers(relay.messages.at(-1) ?? "");
}

for (const name of providerNames)
  test(`a message through ${name} arrives with our links, and with a signature that verifies`, async () => {
    const made = relayOfProvider(name, imitations[name].answers);
    assert.ok("url" in made, JSON.stringify(made));
    const usual = usualSigning([made.url]);
    for (const signing of name === "ses" ? (["relay", "mailroll"] as const) : [usual]) {
      const delivered = await deliveredBy(name, made.url, signing);
      const { headers, body } = readPart(delivered);
      assert.equal(headers.get("list-unsubscribe"), `<${outgoing.unsubscribeUrl}>`);
      assert.ok(body.replaceAll("=\r\n", "").includes(outgoing.unsubscribeUrl), body);
      const { results } = await dkimVerify(delivered, { resolver } as Parameters<typeof dkimVerify>[1]);
      assert.equal(
        results[0]?.status.result,
        signing === "relay" ? "none" : "pass",
        results[0]?.status.comment,
      );
    }
  });

test("without the headers of the preset, the imitations rewrite links, as the providers do", async () => {
  for (const name of ["sendgrid", "mailgun", "postmark", "mailjet", "sparkpost"] as const) {
    const message = `From: a\r\nMessage-ID: <a@b>\r\nDate: x\r\n\r\n${outgoing.unsubscribeUrl}\r\n`;
    assert.doesNotMatch(imitations[name].delivers(message), /mail\.example\.org\/u/, name);
  }
});
