/**
 * What a relay's reply means for the recipient and for the campaign, by the enhanced status code (RFC 3463),
 * or by the code and the words where there is none. Three questions: does the address not exist (a hard
 * bounce), is it worth another attempt, and is it about this recipient at all or about the relay.
 */
import type { DeliveryResult } from "../ports/sending/ledger.ts";
import type { HandOver, SmtpReply, SmtpStage } from "./hand-over.ts";
import { type KnownReply, knownReplies } from "./known-replies.ts";
import { LONGEST_QUOTA_MS } from "./mailing.ts";

// Takes e-mail addresses out of what a relay said, for places that outlive a person's data: the log, and the
// reason why a campaign waits. The ledger keeps the words about a recipient, and loses them with the person.

/** With the brackets around it. The last character is a letter or digit: a full stop ends the sentence. */
const ADDRESS = /<?(?:"[^"]*"|[^\s<>"(),:;[\]@]+)@(?:\[[^\]\s]*\]|[^\s<>"(),:;[\]@]*[\p{L}\p{N}])>?/gu;

/** As in the text, without the brackets. */
const addressesIn = (words: string): readonly string[] =>
  (words.match(ADDRESS) ?? []).map((found) => found.replace(/^</, "").replace(/>$/, ""));
export const withoutAddresses = (words: string, instead = "<address>"): string =>
  words.replaceAll(ADDRESS, instead);

type WithoutSubscriber<Result> = Result extends unknown ? Omit<Result, "subscriber"> : never;
type Attempt = WithoutSubscriber<DeliveryResult>;

interface Classified {
  readonly result: Attempt;
  /**
   * The relay can do nothing for now, and the campaign must wait: why, in its words. The recipient is queued
   * again, or deferred if the relay replied to the recipient or the message. null: the relay works.
   */
  readonly relayFailure: string | null;
  /** The sender has used up what the relay takes in an hour or a day. */
  readonly isQuota: boolean;
  /** Messages come too fast for the relay. The recipient is queued again, and no attempt counts. */
  readonly isTooFast: boolean;
}

/** A row matches if everything in it matches; the first such row counts. */
interface Row {
  readonly stages?: readonly SmtpStage[];
  readonly codes?: readonly number[];
  /** 4 or 5: the first digit of the code. */
  readonly kind?: 4 | 5;
  /**
   * What follows the first digit of the status: "1.1" is 4.1.1 and 5.1.1, and "7." is every 4.7.x and 5.7.x.
   */
  readonly statuses?: readonly string[];
  readonly hasStatus?: boolean;
  /** Words of the text, and words that must not be in it. Addresses in it do not count. */
  readonly words?: RegExp;
  readonly unless?: RegExp;
  /** Of a known reply. */
  readonly known?: KnownReply;
  readonly means: Meaning;
}
export type Meaning =
  | "too fast"
  | "quota used up"
  | "sender refused"
  | "relay failed"
  | "hard bounce"
  | "failed"
  | "deferred"
  | "needs SMTPUTF8"
  | "message too large";

const beforeRecipient: readonly SmtpStage[] = ["connect", "greeting", "login", "mail"];

const unknownUser =
  /\b(?:user|mailbox|recipient|address(?:ee)?|account|e-?mail|person)\b.{0,80}\b(?:unknown|not (?:found|known|exist\w*|valid)|(?:does|do|did) ?n[o'’]?t exist|doesn[’']?t exist|invalid|non-?existent|undeliverable|disabled|inactive|terminated)\b|\b(?:unknown|no such|invalid|non-?existent|undeliverable|bad)\b.{0,20}\b(?:local|user|mailbox|recipient|address(?:ee)?|account|person|destination)\b|\bunrouteable address\b|\bno mailbox (?:here )?by that name\b|\bnot (?:a valid|our) (?:user|mailbox|recipient|customer)\b/i;
/**
 * Postfix and Exim refuse a sender at RCPT. The last two are of Exim, which also says why, such as
 * "Unrouteable address": that of the sender.
 */
const senderRejected = new RegExp(
  [
    String.raw`\bsender(?:'s)?(?: address| domain)? (?:rejected|refused|denied|not allowed)\b`,
    String.raw`\bsender(?:'s)?(?: e-?mail)? (?:address|domain)(?: is)? (?:not valid|invalid|unknown|not found|does not exist)\b`,
    String.raw`\bdomain of sender address\b`,
    String.raw`\b(?:invalid|bad) (?:envelope )?sender\b`,
    String.raw`\b(?:unable to|could not|cannot) verify (?:the )?sender\b`,
    String.raw`\bsender(?: address)? verif(?:y|ication) failed\b`,
    String.raw`^verification failed for\b`,
  ].join("|"),
  "i",
);
/** Then an address that does not exist, or something that is invalid, need not be the recipient's. */
const notTheRecipient = new RegExp(
  String.raw`\b(?:${[
    "senders?|from|originator|(?:return|reverse)[- ]?path|bounce address|call-?(?:out|back)",
    "helo|ehlo|dkim|dmarc|spf|signature|headers?|content",
    "login|authenticat(?:e|ed|ion)|your (?:account|domain|host|ip|server)",
    "spamhaus|dnsbl|rbl|blocked|block-?list(?:ed)?|black-?list(?:ed)?",
  ].join("|")})\b`,
  "i",
);
const relayingDenied =
  /\brelay(?:ing)?\b.{0,30}\b(?:denied|not (?:permitted|allowed|authori[sz]ed)|prohibited|forbidden)\b|\b(?:unable|not (?:permitted|allowed)|won[’']?t|cannot) (?:to )?relay\b/i;

/** Messages come too fast for the relay; it is not about a recipient. */
const tooFast = new RegExp(
  [
    String.raw`\btoo many (?:(?:concurrent|simultaneous|parallel|smtp|open|new) ){0,2}(?:connections|sessions|requests|messages|e-?mails)\b`,
    String.raw`\b(?:sending|message|submission|connection|mail) rate\b.{0,40}\bexceeded\b`,
    String.raw`\b(?:rate|speed) limit\b.{0,20}\b(?:exceeded|reached)\b`,
    String.raw`\b(?:exceeded|reached)\b.{0,40}\b(?:sending|message|submission|connection) rate\b`,
    String.raw`\bsending (?:\w+ ){0,2}too (?:fast|quickly)\b`,
    String.raw`\btoo frequent connects\b`,
  ].join("|"),
  "i",
);
const tooFastForPerson = /\b(?:user|recipient|mailbox)\b/i;

/** The sender has used up its quota at the relay: every message would be refused. */
const quotaUsedUp = new RegExp(
  [
    String.raw`\b(?:sending|daily|hourly|message) (?:\w+ ){0,2}(?:limit|quota)\b.{0,20}\b(?:exceeded|reached)\b`,
    String.raw`\b(?:exceeded|reached)\b.{0,20}\b(?:sending|daily|hourly|message) (?:\w+ ){0,2}(?:limit|quota)\b`,
    String.raw`\bexceeded the max(?:imum)? (?:e-?mails|messages|defers and failures) per (?:hour|day)\b`,
    String.raw`\b(?:e-?mails|messages) per (?:hour|day) exceeded\b`,
  ].join("|"),
  "i",
);
/** Not the sender's quota: that of a mailbox, or one for the size of a message. */
const anotherQuota = /\b(?:mailbox|inbox|storage|size|user|recipient(?! (?:limit|quota)))\b/i;
/** Only in these words: "account disabled" may be said of the recipient. */
const accountClosed =
  /\byour (?:\w+ ){0,2}account\b.{0,30}\b(?:suspended|disabled|deactivated|blocked|locked|closed|inactive|terminated)\b/i;

/** From RCPT on. */
const toRecipient: readonly SmtpStage[] = ["rcpt", "data", "dot"];
const rowOf = (known: KnownReply): Row => {
  const { means, kind } = known;
  const isOfPerson = means === "hard bounce" || means === "deferred" || means === "failed";
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(isOfPerson ? { stages: known.isWhole === true ? (["rcpt"] as const) : toRecipient } : {}),
    ...(means === "hard bounce" ? { unless: notTheRecipient } : {}),
    ...{ known, means },
  };
};

export const replyTable: readonly Row[] = [
  ...knownReplies.map(rowOf),
  { stages: toRecipient, kind: 4, statuses: ["2."], means: "deferred" },
  { kind: 4, words: tooFast, unless: tooFastForPerson, means: "too fast" },
  { kind: 4, words: quotaUsedUp, unless: anotherQuota, means: "quota used up" },
  // The relay closes the connection, wants a login or TLS, or says that we are out of step: not about an
  // address.
  { codes: [421, 530, 534, 535, 538, 502, 503], means: "relay failed" },
  // This message is too large for the relay or the mailbox; a smaller one would not be.
  { kind: 5, statuses: ["3.4", "2.3"], means: "message too large" },
  { codes: [552], hasStatus: false, stages: ["mail", "data"], means: "message too large" },
  { kind: 5, statuses: ["6.7", "6.9"], means: "needs SMTPUTF8" },
  // Bad address or domain of the sender. Some relays say so only at RCPT.
  { statuses: ["1.7", "1.8"], means: "relay failed" },
  { stages: beforeRecipient, means: "relay failed" },
  // From here on: RCPT, DATA, or after the message.
  { kind: 4, statuses: ["3."], means: "relay failed" },
  { words: relayingDenied, means: "relay failed" },
  { words: senderRejected, means: "relay failed" },
  { kind: 4, means: "deferred" },
  // Google and Office 365: the sender has reached its limit.
  { statuses: ["4.5", "1.90"], means: "relay failed" },
  { statuses: ["1.1", "1.2", "1.3", "1.6", "1.10"], unless: notTheRecipient, means: "hard bounce" },
  // The mailbox is full or disabled. Not held against the address.
  { statuses: ["2."], means: "failed" },
  { codes: [552], means: "failed" },
  { words: quotaUsedUp, unless: anotherQuota, means: "quota used up" },
  { words: accountClosed, means: "relay failed" },
  { statuses: ["1.0"], words: unknownUser, unless: notTheRecipient, means: "hard bounce" },
  // Such as 5.7.x: policy or spam. Not held against the address.
  { hasStatus: true, means: "failed" },
  { codes: [550, 551, 553], words: unknownUser, unless: notTheRecipient, means: "hard bounce" },
  { means: "failed" },
];

function isSaid({ words, isWhole = false }: KnownReply, text: string): boolean {
  const said = text.toLowerCase();
  if (!isWhole) return words.every((word) => said.includes(word));
  const bare = said.replace(/^\d\.\d{1,3}\.\d{1,3} /, "").replaceAll(/\([^()]*\)|<>/g, "");
  return words.includes(bare.trim().replace(/\.$/, ""));
}

function matches(row: Row, stage: SmtpStage, { code, status }: SmtpReply, words: string): boolean {
  if (row.stages !== undefined && !row.stages.includes(stage)) return false;
  if (row.codes !== undefined && !row.codes.includes(code)) return false;
  if (row.kind !== undefined && Math.floor(code / 100) !== row.kind) return false;
  if (row.hasStatus !== undefined && (status !== null) !== row.hasStatus) return false;
  if (row.words !== undefined && !row.words.test(words)) return false;
  if (row.unless?.test(words) === true) return false;
  if (row.known !== undefined && !isSaid(row.known, words)) return false;
  const detail = status?.slice(2) ?? null;
  const isOf = (wanted: string): boolean =>
    detail !== null && (wanted.endsWith(".") ? detail.startsWith(wanted) : detail === wanted);
  return row.statuses === undefined || row.statuses.some(isOf);
}

/**
 * Whose addresses a reply may name: the recipient's, and the addresses of the From header and the envelope.
 */
export interface Parties {
  readonly to: string;
  readonly senders: readonly string[];
}
const nobody: Parties = { to: "", senders: [] };

/** A reply that names the sender only is about the sender: then addresses count as such a word. */
function wordsOf(text: string, { to, senders }: Parties): string {
  const named = new Set(addressesIn(text).map((address) => address.toLowerCase()));
  const isNamed = (address: string): boolean => named.has(address.toLowerCase());
  return withoutAddresses(text, senders.some(isNamed) && !isNamed(to) ? "<from>" : "<>");
}

/** The row that decides; the last one matches everything. */
export function rowFor(stage: SmtpStage, reply: SmtpReply, parties = nobody): number {
  const words = wordsOf(reply.text, parties);
  return replyTable.findIndex((row) => matches(row, stage, reply, words));
}
export const meaningOf = (stage: SmtpStage, reply: SmtpReply, parties = nobody): Meaning =>
  replyTable[rowFor(stage, reply, parties)]?.means ?? "failed";

/** What was being done, for the reason of a campaign that waits. */
const during: Readonly<Record<SmtpStage, string>> = {
  connect: "the relay cannot be reached",
  greeting: "the relay refuses the connection",
  login: "the relay refuses the login",
  mail: "the relay refuses the sender",
  rcpt: "the relay refuses a recipient",
  data: "the relay refuses a message",
  dot: "the relay refuses a message",
};

const notAttempted: Attempt = { state: "queued", isAttempt: false, afterMs: 0 };
/** A connection that was lost, silence or 421 may be the fault of the message: the others go first. */
const triedSoon: Attempt = { state: "queued", isAttempt: true, afterMs: 10_000 };
const triedLater: Attempt = { state: "queued", isAttempt: true, afterMs: 60_000 };
const nothingElse = { relayFailure: null, isQuota: false, isTooFast: false };
const about = (result: Attempt): Classified => ({ ...nothingElse, result });

/**
 * A reply about the relay that came to this recipient may be about this recipient after all. So that it
 * cannot stop the campaign for ever, others go first, and it is not tried for ever. Also if the relay refuses
 * MAIL for good: it has the size of the message, and whether that needs SMTPUTF8.
 */
function afterRelayFailure(stage: SmtpStage, { code, text }: SmtpReply): Attempt {
  const isOfAll = beforeRecipient.includes(stage) && !(stage === "mail" && code >= 500);
  if (isOfAll) return notAttempted;
  return code === 421 ? triedLater : { state: "deferred", code, reply: text };
}

const TOO_FAST_MS = 5000;
const REFUSED_MS = 5 * 60_000;
/** For longer than the campaign waits, unless the relay names another time. */
const QUOTA_MS = 65 * 60_000;
const QUOTA_TODO = "the quota of the relay is used up, and the campaign continues by itself";
/**
 * After a reply that is about the relay or the sender. If it came to a recipient, it may be about this
 * recipient after all: others go first, and it is not tried for ever.
 */
const queuedAgain = (stage: SmtpStage, afterMs: number): Attempt =>
  toRecipient.includes(stage) ? { state: "queued", isAttempt: true, afterMs } : notAttempted;

function ofRejection(stage: SmtpStage, reply: SmtpReply, parties: Parties): Classified {
  const { code, text } = reply;
  const { means: meaning, known } = replyTable[rowFor(stage, reply, parties)] ?? { means: "failed" };
  const usualTodo = meaning === "quota used up" ? QUOTA_TODO : undefined;
  const todo = [known?.todo ?? usualTodo].map((text) => (text === undefined ? "" : `; ${text}`)).join("");
  const relayFailure = `${during[stage]}: ${code} ${withoutAddresses(text)}`.trim() + todo;
  switch (meaning) {
    case "too fast":
      return { ...about(queuedAgain(stage, TOO_FAST_MS)), isTooFast: true };
    case "quota used up":
      return { ...about(queuedAgain(stage, QUOTA_MS)), relayFailure, isQuota: true };
    case "sender refused":
      return { ...about(queuedAgain(stage, REFUSED_MS)), relayFailure };
    case "relay failed":
      return { ...about(afterRelayFailure(stage, reply)), relayFailure };
    case "deferred":
      return about({ state: "deferred", code, reply: text });
    case "needs SMTPUTF8":
    case "message too large":
      return about({ state: "skipped", reason: meaning, reply: text });
    case "failed":
    case "hard bounce":
      return about({ state: "failed", code, reply: text, isHardBounce: meaning === "hard bounce" });
  }
}

/** Without the parties, a hard bounce may be one of the sender. */
export function classify(handOver: HandOver, parties = nobody): Classified {
  switch (handOver.kind) {
    case "accepted":
      return about({ state: "sent", code: handOver.code });
    case "rejected":
      return ofRejection(handOver.stage, handOver, parties);
    case "lost":
      return ofLostConnection(handOver);
    case "relay failed":
      return {
        // As above: the relay may fail for this recipient only.
        ...about(beforeRecipient.includes(handOver.stage) ? notAttempted : triedLater),
        relayFailure: failureOf(handOver),
      };
    case "needs SMTPUTF8":
      return about({ state: "skipped", reason: "needs SMTPUTF8", reply: null });
  }
}

function ofLostConnection(lost: Extract<HandOver, { readonly kind: "lost" }>): Classified {
  if (lost.mayBeHandedOver) return about({ state: "unknown", reply: lost.text });
  switch (lost.stage) {
    // The process stops: nothing was lost that had begun.
    case "connect":
      return about(notAttempted);
    // A new connection that ends before the message: so would the next one.
    case "mail":
    case "rcpt":
      return { ...about(triedLater), relayFailure: failureOf(lost) };
    default:
      return about(triedSoon);
  }
}

const failing = (stage: SmtpStage): string =>
  stage === "connect" || stage === "login" ? during[stage] : "the relay does not work";
const failureOf = ({ stage, text }: { readonly stage: SmtpStage; readonly text: string }): string =>
  `${failing(stage)}: ${withoutAddresses(text)}`;

/** The same for replies that say the same of different people and messages. */
export const refusalKey = (code: number | null, words: string | null): string =>
  `${code} ${withoutAddresses(words ?? "").toLowerCase()}`.replace(/[\w-]+/g, (word) =>
    /\d/.test(word) ? "#" : word,
  );

/** Of a campaign whose relay refuses everything because it comes too fast. */
export const tooFastReason = (words: string): string =>
  `the relay refuses even one message in ten seconds: ${withoutAddresses(words)}`;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const unitMs = { s: 1000, m: MINUTE_MS, h: HOUR_MS } as const;
/** A time of the week and day as in messages, or one as in ISO 8601; in UTC. */
const named =
  /\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d{4} \d{2}:\d{2}(?::\d{2})? (?:utc|gmt)\b|\b\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2})?(?:z| ?utc)\b/i;
const relative = /\b(?:in|after)[: ] ?(\d{1,6}) ?(s|m|h)(?:ec(?:ond)?s?|in(?:ute)?s?|ours?)?\b/i;

/** For how long a campaign waits whose relay takes no more: until the time that it named, or for an hour. */
export function quotaWait(words: string, now: number): number {
  const [time] = named.exec(words) ?? [];
  const [, count, unit] = relative.exec(words) ?? [];
  const until = time === undefined ? Number.NaN : Date.parse(time.replace(/ ?utc$/i, "Z"));
  const relativeMs = Number(count) * unitMs[(unit ?? "s").toLowerCase() as keyof typeof unitMs];
  const ms = [until - now, relativeMs].find((one) => one > 0) ?? HOUR_MS;
  return Math.min(Math.max(ms, MINUTE_MS), LONGEST_QUOTA_MS);
}
