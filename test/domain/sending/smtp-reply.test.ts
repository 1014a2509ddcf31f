/** The meaning of replies, row by row, with replies of real mail servers. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { keptOf, ReplyReader } from "#delivery/smtp/reply.ts";
import { type SmtpReply, type SmtpStage, smtpStages } from "#domain/sending/hand-over.ts";
import { knownReplies } from "#domain/sending/known-replies.ts";
import {
  classify,
  type Meaning,
  meaningOf,
  type Parties,
  quotaWait,
  replyTable,
  rowFor,
  withoutAddresses,
} from "#domain/sending/smtp-reply.ts";

const replyOf = (response: string): SmtpReply => {
  const [reply] = new ReplyReader().read(Buffer.from(`${response}\n`));
  assert.ok(reply !== undefined && reply.code > 0, response);
  return keptOf(reply);
};

const cases: readonly (readonly [string, SmtpStage, Meaning])[] = [
  // The relay itself.
  ["421 4.7.0 Try again later, closing connection", "greeting", "relay failed"],
  ["421 4.7.0 Too many errors", "rcpt", "relay failed"],
  ["421 4.3.2 Shutting down", "dot", "relay failed"],
  ["535 5.7.8 Error: authentication failed", "login", "relay failed"],
  ["454 4.7.0 Temporary authentication failure", "login", "relay failed"],
  ["530 5.7.0 Must issue a STARTTLS command first", "mail", "relay failed"],
  ["530 5.7.1 Authentication required", "rcpt", "relay failed"],
  ["503 5.5.1 Error: nested MAIL command", "rcpt", "relay failed"],
  ["502 5.5.2 Error: command not recognized", "data", "relay failed"],
  ["554 5.7.1 Access denied", "greeting", "relay failed"],
  ["451 4.3.0 Temporary lookup failure", "mail", "relay failed"],
  ["450 4.7.1 Client host rejected", "mail", "relay failed"],
  ["550 5.7.1 Sender not allowed", "mail", "relay failed"],
  ["553 Sender refused", "mail", "relay failed"],
  ["451 4.3.0 Queue file write error", "rcpt", "relay failed"],
  ["452 4.3.1 Insufficient system storage", "rcpt", "relay failed"],
  ["451 4.3.5 Server configuration problem", "dot", "relay failed"],
  ["450 4.1.8 <x@nowhere.example>: Sender address rejected: Domain not found", "rcpt", "relay failed"],
  ["550 5.1.8 Sender address rejected", "rcpt", "relay failed"],
  ["550 5.1.7 Bad sender's mailbox address syntax", "rcpt", "relay failed"],
  ["554 5.7.1 <a@example.com>: Relay access denied", "rcpt", "relay failed"],
  ["454 4.7.1 <a@example.com>: Relay access denied", "rcpt", "relay failed"],
  ["550 relay not permitted", "rcpt", "relay failed"],
  ["550 5.7.1 Unable to relay for a@example.com", "rcpt", "relay failed"],
  ["550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "rcpt", "relay failed"],
  ["550 5.7.1 Relaying denied", "rcpt", "relay failed"],
  ["550 5.7.1 <news@example.org>: Sender address rejected: Not you", "rcpt", "relay failed"],
  ["553 5.7.1 <news@example.org>: Sender address rejected: not owned by user news", "rcpt", "relay failed"],
  // Exim with `require verify = sender`, as a reply of several lines; the second one with words of cPanel.
  [
    "550-Verification failed for <b-1-2-x@bounces.example.org>\n550-Unrouteable address\n550 Sender verify failed",
    "rcpt",
    "relay failed",
  ],
  [
    "550-Verification failed for <b-1-2-x@bounces.example.org>\n550-The mail server could not deliver mail to b-1-2-x@bounces.example.org. The account or domain may not exist, they may be blacklisted, or missing the proper dns entries.\n550 Sender verify failed",
    "rcpt",
    "relay failed",
  ],
  [
    "550-Verification failed for <b-1-2-x@bounces.example.org>\n550-Unrouteable address\n550 Go away",
    "rcpt",
    "relay failed",
  ],
  ["550 Sender verify failed", "rcpt", "relay failed"],
  ["451 Could not complete sender verify callout", "rcpt", "deferred"],
  ["550 Invalid sender address", "rcpt", "relay failed"],
  ["553 Invalid sender domain", "rcpt", "relay failed"],
  ["550 Sender domain does not exist", "rcpt", "relay failed"],
  ["501 Domain of sender address news@example.org does not resolve", "rcpt", "relay failed"],
  ["550 5.1.0 sender address is not valid", "rcpt", "relay failed"],
  ["550 5.1.0 <news@example.org>: Sender address rejected: User unknown", "rcpt", "relay failed"],
  ["553 sorry, unable to verify the sender: no such user", "rcpt", "relay failed"],
  // The sender's quota or account at the relay: of Google, Zoho, Office 365, cPanel and others.
  ["550 5.4.5 Daily user sending limit exceeded. For more information on Gmail", "dot", "relay failed"],
  ["550 5.4.5 Daily SMTP relay limit exceeded for customer", "rcpt", "relay failed"],
  ["550 5.4.6 Unusual sending activity detected. Please try after sometime", "dot", "sender refused"],
  [
    "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
    "dot",
    "relay failed",
  ],
  ["550 5.7.1 Hourly sending quota reached", "rcpt", "quota used up"],
  ["554 Message limit exceeded", "dot", "quota used up"],
  ["554 5.7.1 You have exceeded your daily sending limit", "dot", "quota used up"],
  ["550 5.7.1 You exceeded the daily recipient limit", "rcpt", "quota used up"],
  [
    "550 Domain example.org has exceeded the max emails per hour (125/100 (125%)) allowed",
    "rcpt",
    "quota used up",
  ],
  ["550 5.7.1 Your account has been suspended, contact support", "rcpt", "relay failed"],
  ["550 Your account is disabled", "rcpt", "relay failed"],
  ["554 5.7.0 Your SMTP account was temporarily blocked", "dot", "relay failed"],
  // Addresses that do not exist.
  ["550 5.1.1 <a@example.com>: Recipient address rejected: User unknown", "rcpt", "hard bounce"],
  ["550 5.1.1 The email account that you tried to reach does not exist", "dot", "hard bounce"],
  ["550 5.1.1 Unknown", "data", "hard bounce"],
  ["550 5.1.2 Host unknown", "rcpt", "hard bounce"],
  ["501 5.1.3 Bad recipient address syntax", "rcpt", "hard bounce"],
  ["551 5.1.6 Mailbox has moved", "rcpt", "hard bounce"],
  ["550 5.1.10 RESOLVER.ADR.RecipientNotFound", "dot", "hard bounce"],
  ["556 5.1.10 Recipient address has a null MX", "rcpt", "hard bounce"],
  ["550 5.1.0 No such user", "rcpt", "hard bounce"],
  ["550 Unknown user", "rcpt", "hard bounce"],
  ["550 User unknown", "rcpt", "hard bounce"],
  ["550 Unrouteable address", "rcpt", "hard bounce"],
  ["550 No Such User Here", "rcpt", "hard bounce"],
  ["550 sorry, no mailbox here by that name", "rcpt", "hard bounce"],
  ["550 <a@example.com>: Recipient address rejected: undeliverable address", "rcpt", "hard bounce"],
  ["550 Requested action not taken: mailbox does not exist", "rcpt", "hard bounce"],
  ["553 invalid recipient a@example.com", "rcpt", "hard bounce"],
  ["551 not our customer", "rcpt", "hard bounce"],
  ["550 Recipient not found", "dot", "hard bounce"],
  ["550 mailbox not found", "rcpt", "hard bounce"],
  ["550 <sender@example.org>: User unknown", "rcpt", "hard bounce"],
  ["550 No such user here: from-me@your-account.example", "rcpt", "hard bounce"],
  ["550 5.1.0 <dkim@header.example> User unknown", "rcpt", "hard bounce"],
  [
    "550 5.1.1 <a@b.example>: Recipient address rejected: User unknown in virtual mailbox table",
    "rcpt",
    "hard bounce",
  ],
  ["550 5.1.1 b-1-2-x@bounces.example.org to <A@example.com>: user unknown", "rcpt", "hard bounce"],
  // Of the sender.
  ["550 5.1.0 <news@example.org>: unknown user", "rcpt", "failed"],
  ["550 5.1.1 <NEWS@example.org>: unknown user", "rcpt", "failed"],
  ["550 b-1-2-x@bounces.example.org: user unknown", "dot", "failed"],
  ["550 5.1.1 callback: user unknown", "rcpt", "failed"],
  ["550 5.1.1 Return-Path address does not exist", "rcpt", "failed"],
  ["550 5.1.2 Reverse-path domain unknown", "rcpt", "failed"],
  ["550 5.1.1 Unknown originator", "rcpt", "failed"],
  ["550 Bounce address does not exist", "rcpt", "failed"],
  ["550 5.1.3 Callout to an invalid address", "rcpt", "failed"],
  ["550 5.1.1 Login: unknown user", "rcpt", "failed"],
  ["550 5.1.1 Authentication required", "rcpt", "failed"],
  ["550 5.1.1 Your account does not exist", "rcpt", "failed"],
  ["550 5.1.1 Invalid address, blocked by Spamhaus", "rcpt", "failed"],
  // Refused, but not because of the address.
  ["550 5.1.0 Address rejected", "rcpt", "failed"],
  ["550 5.1.4 Ambiguous", "rcpt", "failed"],
  ["552 5.2.2 Over quota", "rcpt", "failed"],
  ["552 5.2.2 The mailbox is full: user unknown", "dot", "failed"],
  ["550 5.2.1 Mailbox disabled", "rcpt", "failed"],
  ["550 5.4.1 Recipient address rejected: Access denied", "rcpt", "hard bounce"],
  ["550 5.7.1 Message rejected as spam", "dot", "failed"],
  ["554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked", "rcpt", "failed"],
  ["550 5.7.1 Recipient unknown to our policy", "rcpt", "failed"],
  ["550 5.7.26 Unauthenticated email is not accepted", "dot", "failed"],
  ["554 5.6.0 Invalid content", "dot", "failed"],
  ["550 Your message looks like spam", "rcpt", "failed"],
  ["550 Administrative prohibition", "rcpt", "failed"],
  ["552 Mailbox full", "rcpt", "failed"],
  ["554 Transaction failed: user unknown", "dot", "failed"],
  ["554 Transaction failed", "data", "failed"],
  ["555 Parameters not recognized", "rcpt", "failed"],
  ["550 E-mail rejected: invalid DKIM signature", "dot", "failed"],
  ["550 Email has an invalid From header", "dot", "failed"],
  ["550 5.1.0 Invalid address in the header", "dot", "failed"],
  ["550 Address in MAIL FROM does not exist", "rcpt", "failed"],
  ["550 Access denied - Invalid HELO name (account unknown)", "rcpt", "failed"],
  ["550 Mail from your IP address is invalid", "rcpt", "failed"],
  ["550 The sender has no such mailbox", "rcpt", "failed"],
  ["550 Mail to <user@example.org> has invalid content", "dot", "failed"],
  // The recipient's quota or account, or it is not clear whose.
  ["552 Mailbox quota exceeded", "rcpt", "failed"],
  ["552 Message quota exceeded", "rcpt", "failed"],
  ["552 5.2.2 Daily message quota exceeded", "rcpt", "failed"],
  ["550 Mailbox has exceeded its message quota", "rcpt", "failed"],
  ["550 5.7.1 The recipient has reached its daily limit", "rcpt", "failed"],
  ["554 Message size limit exceeded", "dot", "failed"],
  ["550 5.4.6 Hop count exceeded - possible mail loop", "dot", "failed"],
  ["550 5.7.1 User account suspended", "rcpt", "failed"],
  ["550 5.2.1 The account is disabled", "rcpt", "failed"],
  ["550 5.7.1 Account suspended", "rcpt", "failed"],
  ["550 User account is disabled", "rcpt", "hard bounce"],
  // For now.
  ["452 4.2.2 Daily message quota exceeded", "rcpt", "deferred"],
  ["450 4.7.1 Hourly message limit exceeded", "rcpt", "quota used up"],
  ["450 4.2.0 Greylisted", "rcpt", "deferred"],
  ["450 4.2.1 The user is receiving mail too quickly", "rcpt", "deferred"],
  ["452 4.2.2 Mailbox full", "rcpt", "deferred"],
  ["450 4.1.1 User unknown in local table", "rcpt", "deferred"],
  ["451 4.7.1 Greylisting in action", "rcpt", "deferred"],
  ["451 4.7.650 Temporarily rate limited", "dot", "deferred"],
  ["450 Try again", "rcpt", "deferred"],
  ["451 Local error in processing", "data", "deferred"],
  ["451 Temporary local problem", "dot", "deferred"],
  // Speed, and a quota, in the words of many.
  ["421 4.7.0 mx.example Error: too many connections from 192.0.2.1", "greeting", "too fast"],
  ["421 Too many connections, try again later", "greeting", "too fast"],
  ["450 Too many requests", "mail", "too fast"],
  ["450 4.7.1 Sending rate limit exceeded", "rcpt", "too fast"],
  ["451 4.7.0 You are sending mail too fast", "dot", "too fast"],
  ["421 4.4.2 Message submission rate for this client has exceeded the configured limit", "mail", "too fast"],
  ["452 4.5.3 Daily message limit exceeded", "mail", "quota used up"],
  ["454 4.7.1 Number messages per hour exceeded", "dot", "quota used up"],
  ["451 Too many messages for this user", "rcpt", "deferred"],
  // The address may well exist.
  ["554 5.7.1 <a@example.com>: Recipient address rejected: Access denied", "rcpt", "failed"],
  ["550 Requested action not taken: mailbox unavailable", "dot", "failed"],
  ["550 Requested action not taken: mailbox unavailable\n550 relay not permitted", "rcpt", "relay failed"],
  [
    "550 Requested action not taken: mailbox unavailable\n550 You have exceeded your hourly limit",
    "rcpt",
    "failed",
  ],
  ['451 4.7.1 Ratelimit "to" exceeded', "rcpt", "deferred"],
  ["452 4.2.2 <a@example.com> too many messages", "rcpt", "deferred"],
  [
    "550 Requested action not taken: mailbox unavailable\n550 Reject due to policy restrictions",
    "rcpt",
    "failed",
  ],
  // The message.
  ["552 5.3.4 Message size exceeds fixed limit", "mail", "message too large"],
  ["552 5.3.4 Error: message file too big", "dot", "message too large"],
  ["552 5.2.3 Message exceeds maximum fixed size", "dot", "message too large"],
  ["552 Message size exceeds maximum permitted", "mail", "message too large"],
  ["553 5.6.7 SMTPUTF8 required", "rcpt", "needs SMTPUTF8"],
  ["550 5.6.9 UTF-8 header message cannot be transferred", "dot", "needs SMTPUTF8"],
];
const parties: Parties = {
  to: "a@example.com",
  senders: ["b-1-2-x@bounces.example.org", "news@example.org"],
};
const oneLine = (text: string): string => {
  const lines = text.split("\n");
  const code = text.slice(0, 3);
  return lines
    .map((line, at) => `${code}${at < lines.length - 1 ? "-" : " "}${line.replace(/^\d{3}[ -]/, "")}`)
    .join("\n");
};
const knownCases = knownReplies.map(
  ({ example, means, isWhole = false }) => [oneLine(example), isWhole ? "rcpt" : "dot", means] as const,
);

for (const [response, stage, expected] of [
  ...cases.map(([text, ...more]) => [oneLine(text), ...more] as const),
  ...knownCases,
])
  test(`takes "${response.replaceAll("\n", " / ")}" at ${stage} for: ${expected}`, () => {
    assert.equal(meaningOf(stage, replyOf(response), parties), expected);
  });

test("has a case for every row of the table", () => {
  const used = new Set(
    [...cases.map(([text, stage]) => [oneLine(text), stage] as const), ...knownCases].map(
      ([response, stage]) => rowFor(stage, replyOf(response)),
    ),
  );
  assert.deepEqual(
    replyTable.map((_, index) => index).filter((index) => !used.has(index)),
    [],
  );
});

const nothingElse = { isQuota: false, isTooFast: false };

test("queues the recipient again if the relay failed, with the relay's words for the campaign", () => {
  for (const stage of smtpStages) {
    const { result, relayFailure } = classify({ kind: "rejected", stage, ...replyOf("421 4.3.2 Busy") });
    const counts = ["rcpt", "data", "dot"].includes(stage);
    const attempt = counts ? { isAttempt: true, afterMs: 60_000 } : { isAttempt: false, afterMs: 0 };
    assert.deepEqual(result, { state: "queued", ...attempt }, stage);
    assert.match(relayFailure ?? "", /^the relay .*: 421 4\.3\.2 Busy$/, stage);
  }
  const failure = { kind: "relay failed", stage: "connect", text: "connect ECONNREFUSED" } as const;
  assert.deepEqual(classify(failure), {
    ...nothingElse,
    result: { state: "queued", isAttempt: false, afterMs: 0 },
    relayFailure: "the relay cannot be reached: connect ECONNREFUSED",
  });
});

test("leaves addresses out of the reason for a campaign, and in the words about the recipient", () => {
  const reply = replyOf("454 4.7.1 <ada@example.com>: Relay access denied");
  const { result, relayFailure } = classify({ kind: "rejected", stage: "rcpt", ...reply });
  assert.equal(relayFailure, "the relay refuses a recipient: 454 4.7.1 <address>: Relay access denied");
  assert.ok("reply" in result);
  assert.equal(result.reply, "4.7.1 <ada@example.com>: Relay access denied");
  const text = "closed after RCPT TO:<ada@example.com>";
  assert.equal(
    classify({ kind: "relay failed", stage: "data", text }).relayFailure,
    "the relay does not work: closed after RCPT TO:<address>",
  );
});

test("recognizes addresses in every form that a relay may write them in, and nothing else", () => {
  for (const [words, expected] of [
    ["Unable to relay for ada@example.com.", "Unable to relay for <address>."],
    ["to=<ada+x@mail.example.com>, from <b@c>", "to=<address>, from <address>"],
    ['<"ada l"@example.com> and jörg@bücher.example', "<address> and <address>"],
    ["(ada@[192.0.2.1]) mailto:ada@example.com?", "(<address>) mailto:<address>?"],
    ["Try again @ noon: see https://example.com/?p=1", "Try again @ noon: see https://example.com/?p=1"],
  ] as const)
    assert.equal(withoutAddresses(words), expected);
});

test("tries a recipient later, and not for ever, if the relay refused with it and not before", () => {
  const rejected = { kind: "rejected", ...replyOf("451 4.3.0 Disk full") } as const;
  for (const stage of ["rcpt", "data", "dot"] as const) {
    const { result, relayFailure } = classify({ ...rejected, stage });
    assert.deepEqual(result, { state: "deferred", code: 451, reply: "4.3.0 Disk full" }, stage);
    assert.match(relayFailure ?? "", /451 4\.3\.0 Disk full/, stage);
  }
  assert.deepEqual(classify({ ...rejected, stage: "mail" }).result, {
    state: "queued",
    isAttempt: false,
    afterMs: 0,
  });
});

test("defers the recipient of a message that the relay refuses at MAIL for good, so that it blocks nobody", () => {
  const reply = replyOf("555 5.5.4 Unsupported option: SMTPUTF8");
  const { result, relayFailure } = classify({ kind: "rejected", stage: "mail", ...reply });
  assert.deepEqual(result, { state: "deferred", code: 555, reply: "5.5.4 Unsupported option: SMTPUTF8" });
  assert.match(relayFailure ?? "", /^the relay refuses the sender: 555 /);
});

test("makes the campaign wait if a connection ends before a recipient was accepted", () => {
  for (const stage of ["mail", "rcpt"] as const)
    assert.deepEqual(classify({ kind: "lost", stage, mayBeHandedOver: false, text: "closed" }), {
      ...nothingElse,
      result: { state: "queued", isAttempt: true, afterMs: 60_000 },
      relayFailure: "the relay does not work: closed",
    });
});

/** A reply to a recipient may be about this recipient after all: others go first. */
const queuedAgain = (stage: SmtpStage, afterMs: number) =>
  ["rcpt", "data", "dot"].includes(stage)
    ? { state: "queued", isAttempt: true, afterMs }
    : { state: "queued", isAttempt: false, afterMs: 0 };

test("queues the recipient again, and counts no attempt, if messages come too fast", () => {
  for (const stage of smtpStages)
    assert.deepEqual(
      classify({
        kind: "rejected",
        stage,
        ...replyOf("454 Throttling failure: Maximum sending rate exceeded"),
      }),
      {
        ...{ isQuota: false, isTooFast: true, relayFailure: null },
        result: queuedAgain(stage, 5000),
      },
      stage,
    );
});

test("makes the campaign wait if the quota of the sender is used up or the sender is refused, at any stage", () => {
  for (const stage of smtpStages) {
    const quota = classify({
      ...{ kind: "rejected", stage },
      ...replyOf("454 Throttling failure: Daily message quota exceeded for news@example.org"),
    });
    assert.deepEqual([quota.result, quota.isQuota], [queuedAgain(stage, 65 * 60_000), true], stage);
    assert.match(
      quota.relayFailure ?? "",
      /: 454 Throttling failure: Daily .* exceeded for <address>; .* continues by itself$/,
    );
    const refused = classify({ kind: "rejected", stage, ...replyOf("550 Sender signature not found") });
    assert.deepEqual([refused.result, refused.isQuota], [queuedAgain(stage, 300_000), false], stage);
    assert.match(refused.relayFailure ?? "", /: 550 Sender signature not found; confirm the From address/);
  }
});

test("waits until the time that the relay names, for an hour if it names none, and never for longer than a day", () => {
  const now = Date.UTC(2026, 10, 19, 12, 0, 0);
  const MINUTE = 60_000;
  for (const [words, minutes] of [
    ["454 Throttling failure: Daily message quota exceeded", 60],
    ["421 limit exceeded, try again after Thu, 19 Nov 2026 14:30:00 UTC", 150],
    ["452 quota exceeded until 2026-11-19T12:10:00Z", 10],
    ["452 quota exceeded, try again in 92 seconds", 92 / 60],
    ["452 quota exceeded. Retry after: 45 min", 45],
    ["452 quota exceeded, retry in 3h", 180],
    ["452 quota exceeded, try again after Thu, 19 Nov 2020 14:30:00 UTC", 60],
    ["452 quota exceeded, try again in 1 s", 1],
    ["452 quota exceeded until 2036-11-19T12:10:00Z", 1440],
    ["452 quota exceeded, try again in 999999 hours", 1440],
  ] as const)
    assert.equal(quotaWait(words, now), minutes * MINUTE, words);
});

test("gives every other outcome to the recipient", () => {
  const rejected = (stage: SmtpStage, response: string): ReturnType<typeof classify> =>
    classify({ kind: "rejected", stage, ...replyOf(response) });
  for (const [classified, result] of [
    [classify({ kind: "accepted", ...replyOf("250 2.0.0 Ok") }), { state: "sent", code: 250 }],
    [
      rejected("rcpt", "550 5.1.1 Unknown"),
      { state: "failed", code: 550, reply: "5.1.1 Unknown", isHardBounce: true },
    ],
    [
      rejected("dot", "550 5.7.1 Spam"),
      { state: "failed", code: 550, reply: "5.7.1 Spam", isHardBounce: false },
    ],
    [rejected("rcpt", "450 4.2.0 Later"), { state: "deferred", code: 450, reply: "4.2.0 Later" }],
    [
      rejected("mail", "552 5.3.4 Too big"),
      { state: "skipped", reason: "message too large", reply: "5.3.4 Too big" },
    ],
    [
      classify({ kind: "lost", stage: "dot", mayBeHandedOver: true, text: "reset" }),
      { state: "unknown", reply: "reset" },
    ],
    [
      classify({ kind: "lost", stage: "data", mayBeHandedOver: false, text: "reset" }),
      { state: "queued", isAttempt: true, afterMs: 10_000 },
    ],
    [
      classify({ kind: "lost", stage: "connect", mayBeHandedOver: false, text: "the service is stopping" }),
      { state: "queued", isAttempt: false, afterMs: 0 },
    ],
    [classify({ kind: "needs SMTPUTF8" }), { state: "skipped", reason: "needs SMTPUTF8", reply: null }],
  ] as const)
    assert.deepEqual(classified, { ...nothingElse, result, relayFailure: null });
});
