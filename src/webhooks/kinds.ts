/**
 * What the names and codes of each mail provider mean. An address is dead only if its provider, or the server
 * that refused, says so of the address: all else is "soft" or "rejected". A name that is not here is of no
 * interest, or nothing final yet.
 */
import type { ProviderEventKind } from "#domain/sending/provider-event.ts";
import { member, text } from "./foreign-json.ts";

/** null: not of interest. */
export type Kind = ProviderEventKind | null;
type Part = string | null;

/**
 * The kind of what a provider calls a hard bounce. The words of the server that refused win if they say
 * clearly that it was for policy or content, for the size, or for a mailbox that is full.
 */
function hard(...words: readonly Part[]): Kind {
  for (const one of words) {
    // Not a part of an IP address.
    const [, level, subject, detail] =
      /(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/.exec(one?.slice(0, 2000) ?? "") ?? [];
    if (level === "4") return "soft";
    if (subject === "6" || subject === "7") return "rejected";
    const code = `${subject}.${detail}`;
    if (code === "2.2") return "soft";
    if (code === "2.3" || code === "3.4") return "rejected";
    if (subject !== undefined && subject !== "0") return "hard";
  }
  return words.some((one) =>
    /(?:mailbox|inbox) (?:is )?full|over ?quota|quota exceeded/i.test(one?.slice(0, 2000) ?? ""),
  )
    ? "soft"
    : "hard";
}

/** A table by a name that another wrote. */
const kinds = (table: Readonly<Record<string, Kind>>) => {
  const known = new Map(Object.entries(table));
  return (name: Part): Kind => known.get(name ?? "") ?? null;
};

/**
 * https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
 * Resend sends by Amazon SES, and has its types.
 */
export function sesBounce(type: Part, sub: Part, ...words: readonly Part[]): Kind {
  if (sub === "UnsubscribedRecipient") return "unsubscribe";
  if (type === "Permanent") return sub === "General" || sub === null ? hard(...words) : "hard";
  return ["ContentRejected", "AttachmentRejected", "MessageTooLarge"].includes(sub ?? "")
    ? "rejected"
    : "soft";
}

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
export function sendgridKind(event: unknown): Kind {
  const [name, reason] = [text(event, "event"), text(event, "reason")];
  if (name === "dropped") return sendgridDrops((reason ?? "").toLowerCase()) ?? "rejected";
  if (name !== "bounce") return sendgridKinds(name);
  const isPolicy = ["Content", "Reputation"].includes(text(event, "bounce_classification") ?? "");
  if (isPolicy) return "rejected";
  const kind = hard(text(event, "status"), reason);
  // What it calls blocked, it tries again with the next message.
  return text(event, "type") === "blocked" && kind === "hard" ? "soft" : kind;
}
const sendgridKinds = kinds({
  delivered: "delivered",
  spamreport: "complaint",
  unsubscribe: "unsubscribe",
  group_unsubscribe: "unsubscribe",
});
const sendgridDrops = kinds({
  "bounced address": "hard",
  invalid: "hard",
  "spam reporting address": "complaint",
  "unsubscribed address": "unsubscribe",
});

/** https://documentation.mailgun.com/docs/mailgun/user-manual/events/ */
export function mailgunKind(event: unknown, told: unknown): Kind {
  const [name, reason] = [text(event, "event"), text(event, "reason")];
  if (name !== "failed") return mailgunKinds(name);
  if (text(event, "severity") !== "permanent") return null;
  const suppressed = mailgunReasons(reason);
  if (suppressed !== null) return suppressed;
  // Codes that are not of SMTP are of Mailgun itself: it has given up.
  const isRefused = /^5\d\d$/.test(text(told, "code") ?? "") && text(told, "bounce-type") !== "soft";
  return isRefused ? hard(text(told, "enhanced-code"), text(told, "message")) : "soft";
}
const mailgunKinds = kinds({
  delivered: "delivered",
  complained: "complaint",
  unsubscribed: "unsubscribe",
  rejected: "rejected",
});
const mailgunReasons = kinds({
  "suppress-bounce": "hard",
  "suppress-complaint": "complaint",
  "suppress-unsubscribe": "unsubscribe",
  espblock: "rejected",
  old: "soft",
});

/** https://postmarkapp.com/developer/webhooks/webhooks-overview */
export function postmarkKind(event: unknown): Kind {
  const record = text(event, "RecordType");
  if (record === "Delivery") return "delivered";
  if (record === "SpamComplaint") return "complaint";
  if (record === "SubscriptionChange") {
    if (member(event, "SuppressSending") !== true) return null;
    // Suppressed by a person there, it is no wish of the recipient.
    const isOwn =
      text(event, "SuppressionReason") === "ManualSuppression" && text(event, "Origin") !== "Recipient";
    return isOwn ? null : postmarkReasons(text(event, "SuppressionReason"));
  }
  const kind = record === "Bounce" ? postmarkTypes(text(event, "Type")) : null;
  return kind === "hard" ? hard(text(event, "Details")) : kind;
}
const postmarkReasons = kinds({
  HardBounce: "hard",
  SpamComplaint: "complaint",
  ManualSuppression: "unsubscribe",
});
/** Not here: automatic replies, and Transient, after which it tries again. */
const postmarkTypes = kinds({
  HardBounce: "hard",
  BadEmailAddress: "hard",
  SoftBounce: "soft",
  DnsError: "soft",
  Unknown: "soft",
  ChallengeVerification: "soft",
  SpamComplaint: "complaint",
  Unsubscribe: "unsubscribe",
  Blocked: "rejected",
  DMARCPolicy: "rejected",
  ManuallyDeactivated: "rejected",
  SMTPApiError: "rejected",
  SpamNotification: "rejected",
  TemplateRenderingFailed: "rejected",
  Unconfirmed: "rejected",
  VirusNotification: "rejected",
});

/** https://developers.brevo.com/docs/transactional-webhooks; its marketing webhooks write hardBounce. */
export function brevoKind(event: unknown): Kind {
  const kind = brevoKinds((text(event, "event") ?? "").toLowerCase().replaceAll("_", ""));
  const reason = text(event, "reason");
  if (kind !== "hard") return kind;
  // It uses the same event for a sender that is not valid.
  return /\bsender\b/i.test((reason ?? "").slice(0, 2000)) ? "rejected" : hard(reason);
}
const brevoKinds = kinds({
  delivered: "delivered",
  hardbounce: "hard",
  invalid: "hard",
  invalidemail: "hard",
  softbounce: "soft",
  blocked: "rejected",
  error: "rejected",
  spam: "complaint",
  complaint: "complaint",
  unsubscribe: "unsubscribe",
  unsubscribed: "unsubscribe",
});

/** https://dev.mailjet.com/email/guides/webhooks/ */
export function mailjetKind(event: unknown): Kind {
  const [name, error] = [text(event, "event"), text(event, "error")];
  if (name !== "bounce" && name !== "blocked") return mailjetKinds(name);
  const isTried = name === "bounce" && member(event, "hard_bounce") !== true;
  if (isTried && error === "greylisted") return null;
  const kind = mailjetErrors(error) ?? (isTried || name === "blocked" ? "soft" : "hard");
  return kind === "hard" ? (isTried ? "soft" : hard(text(event, "comment"))) : kind;
}
const mailjetKinds = kinds({ sent: "delivered", spam: "complaint", unsub: "unsubscribe" });
const mailjetErrors = kinds({
  "user unknown": "hard",
  "mailbox inactive": "hard",
  "invalid domain": "hard",
  "no mail host": "hard",
  typofix: "hard",
  "spam reporter": "complaint",
  "quota exceeded": "soft",
  preblocked: "soft",
  "relay/access denied": "rejected",
  "sender blocked": "rejected",
  "content blocked": "rejected",
  "policy issue": "rejected",
  "system issue": "rejected",
  "protocol issue": "rejected",
  "connection issue": "rejected",
  "duplicate in campaign": "rejected",
});

/** https://support.sparkpost.com/docs/deliverability/bounce-classification-codes */
export function sparkpostKind(event: unknown): Kind {
  const name = text(event, "type");
  if (name === "bounce" || name === "out_of_band")
    return sparkpostClasses(text(event, "bounce_class") ?? "1");
  return name === "spam_complaint" && text(event, "fbtype") === "not-spam" ? null : sparkpostKinds(name);
}
const sparkpostKinds = kinds({
  delivery: "delivered",
  spam_complaint: "complaint",
  list_unsubscribe: "unsubscribe",
  link_unsubscribe: "unsubscribe",
  policy_rejection: "rejected",
  generation_rejection: "rejected",
  generation_failure: "rejected",
});
/** Not here: 60, an automatic reply, and 80, a request to subscribe. */
const sparkpostClasses = kinds({
  ...Object.fromEntries([10, 30].map((code) => [code, "hard"])),
  ...Object.fromEntries([1, 20, 21, 22, 24, 40, 70, 100].map((code) => [code, "soft"])),
  ...Object.fromEntries([23, 25, 26, 50, 51, 52, 53, 54].map((code) => [code, "rejected"])),
  90: "unsubscribe",
});

/** https://resend.com/docs/webhooks/event-types */
export function resendKind(name: Part, bounce: unknown): Kind {
  if (name !== "email.bounced") return resendKinds(name);
  return sesBounce(text(bounce, "type") ?? "Permanent", text(bounce, "subType"), text(bounce, "message"));
}
const resendKinds = kinds({
  "email.delivered": "delivered",
  "email.complained": "complaint",
  // It bounced or complained before, as with Amazon SES.
  "email.suppressed": "hard",
  "email.failed": "rejected",
});

/** https://docs.postalserver.io/developer/webhooks */
export function postalKind(name: Part, told: unknown): Kind {
  if (name === "MessageSent") return "delivered";
  if (name === "MessageHeld") return "rejected";
  // Any reply to the address for bounces is one, also an automatic one.
  if (name === "MessageBounced") return text(told, "bounce", "bounce_type") === "hard" ? "hard" : "soft";
  if (name !== "MessageDeliveryFailed") return null;
  const [details, output] = [text(told, "details") ?? "", text(told, "output")];
  if (text(told, "status") === "SoftFail" || details.startsWith("Maximum number of delivery")) return "soft";
  // Otherwise Postal refused it itself, for the content or the domain of the sender.
  const isRefused = details.startsWith("Permanent SMTP") || /^5\d\d\b/.test(output ?? "");
  return isRefused ? hard(output) : "rejected";
}

/** https://developers.smtp2go.com/docs/webhooks-overview */
export function smtp2goKind(event: unknown): Kind {
  const name = text(event, "event");
  if (name !== "bounce") return smtp2goKinds(name);
  return text(event, "bounce") === "hard" ? hard(text(event, "message")) : "soft";
}
const smtp2goKinds = kinds({
  delivered: "delivered",
  spam: "complaint",
  unsubscribe: "unsubscribe",
  // For a bounce, a complaint or an unsubscribe before, or for the sender: it does not say which.
  reject: "rejected",
});
