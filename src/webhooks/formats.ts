/**
 * What each mail provider sends to a webhook, in one form. Of a readable request, what is unknown or
 * malformed is left out: a new type of event must not lose the others of its batch. A delay after which the
 * provider tries again is not an event. Their documentation: the links in `kinds.ts`.
 */
import { createHash } from "node:crypto";
import { Fault } from "#contract/faults.ts";
import {
  eventWords,
  MAX_EVENT_DETAIL,
  MAX_EVENT_ID,
  type ProviderEvent,
  providerEventKinds,
} from "#domain/sending/provider-event.ts";
import type { WebhookProvider } from "#domain/sending/providers.ts";
import { isRecord, list, member, parseForeign, text } from "./foreign-json.ts";
import {
  brevoKind,
  type Kind,
  mailgunKind,
  mailjetKind,
  postalKind,
  postmarkKind,
  resendKind,
  sendgridKind,
  sesBounce,
  smtp2goKind,
  sparkpostKind,
} from "./kinds.ts";
import { isSubscribeUrl } from "./proof.ts";

export interface Received {
  readonly events: readonly ProviderEvent[];
  /** Of Mailgun, whose proof says nothing about the content: each token counts once. */
  readonly once: string | null;
  /** Of Amazon SNS. */
  readonly topic: string | null;
  /** Of Amazon SNS: who opens this address subscribes the webhook to the topic. */
  readonly confirmUrl: string | null;
}

/** About as many as fit into the values that are read of a JSON body. */
export const MAX_EVENTS = 3000;
const MAX_ADDRESS = 320;
/** Of a Date. */
const MAX_TIME = 8.64e15;
const invalid = (problem: string): Fault => new Fault("InvalidMessage", problem);

type Part = string | null;
/** An event as a provider has it. */
interface ParsedEvent {
  /** What identifies the event, however often it is sent. */
  readonly id: readonly Part[];
  readonly address: Part;
  readonly kind: Kind;
  /** In any form; see `timeOf`. */
  readonly at: unknown;
  readonly token?: Part;
  readonly detail?: Part;
}
type Reader = (event: unknown) => ParsedEvent | readonly ParsedEvent[];

/**
 * Throws InvalidMessage if the body cannot be read at all, and of "plain" also for an event that is
 * malformed: a person can correct its writer.
 */
export function readReceived(
  provider: WebhookProvider,
  body: Buffer,
  contentType: string,
  now: number,
): Received {
  const isForm = provider === "smtp2go" && /^application\/x-www-form-urlencoded\b/i.test(contentType);
  const json = isForm ? formOf(body.toString()) : parseForeign(body.toString());
  const none = { once: null, topic: null, confirmUrl: null };
  if (provider === "plain") return { ...none, events: eventsOf(plainEvents(json), now) };
  if (provider === "ses") return { ...none, ...readTopic(json, now) };
  const found = recordsIn(json).flatMap<ParsedEvent>(readers[provider]);
  const once = provider === "mailgun" ? text(json, "signature", "token") : null;
  return { ...none, once, events: eventsOf(found, now) };
}

const MAX_FORM = { length: 64 * 1024, fields: 200 };
function formOf(form: string): Readonly<Record<string, string>> {
  if (form.length > MAX_FORM.length || form.split("&", MAX_FORM.fields + 1).length > MAX_FORM.fields)
    throw invalid(`The form is longer than ${MAX_FORM.length} characters or ${MAX_FORM.fields} fields.`);
  return Object.fromEntries(new URLSearchParams(form));
}

/** A batch, or an event alone. */
function recordsIn(json: unknown): readonly unknown[] {
  if (!Array.isArray(json) && !isRecord(json))
    throw invalid("The body must be an object, or an array of objects.");
  const records = Array.isArray(json) ? json : [json];
  requireFew(records);
  return records;
}
function requireFew(found: readonly unknown[]): void {
  if (found.length > MAX_EVENTS)
    throw invalid(
      `The body contains ${found.length} events; at most ${MAX_EVENTS} are accepted. Send them in several requests.`,
    );
}

function few(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = list(value, ...path);
  requireFew(found);
  return found;
}

function eventsOf(found: readonly ParsedEvent[], now: number): readonly ProviderEvent[] {
  requireFew(found);
  const events = new Map<string, ProviderEvent>();
  for (const one of found) {
    const address = addressIn(one.address);
    const [first] = one.id;
    if (one.kind === null || address === null || first === null || first === undefined) continue;
    const [id, at] = [eventId(one.id), Math.min(timeOf(one.at) ?? now, now)];
    const [token, detail] = [tokenIn(one.token ?? null), cleaned(one.detail ?? null)];
    const same = `${id} ${one.kind} ${address.toLowerCase()}`;
    if (!events.has(same)) events.set(same, { id, address, kind: one.kind, at, token, detail });
  }
  return [...events.values()];
}

/** Several people of one request may have it in common. */
const MAX_ID_PART = 1000;
function eventId(given: readonly Part[]): string {
  const parts = given.map((part) => part?.slice(0, MAX_ID_PART) ?? null);
  const id = JSON.stringify(parts);
  const [only = null] = parts;
  return parts.length === 1 && only !== null && only.length <= MAX_EVENT_ID && /^[!-~]+$/.test(only)
    ? only
    : createHash("sha256").update(id).digest("hex");
}

/** Also of "Name <address>". */
function addressIn(written: Part): string | null {
  const whole = (written ?? "").slice(0, 2 * MAX_ADDRESS).trim();
  const address = whole.endsWith(">") ? whole.slice(whole.lastIndexOf("<") + 1, -1) : whole;
  const at = address.indexOf("@");
  const isAddress = at > 0 && at < address.length - 1 && address.length <= MAX_ADDRESS;
  return isAddress && !/[\s\p{Cc}\p{Cs}]/u.test(address) ? address : null;
}

/** Of any text, what looks like a token of ours. */
const tokenIn = (written: Part): string | null =>
  written !== null && /^b-[0-9a-z]{1,11}-[0-9a-z]{1,11}-[0-9a-f]{20}$/.test(written) ? written : null;

/** On one line, and such that a database can store it. */
function cleaned(words: Part): string | null {
  const line = (words ?? "")
    .slice(0, 4 * MAX_EVENT_DETAIL)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MAX_EVENT_DETAIL);
  const whole = line.isWellFormed() ? line : line.slice(0, -1);
  return whole === "" ? null : whole;
}

/** Milliseconds, of a number of seconds or milliseconds, or of a date; one without a zone is in UTC. */
function timeOf(written: unknown): number | null {
  const given = typeof written === "number" ? String(written) : written;
  if (typeof given !== "string" || given.length > 50) return null;
  const number = /^\d+(?:\.\d+)?$/.test(given) ? Number(given) : null;
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(given) ?? [];
  const dated = day === undefined ? given : `${day}T${clock}Z`;
  if (number === null && !/^\d{4}-\d\d-\d\d/.test(dated)) return null;
  const at = number === null ? Date.parse(dated) : number < 1e11 ? number * 1000 : number;
  return at > 0 && at < MAX_TIME ? Math.round(at) : null;
}

const lower = (address: Part): Part => address?.toLowerCase() ?? null;

/** Of Amazon SES: https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html */
function readTopic(envelope: unknown, now: number): Omit<Received, "once"> {
  const [type, topic] = [text(envelope, "Type"), text(envelope, "TopicArn")];
  if (type === null || topic === null)
    throw invalid(
      "The body is not a message of Amazon SNS. Switch raw message delivery off at the subscription.",
    );
  const url = type === "SubscriptionConfirmation" ? text(envelope, "SubscribeURL") : null;
  const found = type === "Notification" ? sesEvents(envelope) : [];
  return {
    topic,
    confirmUrl: url !== null && isSubscribeUrl(url) ? url : null,
    events: eventsOf(found, now),
  };
}
function sesEvents(envelope: unknown): readonly ParsedEvent[] {
  const event = sesMessage(text(envelope, "Message") ?? "");
  const type = text(event, "eventType") ?? text(event, "notificationType");
  const told = member(event, (type ?? "").toLowerCase());
  const token = sesToken(event);
  const make = (address: Part, kind: Kind, detail: Part): ParsedEvent => ({
    // The same bounce may come as a notification of the identity and as an event of the configuration set.
    id: [text(event, "mail", "messageId") ?? text(envelope, "MessageId"), lower(address), kind],
    ...{ address, kind, detail, token },
    at: member(told, "timestamp") ?? member(envelope, "Timestamp"),
  });
  if (type === "Bounce")
    return few(told, "bouncedRecipients").map((one) => {
      const [status, words] = [text(one, "status"), text(one, "diagnosticCode")];
      const [kind, sub] = [text(told, "bounceType"), text(told, "bounceSubType")];
      return make(text(one, "emailAddress"), sesBounce(kind, sub, status, words), words ?? sub);
    });
  if (type === "Complaint") {
    const words = text(told, "complaintFeedbackType");
    const kind = words === "not-spam" || words === "auth-failure" ? null : "complaint";
    return few(told, "complainedRecipients").map((one) => make(text(one, "emailAddress"), kind, words));
  }
  if (type === "Delivery")
    return few(told, "recipients").map((one) => make(text(one), "delivered", text(told, "smtpResponse")));
  if (type === "Reject")
    return few(event, "mail", "destination").map((one) => make(text(one), "rejected", text(told, "reason")));
  return [];
}

/** The first message about a new subscription is plain text, not JSON. */
function sesMessage(message: string): unknown {
  try {
    return parseForeign(message);
  } catch {
    return null;
  }
}

/** Identity notifications have no tags, but the header that sets them. */
function sesToken(event: unknown): Part {
  const [tag] = list(event, "mail", "tags", "mailroll");
  if (typeof tag === "string") return tag;
  const header = list(event, "mail", "headers")
    .slice(0, 1000)
    .find((one) => text(one, "name")?.toLowerCase() === "x-ses-message-tags");
  const tags = (text(header, "value") ?? "").slice(0, 2000).split(/[,;]/);
  return tags.map((one) => one.trim().split("=")).find(([name]) => name === "mailroll")?.[1] ?? null;
}

const readers: Readonly<Record<Exclude<WebhookProvider, "ses" | "plain">, Reader>> = {
  sendgrid: (event) => ({
    id: [text(event, "sg_event_id")],
    address: text(event, "email"),
    kind: sendgridKind(event),
    at: member(event, "timestamp"),
    token: text(event, "mailroll"),
    detail: text(event, "reason") ?? text(event, "response"),
  }),
  mailgun: (json) => {
    const event = member(json, "event-data");
    const told = member(event, "delivery-status");
    const at = member(event, "timestamp");
    return {
      // Its id is unique within a day.
      id: [text(event, "id"), new Date(timeOf(at) ?? 0).toISOString().slice(0, 10)],
      address: text(event, "recipient"),
      kind: mailgunKind(event, told),
      at,
      token: text(event, "user-variables", "mailroll"),
      detail: text(told, "message") ?? text(told, "description") ?? text(event, "reject", "reason"),
    };
  },
  postmark: (event) => {
    const address = text(event, "Email") ?? text(event, "Recipient");
    const kind = postmarkKind(event);
    return {
      // A bounce and the suppression that follows it are one.
      ...{ id: [text(event, "MessageID"), lower(address), kind], address, kind },
      at: ["BouncedAt", "DeliveredAt", "ChangedAt"]
        .map((name) => member(event, name))
        .find((one) => one !== undefined),
      token: text(event, "Metadata", "mailroll"),
      detail: text(event, "Details") ?? text(event, "Description") ?? text(event, "SuppressionReason"),
    };
  },
  brevo: (event) => {
    const [address, kind] = [text(event, "email"), brevoKind(event)];
    return {
      ...{ id: [text(event, "message-id") ?? text(event, "camp_id"), lower(address), kind], address, kind },
      // Only this time is in UTC for sure.
      at: member(event, "ts_epoch") ?? member(event, "ts_event"),
      token: text(event, "X-Mailin-custom"),
      detail: text(event, "reason"),
    };
  },
  mailjet: (event) => {
    const [address, kind, at] = [text(event, "email"), mailjetKind(event), member(event, "time")];
    // MessageID is larger than the numbers that JavaScript can tell apart.
    const message = text(event, "Message_GUID") ?? text(event, "mj_message_id") ?? text(event, "MessageID");
    return {
      ...{ id: [message, lower(address), kind], address, kind, at },
      token: text(event, "CustomID"),
      detail: text(event, "comment") ?? text(event, "error") ?? text(event, "smtp_reply"),
    };
  },
  sparkpost: (record) => {
    const [event = null] = ["message_event", "gen_event", "unsubscribe_event"]
      .map((name) => member(record, "msys", name))
      .filter((one) => one !== undefined);
    return {
      id: [text(event, "event_id")],
      address: text(event, "raw_rcpt_to") ?? text(event, "rcpt_to"),
      kind: sparkpostKind(event),
      at: member(event, "timestamp"),
      token: text(event, "rcpt_meta", "mailroll"),
      detail: text(event, "raw_reason") ?? text(event, "reason"),
    };
  },
  resend: (event) => {
    const data = member(event, "data");
    const detail =
      text(data, "bounce", "message") ??
      text(data, "suppressed", "message") ??
      text(data, "failed", "reason");
    const kind = resendKind(text(event, "type"), member(data, "bounce"));
    return few(data, "to").map((one) => ({
      ...{ id: [text(data, "email_id"), lower(text(one)), kind], address: text(one), kind },
      ...{ at: member(event, "created_at"), detail },
    }));
  },
  postal: (event) => {
    const told = member(event, "payload");
    const message = member(told, "original_message") ?? member(told, "message");
    return {
      id: [text(event, "uuid")],
      address: text(message, "to"),
      kind: text(message, "direction") === "incoming" ? null : postalKind(text(event, "event"), told),
      at: member(told, "timestamp") ?? member(event, "timestamp"),
      token: text(message, "tag"),
      detail: text(told, "output") ?? text(told, "details"),
    };
  },
  smtp2go: (event) => {
    const [address, kind] = [text(event, "rcpt"), smtp2goKind(event)];
    return {
      ...{ id: [text(event, "email_id"), lower(address), kind], address, kind },
      at: member(event, "time"),
      token: text(event, "X-Mailroll") ?? text(event, "x-mailroll"),
      detail: text(event, "message") ?? text(event, "context"),
    };
  },
};

function plainEvents(json: unknown): readonly ParsedEvent[] {
  const events = member(json, "events");
  if (!Array.isArray(events)) throw invalid('The body must be an object with the array "events".');
  requireFew(events);
  return events.map((event, index) => {
    const wrong = (name: string, problem: string): Fault => invalid(`events[${index}].${name} ${problem}.`);
    const optional = (name: string): Part => {
      const value = member(event, name) ?? null;
      if (value !== null && typeof value !== "string") throw wrong(name, "must be a text");
      return value;
    };
    if (!isRecord(event)) throw invalid(`events[${index}] must be an object.`);
    const [id, address, at] = [text(event, "id"), text(event, "email"), optional("at")];
    const kind = providerEventKinds.find((one) => eventWords[one] === member(event, "event"));
    if (id === null) throw wrong("id", "must be a text that is the same whenever this event is sent");
    if (addressIn(address) === null) throw wrong("email", "must be an email address");
    if (kind === undefined) throw wrong("event", `must be one of ${Object.values(eventWords).join(", ")}`);
    if (at !== null && (timeOf(at) === null || !at.includes("-")))
      throw wrong("at", "must be a date and time such as 2026-11-19T08:30:00Z");
    return { id: [id], address, kind, at, token: optional("token"), detail: optional("detail") };
  });
}
