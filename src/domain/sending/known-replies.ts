/**
 * Replies that are known word for word, from providers that people send with and from large receivers. A
 * reply is recognised by words of it in any letter case; the first entry counts. Each example is a reply as
 * it was seen or documented, and the source says where. What other relays say is judged by `smtp-reply.ts`.
 */
export interface KnownReply {
  readonly from: string;
  readonly example: string;
  /** In lower case; all of them must occur. */
  readonly words: readonly string[];
  /** Nothing else may be said, apart from a status and what is in parentheses. */
  readonly isWhole?: boolean;
  /** If another code would mean something else: its first digit. */
  readonly kind?: 4 | 5;
  readonly means: "too fast" | "quota used up" | "sender refused" | "hard bounce" | "deferred" | "failed";
  /** For the person who sends, if they must do something. */
  readonly todo?: string;
  readonly source: string;
}

const SES_ERRORS = "Amazon SES Developer Guide, Amazon SES SMTP issues (troubleshoot-smtp)";
const SENDGRID_ERRORS = "Twilio SendGrid documentation, SMTP errors and troubleshooting";
const SISIMAI = (file: string): string => `sisimai/rb-sisimai, lib/sisimai/${file}`;

export const knownReplies: readonly KnownReply[] = [
  // About the person, although they sound otherwise.
  {
    from: "Google",
    example: "450 4.2.1 The user you are trying to contact is receiving mail too quickly",
    words: ["user you are trying to contact is receiving"],
    kind: 4,
    means: "deferred",
    source: "Google Workspace Admin Help, Gmail SMTP errors and codes",
  },
  {
    from: "Google",
    example:
      "550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.",
    words: ["user you are trying to contact is receiving"],
    kind: 5,
    means: "failed",
    source: SISIMAI("rhost/google.rb"),
  },
  // Speed.
  {
    from: "Amazon SES",
    example: "454 Throttling failure: Maximum sending rate exceeded.",
    words: ["maximum sending rate exceeded"],
    means: "too fast",
    source: SES_ERRORS,
  },
  {
    from: "Amazon SES",
    example: "421 Too many concurrent SMTP connections",
    words: ["too many concurrent smtp connections"],
    means: "too fast",
    source: SES_ERRORS,
  },
  {
    from: "Emailit",
    example: "452 4.4.5 Messages per second limit exceeded",
    words: ["messages per second limit exceeded"],
    means: "too fast",
    source: "Emailit documentation, SMTP troubleshooting",
  },
  {
    from: "Google",
    example: "450 4.2.1 Peak SMTP relay limit exceeded for customer. This is a temporary error.",
    words: ["peak smtp relay limit exceeded"],
    means: "too fast",
    source: "Google Workspace Admin Help, Gmail SMTP errors and codes",
  },
  {
    from: "Microsoft 365",
    example: "432 4.3.2 Concurrent connections limit exceeded. Visit https://aka.ms/concurrent_sending",
    words: ["concurrent connections limit exceeded"],
    means: "too fast",
    source: "MicrosoftDocs/OfficeDocs-Support, issue 1991",
  },
  {
    from: "Microsoft 365",
    example: "432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded",
    words: ["sender thread limit exceeded"],
    means: "too fast",
    source: "MicrosoftDocs/OfficeDocs-Support, issue 1991",
  },
  {
    from: "Mailtrap",
    example: "550 5.7.0 Too many emails per second. Please upgrade your plan",
    words: ["too many emails per second"],
    means: "too fast",
    source: "replies of its sandbox in public issue threads",
  },
  {
    from: "mailcow",
    example: '451 4.7.1 Ratelimit "user" exceeded',
    words: ['ratelimit "user" exceeded'],
    means: "too fast",
    source: "mailcow/mailcow-dockerized, issue 1497",
  },
  {
    from: "Mailu",
    example: "451 4.7.1 You are sending too many emails too fast.",
    words: ["you are sending too many emails too fast"],
    means: "too fast",
    source: "Mailu/Mailu, issue 2416",
  },
  {
    from: "Postfix",
    example: "450 4.7.1 Error: too much mail from 192.0.2.1",
    words: ["error: too much mail from"],
    means: "too fast",
    source: "vdukhovni/postfix, postfix/src/smtpd/smtpd.c",
  },
  // A quota by hour or day.
  {
    from: "Amazon SES",
    example: "454 Throttling failure: Daily message quota exceeded.",
    words: ["throttling failure: daily message quota exceeded"],
    means: "quota used up",
    source: SES_ERRORS,
  },
  {
    from: "SendGrid",
    example: "451 Authentication failed: Maximum credits exceeded",
    words: ["maximum credits exceeded"],
    means: "quota used up",
    todo: "buy more credits at SendGrid, or wait until the next period begins",
    source: SENDGRID_ERRORS,
  },
  {
    from: "Mailgun",
    example:
      "421 Domain mg.example.org is not allowed to send: recipient limit exceeded, try again after Sun, 23 Mar 2025 10:01:34 UTC",
    words: ["is not allowed to send", "limit", "exceeded"],
    means: "quota used up",
    source: "TryGhost/Ghost, a log of Mailgun's API with the sentence that SMTP begins with 421",
  },
  {
    from: "Plesk",
    example:
      "554 5.7.0 Your message could not be sent. The limit on the number of allowed outgoing messages was exceeded. Try again later.",
    words: ["limit on the number of allowed outgoing messages was exceeded"],
    means: "quota used up",
    source: "zotonic/zotonic, issue 3508",
  },
  {
    from: "IONOS",
    example: "450 Requested mail action not taken: mailbox unavailable\nMail send limit exceeded.",
    words: ["mail send limit exceeded"],
    means: "quota used up",
    source: "replies of its submission server in public issue threads",
  },
  {
    from: "GMX, as a submission server",
    example: "550 Requested action not taken: mailbox unavailable\nFailure sending mail. Try again later",
    words: ["failure sending mail", "try again later"],
    means: "quota used up",
    source: "nodemailer/nodemailer, issue 1555; jstedfast/MailKit, issue 968",
  },
  {
    from: "Microsoft 365",
    example: "554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException",
    words: ["submissionquotaexceeded"],
    means: "quota used up",
    source: "MicrosoftDocs/OfficeDocs-Support, issue 1150",
  },
  {
    from: "Resend",
    example: "450 You have reached your daily email sending quota.",
    words: ["you have reached your", "sending quota"],
    means: "quota used up",
    source: "Resend API reference, daily_quota_exceeded",
  },
  {
    from: "hosters with a relay quota",
    example: "552 Message would take you over your relay quota of 500 Current quota used: 487",
    words: ["would take you over your relay quota"],
    means: "quota used up",
    source: "WWBN/AVideo, issue 7527",
  },
  // The sender, or the account at the provider.
  {
    from: "Amazon SES",
    example:
      "554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: news@example.org",
    words: ["email address is not verified"],
    means: "sender refused",
    todo: "verify the domain of the From address at Amazon SES, in the region of the relay; if it is verified, the account is still in the sandbox there: request production access",
    source: SES_ERRORS,
  },
  {
    from: "Amazon SES",
    example: "554 Message rejected: Sending paused for this account.",
    words: ["sending paused for this account"],
    means: "sender refused",
    todo: "read the messages of Amazon SES about this account, and have sending enabled again",
    source: "replies of Amazon SES in public issue threads",
  },
  {
    from: "Amazon SES",
    example: "554 Transaction failed: Duplicate header 'DKIM-Signature'.",
    words: ["duplicate header 'dkim-signature'"],
    means: "sender refused",
    todo: "Amazon SES signs already (Easy DKIM): set the sender to be signed by the relay",
    source: "mailcow/mailcow-dockerized, issue 4052; Amazon SES Developer Guide, header fields",
  },
  {
    from: "Amazon SES",
    example: "554 Access denied: User arn:aws:iam::1:user/x is not authorized to perform ses:SendRawEmail",
    words: ["is not authorized to perform", "ses:sendrawemail"],
    means: "sender refused",
    todo: "in AWS IAM, allow ses:SendRawEmail for the user that the SMTP credentials belong to",
    source: SES_ERRORS,
  },
  {
    from: "SendGrid",
    example: "550 The from address does not match a verified Sender Identity.",
    words: ["from address does not match a verified sender identity"],
    means: "sender refused",
    todo: "authenticate the domain of the sender at SendGrid (Sender Authentication)",
    source: SENDGRID_ERRORS,
  },
  {
    from: "SendGrid",
    example: "403 You are not authorized to send from that email address",
    words: ["not authorized to send from that email address"],
    means: "sender refused",
    todo: "authenticate the domain of the sender at SendGrid (Sender Authentication)",
    source: SENDGRID_ERRORS,
  },
  {
    from: "SendGrid",
    example: "550 Unauthenticated senders not allowed",
    words: ["unauthenticated senders not allowed"],
    means: "sender refused",
    todo: "the user of the relay must be apikey, and its password an API key of SendGrid",
    source: SENDGRID_ERRORS,
  },
  {
    from: "SendGrid",
    example: "550 You are temporarily blocked from sending emails due to repeated bad requests.",
    words: ["temporarily blocked from sending emails"],
    means: "sender refused",
    todo: "SendGrid ends this block after some minutes",
    source: SENDGRID_ERRORS,
  },
  {
    from: "Mailgun",
    example:
      "421 Domain sandbox1.mailgun.org is not allowed to send: Sandbox subdomains are for test purposes only.",
    words: ["domain", "is not allowed to send"],
    means: "sender refused",
    todo: "add and verify a domain of your own at Mailgun, or have the domain enabled",
    source: "replies of Mailgun in public issue threads",
  },
  {
    from: "Mailgun",
    example: "421 The domain is unverified and requires DNS configuration.",
    words: ["domain is unverified and requires dns configuration"],
    means: "sender refused",
    todo: "publish the DNS records that Mailgun lists for the domain",
    source: "replies of Mailgun in public issue threads",
  },
  {
    from: "Postmark",
    example: "550 Sender Signature not found",
    words: ["sender signature not found"],
    means: "sender refused",
    todo: "confirm the From address or verify its domain at Postmark (Sender Signatures)",
    source: "Postmark API error codes, 400; what its SMTP server says was not found",
  },
  {
    from: "Postmark",
    example: "550 Sender signature not confirmed",
    words: ["sender signature not confirmed"],
    means: "sender refused",
    todo: "confirm the From address or verify its domain at Postmark (Sender Signatures)",
    source: "Postmark API error codes, 401; what its SMTP server says was not found",
  },
  {
    from: "Brevo",
    example: "502 5.7.0 Your SMTP account is not yet activated. Please contact us to request activation",
    words: ["your smtp account is not yet activated"],
    means: "sender refused",
    todo: "ask Brevo to activate sending by SMTP for the account",
    source: "a conversation with smtp-relay.sendinblue.com in a public issue thread",
  },
  {
    from: "SparkPost",
    example: "550 5.7.1 Unconfigured Sending Domain <demo.example.com>",
    words: ["unconfigured sending domain"],
    means: "sender refused",
    todo: "add and verify the domain of the sender at SparkPost",
    source: "SparkPost support, Error messages when using SMTP",
  },
  {
    from: "Resend, and others",
    example: "550 The example.org domain is not verified. Please, add and verify your domain",
    words: ["domain is not verified"],
    means: "sender refused",
    todo: "add and verify the domain of the sender at the provider of the relay",
    source: "replies of Resend in public issue threads",
  },
  {
    from: "SMTP2GO",
    example: "550 From header sender domain not verified (example.org)",
    words: ["sender domain not verified"],
    means: "sender refused",
    todo: "verify the domain of the sender at SMTP2GO (Sending, Verified Senders)",
    source: "a reply of SMTP2GO in a public issue thread",
  },
  {
    from: "Microsoft 365",
    example: "550 5.7.60 SMTP; Client does not have permissions to send as this sender",
    words: ["does not have permissions to send as this sender"],
    means: "sender refused",
    todo: "allow the user of the relay to send as the From address, or change that address",
    source: "Microsoft Learn, NDR error codes in Exchange Online",
  },
  {
    from: "Microsoft 365",
    example: "554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied",
    words: ["sendasdenied"],
    means: "sender refused",
    todo: "allow the user of the relay to send as the From address, or change that address",
    source: "replies of Exchange Online in public issue threads",
  },
  {
    from: "Microsoft 365",
    example: "554 5.2.0 STOREDRV.Submission.Exception:OutboundSpamException",
    words: ["outboundspamexception"],
    means: "sender refused",
    todo: "the account is blocked for outgoing spam: have it unblocked at Microsoft 365 (Restricted entities)",
    source: "replies of Exchange Online in public issue threads",
  },
  {
    from: "Zoho",
    example: "550 5.4.6 Unusual sending activity detected. Please try after sometime",
    words: ["unusual sending activity detected"],
    means: "sender refused",
    todo: "have the account unblocked at Zoho",
    source: "replies of Zoho Mail in public issue threads",
  },
  {
    from: "Postal",
    example: "530 From/Sender name is not valid",
    words: ["from/sender name is not valid"],
    means: "sender refused",
    todo: "add and verify the domain of the sender at the mail server of Postal",
    source: "postalserver/postal, app/lib/smtp_server/client.rb",
  },
  {
    from: "Oracle",
    example: "535 Authorization failed: Envelope From address not authorized",
    words: ["envelope from address not authorized"],
    means: "sender refused",
    todo: "add the From address to the approved senders of the account at Oracle",
    source: "replies of Oracle Email Delivery in public issue threads",
  },
  // Mailboxes that do not exist, in words that do not say so.
  {
    from: "Microsoft 365",
    example: "550 5.4.1 Recipient address rejected: Access denied. [AS(201806281)]",
    // Without this status, Postfix says so of a client that may not relay.
    words: ["5.4.1", "recipient address rejected: access denied"],
    kind: 5,
    means: "hard bounce",
    source: "Microsoft Learn, Use Directory-Based Edge Blocking",
  },
  {
    from: "Outlook.com, GMX and others",
    example: "550 5.5.0 Requested action not taken: mailbox unavailable",
    words: ["requested action not taken: mailbox unavailable"],
    // With more words it may be about the sender, the content or a quota.
    isWhole: true,
    kind: 5,
    means: "hard bounce",
    source: SISIMAI("rhost/microsoft.rb"),
  },
  {
    from: "Yahoo",
    example: "554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [0]",
    words: ["this user doesn't have a"],
    kind: 5,
    means: "hard bounce",
    source: SISIMAI("rhost/yahooinc.rb"),
  },
  {
    from: "Yahoo",
    example: "552 1 Requested mail action aborted, mailbox not found",
    words: ["requested mail action aborted, mailbox not found"],
    kind: 5,
    means: "hard bounce",
    source: SISIMAI("rhost/yahooinc.rb"),
  },
  {
    from: "Yahoo",
    example:
      "554 30 Sorry, your message to a@yahoo.com cannot be delivered. This mailbox is disabled (554.30).",
    words: ["this mailbox is disabled (554.30)"],
    kind: 5,
    means: "hard bounce",
    source: SISIMAI("rhost/yahooinc.rb"),
  },
  {
    from: "Apple",
    example: "550 5.1.1 <a@icloud.com>: inactive email address",
    words: ["inactive email address"],
    kind: 5,
    means: "hard bounce",
    source: SISIMAI("rhost/apple.rb"),
  },
  {
    from: "Orange",
    example: "552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417",
    words: ["ofr_417"],
    kind: 5,
    means: "failed",
    source: SISIMAI("rhost/franceptt.rb"),
  },
  {
    from: "Yandex",
    example: "550 5.7.1 No such user!",
    words: ["5.7.1 no such user!"],
    kind: 5,
    means: "hard bounce",
    source: "replies of Yandex Mail in public issue threads",
  },
];
