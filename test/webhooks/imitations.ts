/**
 * Mail providers as their webhooks are documented: the requests that they make for events, signed as they
 * sign.
 * Keys are made at run time. Sources: `docs/guide/providers.md`.
 */
import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { eventWords, type ProviderEventKind } from "#domain/sending/provider-event.ts";
import type { EventProof, WebhookProvider } from "#domain/sending/providers.ts";
import { WEBHOOK_USER, type WebhookKey } from "#webhooks/proof.ts";

export interface ImitatedEvent {
  readonly id: string;
  readonly address: string;
  readonly kind: ProviderEventKind;
  readonly at: number;
  readonly token: string | null;
}
export interface ImitatedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
export interface Imitation {
  readonly proof: EventProof;
  /** As a webhook has it. */
  readonly key: string;
  /** For `proof: "password"`: the key is its hash. */
  readonly password: string | null;
  /** The kinds that the provider has an event for. */
  readonly kinds: readonly ProviderEventKind[];
  readonly requests: (events: readonly ImitatedEvent[], now: number) => readonly ImitatedRequest[];
  /** Of Amazon SNS, for `new Certificates(imitation.fetchCertificate)`. */
  readonly fetchCertificate: (url: string) => Promise<Buffer>;
  readonly confirmation: ((topic: string, subscribeUrl: string, now: number) => ImitatedRequest) | null;
}
type Signer = (body: string, now: number) => ImitatedRequest["headers"];
type Payload = (event: ImitatedEvent, now: number) => object;

export const TOPIC = "arn:aws:sns:eu-west-1:123456789012:mailroll";
export const CERTIFICATE_URL =
  "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem";

const seconds = (at: number): number => Math.floor(at / 1000);
const iso = (at: number): string => new Date(at).toISOString();
const json = { "content-type": "application/json" };
const all: readonly ProviderEventKind[] = [
  "hard",
  "soft",
  "complaint",
  "unsubscribe",
  "delivered",
  "rejected",
];
const withoutUnsubscribe = all.filter((kind) => kind !== "unsubscribe");
const unknownUser = "550 5.1.1 user unknown";

const sendgridPayload: Payload = ({ id, address, kind, at, token }) => ({
  email: address,
  timestamp: seconds(at),
  "smtp-id": `<${id}@ismtpd-555>`,
  sg_event_id: id,
  sg_message_id: `${id}.recvd-5f54b5d587-pczjm-1-67BADEEA-6.0`,
  ...{
    hard: { event: "bounce", type: "bounce", status: "5.1.1", reason: unknownUser, tls: 0 },
    soft: { event: "bounce", type: "blocked", status: "4.2.2", reason: "452 4.2.2 mailbox full" },
    complaint: { event: "spamreport" },
    unsubscribe: { event: "unsubscribe" },
    delivered: { event: "delivered", response: "250 OK" },
    rejected: { event: "dropped", reason: "Spam Content" },
  }[kind],
  ...(token === null ? {} : { mailroll: token }),
});

const mailgunPayload: Payload = ({ id, address, kind, at, token }) => ({
  account: { id: "1234567890303a4bd1f33898" },
  domain: { name: "mg.example.org" },
  id,
  timestamp: at / 1000,
  "log-level": "info",
  recipient: address,
  "recipient-domain": address.split("@")[1],
  message: { headers: { to: address, "message-id": `${id}@mg.example.org`, subject: "News" }, size: 341 },
  "user-variables": token === null ? {} : { mailroll: token },
  ...{
    hard: {
      ...{ event: "failed", severity: "permanent", reason: "bounce" },
      "delivery-status": { code: 550, "bounce-type": "hard", "enhanced-code": "5.1.1", message: unknownUser },
    },
    soft: {
      ...{ event: "failed", severity: "permanent", reason: "old" },
      "delivery-status": { code: 602, message: "Too old" },
    },
    complaint: { event: "complained" },
    unsubscribe: { event: "unsubscribed" },
    delivered: { event: "delivered", "delivery-status": { code: 250, message: "OK" } },
    rejected: { event: "rejected", reject: { reason: "Sandbox subdomains are for test purposes only." } },
  }[kind],
});

const postmarkPayload: Payload = ({ id, address, kind, at, token }) => ({
  MessageID: id,
  ServerID: 23,
  MessageStream: "broadcasts",
  Tag: "",
  Metadata: token === null ? {} : { mailroll: token },
  ...{
    hard: { RecordType: "Bounce", Type: "HardBounce", TypeCode: 1, Details: `smtp;${unknownUser}` },
    soft: { RecordType: "Bounce", Type: "SoftBounce", TypeCode: 4096, Details: "mailbox full" },
    complaint: { RecordType: "SpamComplaint", Type: "SpamComplaint", TypeCode: 100001 },
    unsubscribe: {
      ...{ RecordType: "SubscriptionChange", SuppressSending: true, Origin: "Recipient" },
      SuppressionReason: "ManualSuppression",
    },
    delivered: { RecordType: "Delivery", Details: "Test delivery webhook details" },
    rejected: { RecordType: "Bounce", Type: "Blocked", TypeCode: 100006, Details: "554 5.7.1 blocked" },
  }[kind],
  ...(kind === "unsubscribe" || kind === "delivered" ? { Recipient: address } : { Email: address }),
  ...{ unsubscribe: { ChangedAt: iso(at) }, delivered: { DeliveredAt: iso(at) } }[kind as "delivered"],
  ...(kind === "unsubscribe" || kind === "delivered" ? {} : { ID: 42, BouncedAt: iso(at) }),
});

const brevoPayload: Payload = ({ id, address, kind, at, token }) => ({
  event: {
    ...{ hard: "hard_bounce", soft: "soft_bounce", complaint: "spam", unsubscribe: "unsubscribed" },
    ...{ delivered: "delivered", rejected: "blocked" },
  }[kind],
  email: address,
  id: 9999999,
  date: "2018-03-06 11:10:23",
  ts: seconds(at),
  "message-id": `<${id}@smtp-relay.mailin.fr>`,
  ts_event: seconds(at),
  subject: "News",
  ...(token === null ? {} : { "X-Mailin-custom": token }),
  sending_ip: "192.0.2.1",
  ts_epoch: at,
  ...(kind === "hard" ? { reason: ` RecipientError: ${unknownUser}` } : {}),
});

const mailjetPayload: Payload = ({ id, address, kind, at, token }) => ({
  event: {
    ...{ hard: "bounce", soft: "bounce", complaint: "spam", unsubscribe: "unsub" },
    ...{ delivered: "sent", rejected: "blocked" },
  }[kind],
  time: seconds(at),
  MessageID: 19421777835146490,
  Message_GUID: id,
  email: address,
  mj_campaign_id: 7257,
  mj_contact_id: 4,
  customcampaign: "",
  CustomID: token ?? "",
  Payload: "",
  ...{
    hard: { blocked: true, hard_bounce: true, error_related_to: "recipient", error: "user unknown" },
    soft: { blocked: false, hard_bounce: false, error_related_to: "recipient", error: "quota exceeded" },
    complaint: { source: "JMRPP" },
    unsubscribe: { mj_list_id: 1, ip: "127.0.0.1", geo: "FR", agent: "Mozilla/5.0" },
    delivered: { smtp_reply: "sent (250 2.0.0 OK 1433333948 fa5si855896wjc.199 - gsmtp)" },
    rejected: { error_related_to: "spam", error: "content blocked" },
  }[kind],
});

const sparkpostPayload: Payload = ({ id, address, kind, at, token }) => {
  const name = kind === "unsubscribe" ? "unsubscribe_event" : "message_event";
  const event = {
    ...{ event_id: id, rcpt_to: address.toLowerCase(), raw_rcpt_to: address, customer_id: "1" },
    ...{ message_id: "000443ee14578172be22", timestamp: String(seconds(at)), rcpt_tags: [] },
    rcpt_meta: token === null ? {} : { mailroll: token },
    ...{
      hard: { type: "bounce", bounce_class: "10", error_code: "550", raw_reason: unknownUser },
      soft: { type: "bounce", bounce_class: "22", error_code: "552", raw_reason: "552 5.2.2 mailbox full" },
      complaint: { type: "spam_complaint", fbtype: "abuse", report_by: "server.email.com" },
      unsubscribe: { type: "list_unsubscribe" },
      delivered: { type: "delivery" },
      rejected: { type: "policy_rejection", error_code: "550", raw_reason: "550 5.7.1 policy" },
    }[kind],
  };
  return { msys: { [name]: event } };
};

const resendPayload: Payload = ({ id, address, kind, at }) => ({
  type: {
    ...{ hard: "email.bounced", soft: "email.bounced", complaint: "email.complained", unsubscribe: "" },
    ...{ delivered: "email.delivered", rejected: "email.failed" },
  }[kind],
  created_at: iso(at),
  data: {
    ...{ created_at: iso(at), email_id: id, from: "News <news@example.org>", to: [address], subject: "News" },
    ...(kind === "hard"
      ? { bounce: { type: "Permanent", subType: "General", message: "The recipient's email is unknown." } }
      : {}),
    ...(kind === "soft"
      ? { bounce: { type: "Transient", subType: "MailboxFull", message: "The inbox is full." } }
      : {}),
    ...(kind === "rejected" ? { failed: { reason: "reached_daily_quota" } } : {}),
  },
});

const postalPayload: Payload = ({ id, address, kind, at, token }) => ({
  event: {
    hard: "MessageDeliveryFailed",
    soft: "MessageBounced",
    delivered: "MessageSent",
    rejected: "MessageHeld",
  }[kind as "hard"],
  timestamp: at / 1000,
  payload: {
    [kind === "soft" ? "original_message" : "message"]: {
      ...{
        id: 233843,
        token: "McC2tuqg7mhx",
        direction: "outgoing",
        message_id: `${id}@rp.postal.example.com`,
      },
      ...{ to: address, from: "news@example.org", subject: "News", timestamp: at / 1000 },
      ...{ spam_status: "NotChecked", tag: token },
    },
    ...(kind === "soft" ? { bounce: { id: 233864, direction: "incoming", tag: null } } : {}),
    ...(kind === "hard"
      ? {
          ...{ status: "HardFail", output: `${unknownUser}\n` },
          details: "Permanent SMTP delivery error when sending to mx.example.com (192.0.2.1)",
        }
      : {}),
    ...(kind === "delivered" ? { status: "Sent", output: "250 2.0.0 OK\n", time: 0.89 } : {}),
    ...(kind === "rejected"
      ? { status: "Held", details: "Message held because send limit has been reached." }
      : {}),
    timestamp: at / 1000,
  },
  uuid: id,
});

const smtp2goPayload: Payload = ({ id, address, kind, at, token }) => ({
  event: {
    ...{ hard: "bounce", soft: "bounce", complaint: "spam", unsubscribe: "unsubscribe" },
    ...{ delivered: "delivered", rejected: "reject" },
  }[kind],
  time: iso(at).slice(0, 19).replace("T", " "),
  sendtime: iso(at).slice(0, 19).replace("T", " "),
  sender: "news@example.org",
  rcpt: address,
  email_id: id,
  ...(kind === "hard" ? { bounce: "hard", message: unknownUser } : {}),
  ...(kind === "soft" ? { bounce: "soft", message: "452 4.2.2 mailbox full" } : {}),
  ...(token === null ? {} : { "X-Mailroll": token }),
});

const sesPayload: Payload = ({ id, address, kind, at, token }) => {
  const common = { timestamp: iso(at), feedbackId: id };
  const recipient = {
    emailAddress: address,
    action: "failed",
    status: "5.1.1",
    diagnosticCode: `smtp; ${unknownUser}`,
  };
  return {
    ...{
      hard: {
        eventType: "Bounce",
        bounce: {
          bounceType: "Permanent",
          bounceSubType: "General",
          bouncedRecipients: [recipient],
          ...common,
        },
      },
      soft: {
        eventType: "Bounce",
        bounce: {
          ...{ bounceType: "Transient", bounceSubType: "MailboxFull", ...common },
          bouncedRecipients: [{ emailAddress: address }],
        },
      },
      complaint: {
        eventType: "Complaint",
        complaint: {
          complainedRecipients: [{ emailAddress: address }],
          complaintFeedbackType: "abuse",
          ...common,
        },
      },
      unsubscribe: {},
      delivered: {
        eventType: "Delivery",
        delivery: { recipients: [address], smtpResponse: "250 2.6.0 Message received", ...common },
      },
      rejected: { eventType: "Reject", reject: { reason: "Bad content" } },
    }[kind],
    mail: {
      ...{ timestamp: iso(at), messageId: id, source: "news@example.org", destination: [address] },
      tags: { "ses:configuration-set": ["mailroll"], ...(token === null ? {} : { mailroll: [token] }) },
    },
  };
};

const plainPayload: Payload = ({ id, address, kind, at, token }) => ({
  ...{ id, email: address, event: eventWords[kind], at: iso(at), ...(token === null ? {} : { token }) },
});

function inBatches<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

interface Way {
  readonly proof: EventProof;
  readonly key: string;
  readonly password?: string;
  readonly signer: Signer;
}
function byPassword(): Way {
  const password = randomBytes(24).toString("base64url");
  const authorization = `Basic ${Buffer.from(`${WEBHOOK_USER}:${password}`).toString("base64")}`;
  const key = createHash("sha256").update(password).digest("hex");
  return { proof: "password", key, password, signer: () => ({ ...json, authorization }) };
}
function byEcdsa(): Way {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signer: Signer = (body, now) => ({
    ...json,
    "x-twilio-email-event-webhook-signature": sign(
      "sha256",
      Buffer.from(seconds(now) + body),
      pair.privateKey,
    ).toString("base64"),
    "x-twilio-email-event-webhook-timestamp": String(seconds(now)),
  });
  const key = pair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  return { proof: "ecdsa", key, signer };
}
function byRsa(): Way {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signer: Signer = (body) => ({
    ...json,
    "x-postal-signature-kid": "0".repeat(64),
    "x-postal-signature": sign("sha1", Buffer.from(body), pair.privateKey).toString("base64"),
    "x-postal-signature-256": sign("sha256", Buffer.from(body), pair.privateKey).toString("base64"),
  });
  return { proof: "rsa", key: pair.publicKey.export({ format: "pem", type: "spki" }).toString(), signer };
}
function bySvix(): Way {
  const secret = randomBytes(24);
  const signer: Signer = (body, now) => {
    const id = `msg_${randomBytes(12).toString("hex")}`;
    const signed = `${id}.${seconds(now)}.${body}`;
    const signature = createHmac("sha256", secret).update(signed).digest("base64");
    const headers = { "svix-id": id, "svix-timestamp": String(seconds(now)) };
    // Several while a secret is replaced.
    return {
      ...json,
      ...headers,
      "svix-signature": `v1,${randomBytes(32).toString("base64")} v1,${signature}`,
    };
  };
  return { proof: "svix", key: `whsec_${secret.toString("base64")}`, signer };
}

const batched = (way: Way, kinds: Imitation["kinds"], payload: Payload, size: number): Imitation =>
  imitation(way, kinds, (events, now) => {
    const payloads = events.map((event) => payload(event, now));
    return size === 1 ? payloads : inBatches(payloads, size);
  });

function imitation(
  { proof, key, password = "", signer }: Way,
  kinds: Imitation["kinds"],
  bodies: (events: readonly ImitatedEvent[], now: number) => readonly object[],
): Imitation {
  return {
    ...{ proof, key, kinds, password: password === "" ? null : password, confirmation: null },
    fetchCertificate: () => Promise.reject(new Error("this provider has no certificate")),
    requests: (events, now) => {
      for (const { kind } of events)
        if (!kinds.includes(kind)) throw new Error(`this provider has no event for "${kind}"`);
      return bodies(events, now).map((body) => {
        const written = JSON.stringify(body);
        return { headers: signer(written, now), body: Buffer.from(written) };
      });
    },
  };
}

function mailgun(): Imitation {
  const key = randomBytes(16).toString("hex");
  const way: Way = { proof: "mailgun", key, signer: () => json };
  return imitation(way, all, (events, now) =>
    events.map((event) => {
      const [timestamp, token] = [String(seconds(now)), randomBytes(25).toString("hex")];
      const signature = createHmac("sha256", key)
        .update(timestamp + token)
        .digest("hex");
      return { signature: { timestamp, token, signature }, "event-data": mailgunPayload(event, now) };
    }),
  );
}

/** A value of DER. */
function der(tag: number, ...contents: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(contents.map((one) => Buffer.from(one)));
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
/** A key with a certificate that it has signed itself, valid from 2000 to 2099 whatever clock a test has. */
function newCertificate(): { key: KeyObject; cert: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const algorithm = Buffer.from("300d06092a864886f70d01010b0500", "hex");
  const commonName = der(0x30, Buffer.from("0603550403", "hex"), der(0x0c, "sns.amazonaws.com"));
  const name = der(0x30, der(0x31, commonName));
  const time = der(0x30, der(0x18, "20000101000000Z"), der(0x18, "20991231235959Z"));
  const spki = publicKey.export({ format: "der", type: "spki" });
  const version = Buffer.from("a003020102020101", "hex");
  const content = der(0x30, version, algorithm, name, time, name, spki);
  const signature = der(0x03, Buffer.of(0), sign("sha256", content, privateKey));
  const certificate = new X509Certificate(der(0x30, content, algorithm, signature));
  return { key: privateKey, cert: Buffer.from(certificate.toString()) };
}

/** Signed with SHA-1 as usual, or with SHA-256 as a topic can be set to. */
function ses(version: "1" | "2" = "2"): Imitation & Required<Pick<Imitation, "confirmation">> {
  const { key, cert } = newCertificate();
  const message = (fields: Readonly<Record<string, string>>): ImitatedRequest => {
    const signed = Object.keys(fields)
      .sort()
      .map((name) => `${name}\n${fields[name]}\n`)
      .join("");
    const body = {
      ...fields,
      SignatureVersion: version,
      Signature: sign(version === "1" ? "sha1" : "sha256", Buffer.from(signed), key).toString("base64"),
      SigningCertURL: CERTIFICATE_URL,
      // Not signed, and not read.
      ...(fields.Type === "Notification"
        ? { UnsubscribeURL: "https://sns.eu-west-1.amazonaws.com/?Action=U" }
        : {}),
    };
    return {
      headers: {
        "content-type": "text/plain; charset=UTF-8",
        "x-amz-sns-message-type": fields.Type ?? "",
        "x-amz-sns-message-id": fields.MessageId ?? "",
        "x-amz-sns-topic-arn": fields.TopicArn ?? "",
      },
      body: Buffer.from(JSON.stringify(body, null, 2)),
    };
  };
  const common = (now: number) => ({
    MessageId: `${randomBytes(4).toString("hex")}-9e88-5e3b-b5e2-0000abcd`,
    Timestamp: iso(now),
  });
  const way: Way = { proof: "sns", key: "", signer: () => ({}) };
  return {
    ...imitation(way, withoutUnsubscribe, () => []),
    fetchCertificate: (url) =>
      url === CERTIFICATE_URL ? Promise.resolve(cert) : Promise.reject(new Error("not found")),
    requests: (events, now) =>
      events.map((event) => {
        const Message = JSON.stringify(sesPayload(event, now));
        return message({ Type: "Notification", TopicArn: TOPIC, Message, ...common(now) });
      }),
    confirmation: (topic, SubscribeURL, now) => {
      const Message = `You have chosen to subscribe to the topic ${topic}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`;
      const Token = randomBytes(100).toString("hex");
      return message({
        Type: "SubscriptionConfirmation",
        TopicArn: topic,
        Message,
        Token,
        SubscribeURL,
        ...common(now),
      });
    },
  };
}

const makers: Readonly<Record<WebhookProvider, () => Imitation>> = {
  ses,
  mailgun,
  sendgrid: () => batched(byEcdsa(), all, sendgridPayload, 128),
  postmark: () => batched(byPassword(), all, postmarkPayload, 1),
  brevo: () => batched(byPassword(), all, brevoPayload, 1),
  mailjet: () => batched(byPassword(), all, mailjetPayload, 100),
  sparkpost: () => batched(byPassword(), all, sparkpostPayload, 100),
  resend: () => batched(bySvix(), withoutUnsubscribe, resendPayload, 1),
  postal: () => batched(byRsa(), ["hard", "soft", "delivered", "rejected"], postalPayload, 1),
  smtp2go: () => batched(byPassword(), all, smtp2goPayload, 1),
  plain: () =>
    imitation(byPassword(), all, (events, now) =>
      inBatches(events, 500).map((some) => ({ events: some.map((event) => plainPayload(event, now)) })),
    ),
};

export const imitationOf = (provider: WebhookProvider): Imitation => makers[provider]();
/** A topic that signs as older ones do. */
export const olderTopic = (): Imitation => ses("1");
export const webhookOf = ({ proof, key }: Imitation): WebhookKey => ({ proof, key, topic: TOPIC });
/** When the certificate of an imitation is no longer valid. */
export const expiryOf = (certificate: Buffer): number => Date.parse(new X509Certificate(certificate).validTo);
