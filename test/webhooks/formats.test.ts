/** What the events of each provider mean, with the payloads that it documents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#contract/faults.ts";
import { MAX_EVENT_DETAIL, MAX_EVENT_ID, type ProviderEventKind } from "#domain/sending/provider-event.ts";
import { type WebhookProvider, webhookProviders } from "#domain/sending/providers.ts";
import { MAX_EVENTS, type Received, readReceived } from "#webhooks/formats.ts";
import { isSubscribeUrl } from "#webhooks/proof.ts";
import { type ImitatedEvent, imitationOf, TOPIC } from "./imitations.ts";

const NOW = Date.UTC(2026, 10, 19, 8);
const TOKEN = `b-1a-2z-${"0123456789".repeat(2)}`;
const json = "application/json";
const read = (provider: WebhookProvider, payload: unknown, contentType = json): Received =>
  readReceived(
    provider,
    Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)),
    contentType,
    NOW,
  );
const kindOf = (provider: WebhookProvider, payload: unknown): ProviderEventKind | null => {
  const { events } = read(provider, payload);
  assert.ok(events.length < 2);
  return events[0]?.kind ?? null;
};
const invalid = (pattern: RegExp) => (error: unknown) =>
  error instanceof Fault && error.code === "InvalidMessage" && pattern.test(error.message);

for (const provider of webhookProviders)
  test(`reads all that the imitation of ${provider} sends`, () => {
    const { kinds, requests } = imitationOf(provider);
    const events: readonly ImitatedEvent[] = kinds.flatMap((kind, group) =>
      [0, 1, 2].map((number) => ({
        id: `id-${group}-${number}`,
        address: `Person.${group}.${number}@Example.com`,
        kind,
        at: NOW - 60_000 * (number + 1),
        token: number === 1 ? TOKEN : null,
      })),
    );
    const received = requests(events, NOW).map(({ body, headers }) =>
      readReceived(provider, body, headers["content-type"] ?? "", NOW),
    );
    const found = received.flatMap((one) => one.events);
    assert.deepEqual(
      found.map(({ address, kind, at, token }) => ({ address, kind, at, token })),
      events.map(({ address, kind, at, token }) => ({
        ...{ address, kind, at: provider === "ses" && kind === "rejected" ? NOW : at },
        token: provider === "resend" ? null : token,
      })),
    );
    assert.equal(new Set(found.map(({ id }) => id)).size, events.length);
    // The same events have the same ids when they come again.
    const again = requests(events, NOW + 5000).flatMap(
      ({ body, headers }) => readReceived(provider, body, headers["content-type"] ?? "", NOW + 5000).events,
    );
    assert.deepEqual(
      again.map(({ id }) => id),
      found.map(({ id }) => id),
    );
    assert.ok(received.every(({ once }) => (once === null) === (provider !== "mailgun")));
    assert.ok(received.every(({ topic }) => topic === (provider === "ses" ? TOPIC : null)));
  });

const sns = (message: unknown, type = "Notification") => ({
  Type: type,
  MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
  TopicArn: TOPIC,
  Message: typeof message === "string" ? message : JSON.stringify(message),
  Timestamp: "2026-11-19T07:00:00.000Z",
});
const mail = { messageId: "0000", destination: ["recipient@example.com"] };
const bounce = (bounceType: string, bounceSubType: string, recipient: object = {}) =>
  sns({
    notificationType: "Bounce",
    bounce: {
      ...{ bounceType, bounceSubType, timestamp: "2012-05-25T14:59:38.605Z" },
      bouncedRecipients: [{ emailAddress: "recipient@example.com", ...recipient }],
    },
    mail,
  });
const complaint = (complaintFeedbackType?: string) =>
  sns({
    eventType: "Complaint",
    complaint: { complainedRecipients: [{ emailAddress: "recipient@example.com" }], complaintFeedbackType },
    mail,
  });
const sendgrid = (event: object) => [
  { email: "a@example.com", sg_event_id: "x", timestamp: 1513299569, ...event },
];
const mailgun = (event: object) => ({
  signature: { token: "t", timestamp: "1529006854", signature: "s" },
  "event-data": {
    id: "G9Bn5sl1TC6nu79C8C0bwg",
    recipient: "alice@example.com",
    timestamp: 1521472262.9,
    ...event,
  },
});
const failed = (reason: string, status: object, severity = "permanent") =>
  mailgun({ event: "failed", severity, reason, "delivery-status": status });
const postmark = (event: object) => ({ MessageID: "883953f4", Email: "john@example.com", ...event });
const brevo = (event: string, reason?: string) => ({
  ...{
    event,
    email: "example@domain.com",
    id: 1,
    "message-id": "201798300811.5787683@relay.domain.com",
    reason,
  },
  ts_epoch: 1604933654000,
});
const mailjet = (event: object) => ({
  time: 1430812195,
  MessageID: 13792286917004336,
  email: "b@mailjet.com",
  ...event,
});
const sparkpost = (event: object, name = "message_event") => [
  { msys: { [name]: { event_id: "92356927693813856", rcpt_to: "recipient@example.com", ...event } } },
];
const resend = (type: string, data: object = {}) => ({
  ...{ type, created_at: "2024-11-22T23:41:12.126Z" },
  data: { email_id: "56761188", to: ["delivered@resend.dev"], ...data },
});
const postal = (event: string, payload: object, direction = "outgoing") => ({
  ...{ event, timestamp: 1606753101.96, uuid: "0fcc831f-92b9-4e2b-97f2-d873abc77fab" },
  payload: {
    message: { id: 1, direction, to: "test@example.com", tag: null },
    timestamp: 1606753101.91,
    ...payload,
  },
});
const postalFailed = (details: string, output: string, status = "HardFail") =>
  postal("MessageDeliveryFailed", { status, details, output });
const smtp2go = (event: object) => ({ rcpt: "a@example.com", email_id: "1u0SwL-B9zBpi9ffUq-JAB2", ...event });

const cases: readonly (readonly [WebhookProvider, ProviderEventKind | null, unknown])[] = [
  [
    "ses",
    "hard",
    bounce("Permanent", "General", { status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 unknown" }),
  ],
  ["ses", "hard", bounce("Permanent", "General")],
  ["ses", "hard", bounce("Permanent", "NoEmail")],
  ["ses", "hard", bounce("Permanent", "Suppressed", { status: "5.1.1" })],
  ["ses", "hard", bounce("Permanent", "OnAccountSuppressionList")],
  ["ses", "unsubscribe", bounce("Permanent", "UnsubscribedRecipient")],
  ["ses", "rejected", bounce("Permanent", "General", { status: "5.7.1" })],
  [
    "ses",
    "rejected",
    bounce("Permanent", "General", { status: "5.0.0", diagnosticCode: "550-5.7.26 DMARC" }),
  ],
  ["ses", "soft", bounce("Permanent", "General", { status: "4.0.0", action: "delayed" })],
  ["ses", "soft", bounce("Permanent", "General", { diagnosticCode: "552 5.2.2 over quota" })],
  ["ses", "soft", bounce("Transient", "General")],
  ["ses", "soft", bounce("Transient", "MailboxFull")],
  ["ses", "rejected", bounce("Transient", "MessageTooLarge")],
  ["ses", "rejected", bounce("Transient", "ContentRejected")],
  ["ses", "rejected", bounce("Transient", "AttachmentRejected")],
  ["ses", "soft", bounce("Undetermined", "Undetermined")],
  ["ses", "complaint", complaint("abuse")],
  ["ses", "complaint", complaint()],
  ["ses", null, complaint("not-spam")],
  ["ses", "rejected", sns({ eventType: "Reject", reject: { reason: "Bad content" }, mail })],
  [
    "ses",
    "delivered",
    sns({ eventType: "Delivery", delivery: { recipients: ["recipient@example.com"] }, mail }),
  ],
  ["ses", null, sns({ eventType: "DeliveryDelay", deliveryDelay: { delayedRecipients: [] }, mail })],
  ["ses", null, sns({ eventType: "Open", open: {}, mail })],
  ["ses", null, sns("Successfully validated SNS topic for Amazon SES event publishing.")],
  ["ses", null, sns("You have chosen to deactivate", "UnsubscribeConfirmation")],
  [
    "sendgrid",
    "hard",
    sendgrid({ event: "bounce", type: "bounce", status: "5.0.0", reason: "500 unknown recipient" }),
  ],
  ["sendgrid", "hard", sendgrid({ event: "bounce", status: "5.1.1" })],
  [
    "sendgrid",
    "rejected",
    sendgrid({ event: "bounce", type: "bounce", status: "5.0.0", reason: "550 5.7.1 spam" }),
  ],
  [
    "sendgrid",
    "rejected",
    sendgrid({ event: "bounce", type: "blocked", bounce_classification: "Reputation" }),
  ],
  ["sendgrid", "soft", sendgrid({ event: "bounce", type: "blocked", reason: "unable to get mx info" })],
  ["sendgrid", "hard", sendgrid({ event: "dropped", reason: "Bounced Address", status: "5.0.0" })],
  ["sendgrid", "hard", sendgrid({ event: "dropped", reason: "Invalid" })],
  ["sendgrid", "complaint", sendgrid({ event: "dropped", reason: "Spam Reporting Address" })],
  ["sendgrid", "unsubscribe", sendgrid({ event: "dropped", reason: "Unsubscribed Address" })],
  ["sendgrid", "rejected", sendgrid({ event: "dropped", reason: "Spam Content" })],
  ["sendgrid", "rejected", sendgrid({ event: "dropped", reason: "Recipient List over Package Quota" })],
  ["sendgrid", "complaint", sendgrid({ event: "spamreport" })],
  ["sendgrid", "unsubscribe", sendgrid({ event: "unsubscribe" })],
  ["sendgrid", "unsubscribe", sendgrid({ event: "group_unsubscribe", asm_group_id: 10 })],
  ["sendgrid", "delivered", sendgrid({ event: "delivered", response: "250 OK" })],
  ["sendgrid", null, sendgrid({ event: "deferred", attempt: "5" })],
  ["sendgrid", null, sendgrid({ event: "processed" })],
  ["sendgrid", null, sendgrid({ event: "constructor" })],
  ["mailgun", "hard", failed("bounce", { code: 550, "enhanced-code": "5.1.1", "bounce-type": "hard" })],
  ["mailgun", "hard", failed("suppress-bounce", { code: 605, message: "", description: "Not delivering" })],
  ["mailgun", "unsubscribe", failed("suppress-unsubscribe", { code: 606 })],
  ["mailgun", "complaint", failed("suppress-complaint", { code: 607 })],
  ["mailgun", "rejected", failed("bounce", { code: 550, message: "5.7.1 message refused" })],
  ["mailgun", "rejected", failed("espblock", { code: 554 })],
  ["mailgun", "soft", failed("old", { code: 602, message: "Too old" })],
  ["mailgun", "soft", failed("generic", { code: 498, message: "No MX for example.com" })],
  ["mailgun", null, failed("generic", { code: 452, message: "452 4.2.2 full" }, "temporary")],
  ["mailgun", "rejected", mailgun({ event: "rejected", reject: { reason: "virus" } })],
  ["mailgun", "complaint", mailgun({ event: "complained" })],
  ["mailgun", "unsubscribe", mailgun({ event: "unsubscribed" })],
  ["mailgun", "delivered", mailgun({ event: "delivered" })],
  ["mailgun", null, mailgun({ event: "opened" })],
  ["mailgun", null, mailgun({ event: "delivered", recipient: undefined })],
  [
    "postmark",
    "hard",
    postmark({ RecordType: "Bounce", Type: "HardBounce", TypeCode: 1, Details: "Test details" }),
  ],
  [
    "postmark",
    "rejected",
    postmark({ RecordType: "Bounce", Type: "HardBounce", Details: "554 5.7.1 denied" }),
  ],
  ["postmark", "hard", postmark({ RecordType: "Bounce", Type: "BadEmailAddress" })],
  ["postmark", "soft", postmark({ RecordType: "Bounce", Type: "SoftBounce" })],
  ["postmark", null, postmark({ RecordType: "Bounce", Type: "Transient" })],
  ["postmark", null, postmark({ RecordType: "Bounce", Type: "AutoResponder" })],
  ["postmark", "rejected", postmark({ RecordType: "Bounce", Type: "SpamNotification" })],
  ["postmark", "rejected", postmark({ RecordType: "Bounce", Type: "DMARCPolicy" })],
  ["postmark", "rejected", postmark({ RecordType: "Bounce", Type: "ManuallyDeactivated" })],
  ["postmark", "complaint", postmark({ RecordType: "SpamComplaint", Type: "SpamComplaint" })],
  ["postmark", "delivered", { RecordType: "Delivery", MessageID: "8839", Recipient: "john@example.com" }],
  ["postmark", null, postmark({ RecordType: "Open" })],
  ...(
    [
      ["unsubscribe", "ManualSuppression", "Recipient", true],
      [null, "ManualSuppression", "Customer", true],
      ["hard", "HardBounce", "Recipient", true],
      ["complaint", "SpamComplaint", "Recipient", true],
      [null, null, "Recipient", false],
    ] as const
  ).map(([kind, SuppressionReason, Origin, SuppressSending]) => {
    const change = { RecordType: "SubscriptionChange", Recipient: "a@example.com", MessageID: "8839" };
    return ["postmark", kind, { ...change, SuppressionReason, Origin, SuppressSending }] as const;
  }),
  [
    "brevo",
    "hard",
    brevo("hard_bounce", " RecipientError: 550 5.5.0 Requested action not taken: unavailable."),
  ],
  ["brevo", "rejected", brevo("hard_bounce", "550 5.7.1 blocked by policy")],
  ["brevo", "hard", brevo("hardBounce")],
  ["brevo", "soft", brevo("soft_bounce", "undefined Unable to find MX of domain no-mx.example.com")],
  ["brevo", "soft", brevo("softBounce")],
  ["brevo", "rejected", brevo("blocked", "blocked : due to blacklist user")],
  ["brevo", "hard", brevo("invalid_email", "invalid address")],
  ["brevo", "rejected", brevo("invalid_email", "the sender is not valid")],
  ["brevo", "rejected", brevo("error")],
  ["brevo", "complaint", brevo("spam")],
  ["brevo", "complaint", brevo("complaint")],
  ["brevo", "unsubscribe", brevo("unsubscribed")],
  ["brevo", "delivered", brevo("delivered")],
  ["brevo", null, brevo("deferred", "550 RecipientError: 550 5.1.1 User unknown")],
  ["brevo", null, brevo("request")],
  ["mailjet", "hard", mailjet({ event: "bounce", hard_bounce: true, error: "user unknown" })],
  ["mailjet", "hard", [mailjet({ event: "bounce", hard_bounce: true, error: "invalid domain" })]],
  ["mailjet", "soft", mailjet({ event: "bounce", hard_bounce: true, error: "quota exceeded" })],
  ["mailjet", "soft", mailjet({ event: "bounce", hard_bounce: false, error: "user unknown" })],
  ["mailjet", null, mailjet({ event: "bounce", hard_bounce: false, blocked: true, error: "greylisted" })],
  ["mailjet", "rejected", mailjet({ event: "bounce", hard_bounce: true, error: "policy issue" })],
  ["mailjet", "hard", mailjet({ event: "blocked", error_related_to: "recipient", error: "user unknown" })],
  ["mailjet", "soft", mailjet({ event: "blocked", error_related_to: "mailjet", error: "preblocked" })],
  ["mailjet", "rejected", mailjet({ event: "blocked", error_related_to: "spam", error: "content blocked" })],
  ["mailjet", "soft", mailjet({ event: "blocked", error: "something new" })],
  ["mailjet", "complaint", mailjet({ event: "spam", source: "JMRPP" })],
  ["mailjet", "unsubscribe", mailjet({ event: "unsub", mj_list_id: 1 })],
  ["mailjet", "delivered", mailjet({ event: "sent", smtp_reply: "sent (250 2.0.0 OK)" })],
  ["mailjet", null, mailjet({ event: "click" })],
  ...(
    [
      ["hard", [10, 30]],
      ["soft", [1, 20, 21, 22, 24, 40, 70, 100]],
      ["rejected", [23, 25, 50, 51, 52, 53, 54]],
      ["unsubscribe", [90]],
      [null, [60, 80]],
    ] as const
  ).flatMap(([kind, classes]) =>
    classes.map(
      (one) => ["sparkpost", kind, sparkpost({ type: "bounce", bounce_class: String(one) })] as const,
    ),
  ),
  ["sparkpost", "hard", sparkpost({ type: "out_of_band", bounce_class: "10" })],
  ["sparkpost", "rejected", sparkpost({ type: "policy_rejection" })],
  ["sparkpost", "rejected", sparkpost({ type: "generation_rejection" }, "gen_event")],
  ["sparkpost", "complaint", sparkpost({ type: "spam_complaint", fbtype: "abuse" })],
  ["sparkpost", "unsubscribe", sparkpost({ type: "list_unsubscribe" }, "unsubscribe_event")],
  ["sparkpost", "unsubscribe", sparkpost({ type: "link_unsubscribe" }, "unsubscribe_event")],
  ["sparkpost", "delivered", sparkpost({ type: "delivery" })],
  ["sparkpost", null, sparkpost({ type: "delay", bounce_class: "21" })],
  ["sparkpost", null, sparkpost({ type: "open" }, "track_event")],
  ["sparkpost", null, [{ msys: {} }]],
  [
    "resend",
    "hard",
    resend("email.bounced", { bounce: { type: "Permanent", subType: "Suppressed", message: "m" } }),
  ],
  ["resend", "hard", resend("email.bounced", { bounce: { message: "hard bounce message" } })],
  ["resend", "soft", resend("email.bounced", { bounce: { type: "Transient", subType: "General" } })],
  [
    "resend",
    "rejected",
    resend("email.bounced", { bounce: { type: "Transient", subType: "MessageTooLarge" } }),
  ],
  ["resend", "soft", resend("email.bounced", { bounce: { type: "Undetermined" } })],
  ["resend", "complaint", resend("email.complained")],
  ["resend", "delivered", resend("email.delivered")],
  ["resend", "hard", resend("email.suppressed", { suppressed: { message: "On suppression list" } })],
  ["resend", "rejected", resend("email.failed", { failed: { reason: "reached_daily_quota" } })],
  ["resend", null, resend("email.delivery_delayed")],
  ["resend", null, resend("contact.created")],
  [
    "postal",
    "hard",
    postalFailed("Permanent SMTP delivery error when sending to x", "550 5.4.1 Access denied."),
  ],
  ["postal", "hard", postalFailed("Permanent SMTP delivery error when sending to x", "550 \n")],
  ["postal", "rejected", postalFailed("Permanent SMTP delivery error when sending to x", "554 5.7.1 spam")],
  [
    "postal",
    "rejected",
    postalFailed("Message is likely spam. Threshold is 5 and the message scored 7.", ""),
  ],
  ["postal", "soft", postalFailed("Maximum number of delivery attempts (18) has been reached", "")],
  ["postal", "soft", postalFailed("x", "452 4.2.2 full", "SoftFail")],
  ["postal", null, postal("MessageDelayed", { status: "SoftFail" })],
  ["postal", null, postal("MessageDeliveryFailed", { status: "HardFail", output: "Not found" }, "incoming")],
  ["postal", "rejected", postal("MessageHeld", { status: "Held" })],
  ["postal", "delivered", postal("MessageSent", { status: "Sent", output: "250 2.0.0 OK\n" })],
  [
    "postal",
    "soft",
    postal("MessageBounced", { original_message: { to: "bounce@example.com" }, bounce: { id: 2 } }),
  ],
  ["postal", null, { event: "DomainDNSError", uuid: "u", payload: { domain: "example.com" } }],
  ["smtp2go", "hard", smtp2go({ event: "bounce", bounce: "hard", message: "550 No such user" })],
  ["smtp2go", "rejected", smtp2go({ event: "bounce", bounce: "hard", message: "554 5.7.1 blocked" })],
  ["smtp2go", "soft", smtp2go({ event: "bounce", bounce: "soft" })],
  ["smtp2go", "complaint", smtp2go({ event: "spam" })],
  ["smtp2go", "unsubscribe", smtp2go({ event: "unsubscribe" })],
  ["smtp2go", "rejected", smtp2go({ event: "reject" })],
  ["smtp2go", "delivered", smtp2go({ event: "delivered" })],
  ["smtp2go", null, smtp2go({ event: "resubscribe" })],
];
for (const provider of webhookProviders)
  test(`sorts the documented events of ${provider}`, () => {
    for (const [, kind, payload] of cases.filter(([one]) => one === provider))
      assert.equal(kindOf(provider, payload), kind, JSON.stringify(payload));
  });

test("reads each recipient of a request as an event of its own", () => {
  const emails = ["one@example.com", "two@example.com", "one@example.com"];
  const bouncedRecipients = emails.map((emailAddress) => ({ emailAddress }));
  const told = { bounceType: "Permanent", bounceSubType: "NoEmail", bouncedRecipients };
  const { events } = read("ses", sns({ eventType: "Bounce", bounce: told, mail }));
  assert.deepEqual(
    events.map(({ address }) => address),
    emails.slice(0, 2),
  );
  assert.notEqual(events[0]?.id, events[1]?.id);
  assert.equal(
    read("resend", resend("email.delivered", { to: ["A <a@example.com>", "b@example.com"] })).events.length,
    2,
  );
});

test("counts a bounce of Amazon SES once, though it comes in both forms", () => {
  const one = bounce("Permanent", "NoEmail");
  const other = {
    ...one,
    MessageId: "another",
    Message: one.Message.replace("notificationType", "eventType"),
  };
  assert.deepEqual(read("ses", one).events, read("ses", other).events);
});

test("finds the token in the header of an identity notification of Amazon SES", () => {
  const headers = [{ name: "X-SES-MESSAGE-TAGS", value: `a=b, mailroll=${TOKEN}` }];
  const event = {
    notificationType: "Delivery",
    delivery: { recipients: ["a@example.com"] },
    mail: { ...mail, headers },
  };
  assert.equal(read("ses", sns(event)).events[0]?.token, TOKEN);
});

test("takes for a token only what looks like one", () => {
  for (const token of [
    TOKEN.toUpperCase(),
    `${TOKEN} `,
    `${TOKEN}0`,
    "x",
    5,
    { a: 1 },
    [TOKEN],
    null,
    "b-1-2-\0",
  ])
    assert.equal(read("sendgrid", sendgrid({ event: "delivered", mailroll: token })).events[0]?.token, null);
  assert.equal(read("smtp2go", smtp2go({ event: "spam", "x-mailroll": TOKEN })).events[0]?.token, TOKEN);
});

test("reads the topic and the address of a confirmation of Amazon SNS", () => {
  const url = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37";
  const confirmation = (SubscribeURL: string) => ({
    ...sns("text", "SubscriptionConfirmation"),
    SubscribeURL,
  });
  assert.deepEqual(read("ses", confirmation(url)), { events: [], once: null, topic: TOPIC, confirmUrl: url });
  for (const other of [
    url.replace("https", "http"),
    url.replace(".com", ".com.evil.example"),
    url.replace("sns", "user@sns"),
    url.replace(".com/", ".com:81/"),
    `${url}\n`,
    "",
  ]) {
    assert.equal(read("ses", confirmation(other)).confirmUrl, null);
    assert.equal(isSubscribeUrl(other), false);
  }
  assert.equal(read("ses", { ...confirmation(url), Type: "Notification" }).confirmUrl, null);
});

test("reads events of SMTP2GO from a form", () => {
  const form = new URLSearchParams({
    ...{ event: "bounce", bounce: "hard", rcpt: "a@example.com", email_id: "1u0SwL", "X-Mailroll": TOKEN },
    ...{ time: "2026-10-06 12:34:56", message: "550 unknown", __proto__x: "1" },
  }).toString();
  const { events } = read("smtp2go", form, "application/x-www-form-urlencoded; charset=utf-8");
  const found = events.map(({ kind, at, token }) => ({ kind, at, token }));
  assert.deepEqual(found, [{ kind: "hard", at: Date.UTC(2026, 9, 6, 12, 34, 56), token: TOKEN }]);
});

const times: readonly (readonly [unknown, number])[] = [
  [1513299569, 1513299569000],
  ["1454442600", 1454442600000],
  [1606753101.961181, 1606753101961],
  [1520363423000, 1520363423000],
  ["2014-08-01T13:28:10.2735393-04:00", Date.UTC(2014, 7, 1, 17, 28, 10, 273)],
  ["2023-02-22T23:41:11.894719+00:00", Date.UTC(2023, 1, 22, 23, 41, 11, 894)],
  ["2026-10-06 12:34:56", Date.UTC(2026, 9, 6, 12, 34, 56)],
  [NOW + 60_000, NOW],
  ["2099-01-01T00:00:00Z", NOW],
  ...[null, "", "yesterday", "2026-02-30 99:00:00", -5, 0, 1e300, {}, [1], "9".repeat(5000)].map(
    (value) => [value, NOW] as const,
  ),
];
test("reads the time of an event, and takes the present for one that cannot be read or is to come", () => {
  for (const [value, at] of times) {
    assert.equal(read("smtp2go", smtp2go({ event: "spam", time: value })).events[0]?.at, at, String(value));
    assert.equal(
      read("mailgun", mailgun({ event: "delivered", timestamp: value })).events[0]?.at,
      at,
      String(value),
    );
  }
});

const hostile = [
  "a\0b",
  "half \ud800",
  "\udc00 other half",
  "x".repeat(100_000),
  "😀".repeat(1000),
  "a\r\n\tb\u009f\u0007",
];
test("cleans the words of a server that refuses, and loses no event for them", () => {
  for (const words of hostile) {
    const batch = [
      ...sendgrid({ event: "delivered", sg_event_id: "y" }),
      ...sendgrid({ event: "bounce", reason: words }),
    ];
    const { events } = read("sendgrid", batch);
    assert.equal(events.length, 2);
    const detail = events[1]?.detail ?? "";
    assert.ok(
      detail.length <= MAX_EVENT_DETAIL && detail.isWellFormed() && !/\p{Cc}/u.test(detail),
      words.slice(0, 20),
    );
    assert.notEqual(detail, "");
  }
});

test("loses no batch for members that occur twice, or for odd names", () => {
  const rest = '"email":"a@example.com","sg_event_id":"x","timestamp":1';
  for (const odd of [
    '"reason":"a","reason":"b"',
    '"__proto__":{"email":"b@example.com"}',
    '"\\u0000":1',
    '"\\ud800":"\\ud800"',
  ])
    assert.equal(
      read("sendgrid", `[{"event":"delivered",${odd},${rest}}]`).events[0]?.address,
      "a@example.com",
    );
  assert.equal(({} as { email?: string }).email, undefined);
});

test("leaves out what is malformed, and reads the rest", () => {
  const good = sendgrid({ event: "delivered" })[0];
  const addresses = [
    undefined,
    "",
    "nobody",
    "@",
    "a@",
    "@b",
    "a@b\0",
    "a b@c",
    "a@b\nc",
    5,
    {},
    `${"a".repeat(400)}@b`,
  ];
  const odd = [null, 5, "text", [], {}, ...addresses.map((email) => ({ ...good, sg_event_id: "z", email }))];
  const { events } = read("sendgrid", [...odd, good, { ...good, sg_event_id: undefined }]);
  assert.deepEqual(
    events.map(({ address }) => address),
    ["a@example.com"],
  );
  for (const provider of webhookProviders.filter((one) => one !== "plain" && one !== "ses"))
    for (const payload of [
      {},
      { data: 5 },
      { "event-data": [] },
      { payload: "x" },
      { msys: 1 },
      { event: {} },
    ])
      assert.deepEqual(read(provider, payload).events, []);
  for (const message of [
    null,
    5,
    {},
    { eventType: "Bounce" },
    { eventType: "Bounce", bounce: [] },
    { eventType: 7 },
  ])
    assert.deepEqual(read("ses", sns(message)).events, []);
});

test("keeps ids short, and different ids different", () => {
  const ids = [
    `${"i".repeat(MAX_EVENT_ID)}1`,
    `${"i".repeat(MAX_EVENT_ID)}2`,
    "a\0",
    "a\0\0",
    "ä",
    "i".repeat(MAX_EVENT_ID),
  ];
  const { events } = read(
    "sendgrid",
    ids.flatMap((id) => sendgrid({ event: "spamreport", sg_event_id: id })),
  );
  assert.equal(new Set(events.map(({ id }) => id)).size, ids.length);
  assert.ok(events.every(({ id }) => id.length <= MAX_EVENT_ID && /^[!-~]+$/.test(id)));
  assert.equal(events.at(-1)?.id, ids.at(-1));
});

test("refuses what it cannot read, or is too much", () => {
  for (const provider of webhookProviders) {
    assert.throws(() => read(provider, "no JSON"), invalid(/JSON/));
    assert.throws(() => read(provider, ""), invalid(/JSON/));
    assert.throws(() => read(provider, "null"), invalid(/body/));
    assert.throws(() => read(provider, "5"), invalid(/body/));
    assert.throws(() => read(provider, "[".repeat(100)), invalid(/nested/));
  }
  const many = Array.from({ length: MAX_EVENTS + 1 }, () => ({}));
  assert.throws(() => read("sendgrid", many), invalid(/3001 events; at most 3000/));
  assert.throws(() => read("plain", { events: many }), invalid(/3001 events; at most 3000/));
  const recipients = many.map((_, at) => `a${at}@example.com`);
  const delivery = sns({ eventType: "Delivery", delivery: { recipients }, mail });
  assert.throws(() => read("ses", delivery), invalid(/at most 3000/));
  assert.throws(() => read("ses", { eventType: "Bounce" }), invalid(/raw message delivery/));
});

test("two people of one batch with the same id are two", () => {
  const one = { id: "same", email: "a@example.com", event: "bounced" };
  const { events } = read("plain", {
    events: [one, { ...one, email: "b@example.com" }, { ...one, event: "softBounced" }],
  });
  assert.deepEqual(
    events.map(({ address, kind }) => [address, kind]),
    [
      ["a@example.com", "hard"],
      ["b@example.com", "hard"],
      ["a@example.com", "soft"],
    ],
  );
});

test("what is slow to read is refused before it is read", () => {
  const members = (count: number): string =>
    `{${Array.from({ length: count }, (_, at) => `"n${at}":1`).join(",")}}`;
  assert.throws(() => read("mailgun", members(50_001)), invalid(/50000 members/));
  assert.throws(
    () => read("mailgun", `{"${"a".repeat(1000)}"${":".repeat(60_000)}`),
    invalid(/50000 members/),
  );
  const form = "application/x-www-form-urlencoded; charset=utf-8";
  const readForm = (text: string) => readReceived("smtp2go", Buffer.from(text), form, NOW);
  assert.throws(() => readForm("0&".repeat(300)), invalid(/200 fields/));
  assert.throws(() => readForm("a".repeat(70_000)), invalid(/65536 characters/));
  const long = "i".repeat(400_000);
  const to = Array.from({ length: 2000 }, (_, at) => `a${at}@example.com`);
  const bounced = { type: "email.complained", data: { email_id: long, to } };
  assert.equal(read("resend", bounced).events.length, 2000);
});

test("tells the writer of a bridge script which event is wrong, and how", () => {
  const good = { id: "1", email: "a@example.com", event: "bounced" };
  const plain = (...events: unknown[]): Received => read("plain", { events });
  assert.equal(plain(good, { ...good, id: 2, at: null, token: "", detail: null }).events.length, 2);
  assert.equal(
    plain({ ...good, at: "2026-11-19T07:59:00+01:00" }).events[0]?.at,
    Date.UTC(2026, 10, 19, 6, 59),
  );
  for (const [event, problem] of [
    [{ ...good, id: undefined }, /^events\[1\]\.id must be a text/],
    [{ ...good, email: "nobody" }, /^events\[1\]\.email must be an email address/],
    [{ ...good, event: "bounce" }, /^events\[1\]\.event must be one of bounced, softBounced, complained/],
    [{ ...good, at: "yesterday" }, /^events\[1\]\.at must be a date/],
    [{ ...good, at: 5 }, /^events\[1\]\.at must be a text/],
    [{ ...good, detail: {} }, /^events\[1\]\.detail must be a text/],
    ["text", /^events\[1\] must be an object/],
  ] as const)
    assert.throws(() => plain(good, event), invalid(problem));
  assert.throws(() => read("plain", good), invalid(/array "events"/));
  assert.throws(() => read("plain", [good]), invalid(/array "events"/));
});
