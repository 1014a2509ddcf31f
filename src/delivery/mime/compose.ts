/**
 * Composes the message of one person: headers, multipart/alternative, envelope and signature. What the
 * messages of a campaign share is made once, by `makeComposer`. It knows neither templates nor SMTP.
 */
import { createHmac, createPrivateKey, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { CampaignId } from "#domain/campaign.ts";
import { MESSAGE_TOKEN, relayHeaders, replacedHeaders } from "#domain/sending/providers.ts";
import type { Sender, SenderSecrets } from "#domain/sending/sender.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { ComposedMessage, OutgoingMessage, SendingIdentity } from "../messages.ts";
import { type DkimSigner, dkimSignature, dkimSignatureBy, type Sign } from "./dkim.ts";
import { asciiDomainAddress, header, mailboxWords, textWords } from "./header-text.ts";
import { PartEncoder } from "./transfer-encoding.ts";

// A token for each message names campaign and subscriber: in the envelope sender (VERP), so that a bounce
// tells them whatever it quotes, and in a header that the provider's events bring back. Lower case only,
// because some servers change the case; signed, so that it cannot be forged. To receive it is not its
// business.

/** What a token names. */
interface BounceToken {
  readonly campaign: CampaignId;
  readonly subscriber: SubscriberId;
}

/** A KeyObject is quicker. */
type Secret = Uint8Array | KeyObject;

const RADIX = 36;
const SIGNATURE_BYTES = 10;
const TOKEN = /^b-([1-9a-z][0-9a-z]{0,10})-([1-9a-z][0-9a-z]{0,10})-([0-9a-f]{20})$/;

const signatureOf = (secret: Secret, named: string): string =>
  createHmac("sha256", secret)
    .update(`bounce ${named}`)
    .digest("hex")
    .slice(0, SIGNATURE_BYTES * 2);

/** The part before the @, at most 45 characters: b-<campaign>-<subscriber>-<signature>. */
export function makeBounceToken(secret: Secret, { campaign, subscriber }: BounceToken): string {
  const named = `${campaign.toString(RADIX)}-${subscriber.toString(RADIX)}`;
  return `b-${named}-${signatureOf(secret, named)}`;
}

/** null: not one of ours. Takes the part before the @ or a whole address, in any case. */
export function readBounceToken(secret: Secret, address: string): BounceToken | null {
  const [local = ""] = address.split("@", 1);
  const [, campaign = "", subscriber = "", signature = ""] = TOKEN.exec(local.toLowerCase()) ?? [];
  if (signature === "") return null;
  const expected = signatureOf(secret, `${campaign}-${subscriber}`);
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null;
  return { campaign: Number.parseInt(campaign, RADIX), subscriber: Number.parseInt(subscriber, RADIX) };
}

/** What the messages of a campaign share. */
export interface Composer {
  readonly identity: SendingIdentity;
  readonly fromAddress: string;
  readonly fromDomain: string;
  readonly bounceDomain: string | null;
  readonly from: string;
  readonly replyTo: string | null;
  readonly listId: string;
  readonly feedbackId: string;
  readonly relayHeaders: readonly string[];
  readonly signer: DkimSigner | null;
  readonly secret: KeyObject;
  readonly textEncoder: PartEncoder;
  readonly htmlEncoder: PartEncoder;
}
/** Texts that nearly all messages contain, in this order. */
interface SharedTexts {
  readonly html: readonly string[];
  readonly text: readonly string[];
}

const ID_DIGITS = 20;
const ASCII_LINES = /^[\x20-\x7e\r\n]*$/;
const MIME_VERSION = "MIME-Version: 1.0\r\n";
const ONE_CLICK = "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
/** So that programs which answer by themselves, such as vacation responders, do not. */
const PRECEDENCE = "Precedence: bulk\r\n";
/** Neither quoted-printable nor base64 can contain it. */
const BOUNDARY = "=_mailroll";
const END_OF_PARTS = Buffer.from(`--${BOUNDARY}--\r\n`, "latin1");
const MULTIPART = `Content-Type: multipart/alternative; boundary="${BOUNDARY}"\r\n`;

/** The identity of a sender for one campaign. */
export const identityOf = (
  sender: Sender & Pick<SenderSecrets, "dkimKey">,
  of: Pick<SendingIdentity, "account" | "campaign" | "secret">,
): SendingIdentity => ({
  ...of,
  fromAddress: sender.fromAddress,
  fromName: sender.fromName,
  replyTo: sender.replyTo,
  bounceDomain: sender.bounceDomain,
  headers: relayHeaders(sender.relays.map(({ url }) => url)),
  dkim:
    sender.signing === "mailroll" &&
    sender.dkimKey !== null &&
    sender.dkimDomain !== null &&
    sender.dkimSelector !== null
      ? {
          ...{ domain: sender.dkimDomain, selector: sender.dkimSelector, privateKey: sender.dkimKey },
          leavesOut: replacedHeaders(sender.relays.map(({ url }) => url)),
        }
      : null,
});

function requiredAddress(address: string, what: string): string {
  const ascii = asciiDomainAddress(address);
  if (ascii === null)
    throw new Error(
      `The ${what} "${address}" is not an e-mail address. Change it to one like news@example.org.`,
    );
  return ascii;
}

/** Throws if an address of the sender is invalid or its key cannot be read. */
export function makeComposer(identity: SendingIdentity, shared?: SharedTexts): Composer {
  const fromAddress = requiredAddress(identity.fromAddress, "sender's address");
  const fromDomain = fromAddress.slice(fromAddress.lastIndexOf("@") + 1);
  const replyTo = identity.replyTo === null ? null : requiredAddress(identity.replyTo, "address for replies");
  const bounceDomain =
    identity.bounceDomain === null
      ? null
      : requiredAddress(`b@${identity.bounceDomain}`, "address for bounces").slice("b@".length);
  const { dkim } = identity;
  return {
    identity,
    fromAddress,
    fromDomain,
    bounceDomain,
    from: header("From", mailboxWords(identity.fromName, fromAddress)),
    replyTo: replyTo === null ? null : header("Reply-To", [`<${replyTo}>`]),
    secret: createSecretKey(identity.secret),
    textEncoder: new PartEncoder(shared?.text),
    htmlEncoder: new PartEncoder(shared?.html),
    listId: header("List-Id", mailboxWords(identity.fromName, `account-${identity.account}.${fromDomain}`)),
    feedbackId: header("Feedback-ID", [`c${identity.campaign}:a${identity.account}:campaign:mailroll`]),
    relayHeaders: identity.headers.map(([name, value]) => `${name}: ${value}\r\n`),
    signer:
      dkim === null
        ? null
        : {
            ...dkim,
            key: typeof dkim.privateKey === "string" ? createPrivateKey(dkim.privateKey) : dkim.privateKey,
          },
  };
}

/** Always the same for the same campaign, subscriber and installation, and not to be guessed. */
function messageIdOf(secret: Secret, campaign: CampaignId, subscriber: SubscriberId, domain: string): string {
  const named = `c${campaign}.s${subscriber}`;
  const random = createHmac("sha256", secret).update(`message ${named}`).digest("hex").slice(0, ID_DIGITS);
  return `<${named}.${random}@${domain}>`;
}

const partHeaders = (type: string, encoding: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;

/** The headers of the content, and the body in pieces. They are valid until the composer is used again. */
interface Content {
  readonly headers: readonly string[];
  readonly pieces: readonly Uint8Array[];
}
function contentOf(
  { textEncoder, htmlEncoder }: Composer,
  { text, html }: OutgoingMessage["rendered"],
): Content {
  const textPart = textEncoder.encode(text);
  if (html === null)
    return {
      headers: [
        "Content-Type: text/plain; charset=utf-8\r\n",
        `Content-Transfer-Encoding: ${textPart.encoding}\r\n`,
      ],
      pieces: [textPart.bytes],
    };
  const htmlPart = htmlEncoder.encode(html);
  const between = (type: string, encoding: string): Buffer =>
    Buffer.from(`--${BOUNDARY}\r\n${partHeaders(type, encoding)}\r\n`, "latin1");
  return {
    headers: [MULTIPART],
    pieces: [
      between("text/plain", textPart.encoding),
      textPart.bytes,
      between("text/html", htmlPart.encoding),
      htmlPart.bytes,
      END_OF_PARTS,
    ],
  };
}

/** A message without its signature. */
interface Unsigned extends Content {
  readonly messageId: string;
  readonly envelope: ComposedMessage["envelope"];
}
/** Throws if the recipient's address is not one. */
function composeUnsigned(composer: Composer, message: OutgoingMessage): Unsigned {
  const { secret } = composer;
  const { campaign } = composer.identity;
  const { subscriber } = message;
  const to = requiredAddress(message.address, "recipient's address");
  if (/[\s<>]|[^\x21-\x7e]/.test(message.unsubscribeUrl))
    throw new Error(`The unsubscribe link "${message.unsubscribeUrl}" is not a URL. Check the base address.`);
  const messageId =
    message.testId === undefined
      ? messageIdOf(secret, campaign, subscriber, composer.fromDomain)
      : `<test.${message.testId}@${composer.fromDomain}>`;
  const content = contentOf(composer, message.rendered);
  const token = makeBounceToken(secret, { campaign, subscriber });
  const headers = [
    composer.from,
    header("To", mailboxWords(message.name, to)),
    ...(composer.replyTo === null ? [] : [composer.replyTo]),
    header("Subject", textWords(message.rendered.subject)),
    `Date: ${new Date(message.date).toUTCString().replace("GMT", "+0000")}\r\n`,
    `Message-ID: ${messageId}\r\n`,
    `List-Unsubscribe: <${message.unsubscribeUrl}>\r\n`,
    ONE_CLICK,
    composer.listId,
    composer.feedbackId,
    ...composer.relayHeaders.map((one) =>
      // An event of a test message is of no campaign.
      one.replace(MESSAGE_TOKEN, message.testId === undefined ? token : "test"),
    ),
    PRECEDENCE,
    MIME_VERSION,
    ...content.headers,
  ];
  const from = composer.bounceDomain === null ? composer.fromAddress : `${token}@${composer.bounceDomain}`;
  return { headers, pieces: content.pieces, messageId, envelope: { from, to } };
}

function withSignature(
  { headers, pieces, messageId, envelope }: Unsigned,
  signature: string,
): ComposedMessage {
  const head = `${signature}${headers.join("")}\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), ...pieces]);
  const needsSmtpUtf8 = !ASCII_LINES.test(head) || !ASCII_LINES.test(envelope.to);
  return { bytes, envelope, needsSmtpUtf8, messageId, size: bytes.length };
}

/** Throws if the recipient's address is not one. */
export function composeMessage(composer: Composer, message: OutgoingMessage): ComposedMessage {
  const unsigned = composeUnsigned(composer, message);
  const { headers, pieces } = unsigned;
  const { signer } = composer;
  return withSignature(
    unsigned,
    signer === null ? "" : dkimSignature(signer, headers, Buffer.concat(pieces)),
  );
}

/** The same, but another thread makes the signature, if there is one. */
export function composeSignedBy(
  sign: Sign,
  composer: Composer,
  message: OutgoingMessage,
): ComposedMessage | Promise<ComposedMessage> {
  const { signer } = composer;
  if (signer === null) return composeMessage(composer, message);
  const unsigned = composeUnsigned(composer, message);
  const body = Buffer.concat(unsigned.pieces);
  return dkimSignatureBy(sign, signer, unsigned.headers, body).then((signature) =>
    withSignature({ ...unsigned, pieces: [body] }, signature),
  );
}
