/** Senders of an account: who campaigns are from. No reply contains a password or a private key. */
import { Type } from "typebox";
import {
  type CheckedSender,
  checkSender,
  createSender,
  deleteSender,
  listSenders,
  newSenderKey,
  type ShownSender,
  setSender,
  showSender,
} from "#admin/senders/senders.ts";
import { checkedSubjects, type DnsRecord, findingStates, isFine } from "#domain/sending/finding.ts";
import { type ProviderName, providerNames } from "#domain/sending/providers.ts";
import { withoutPassword } from "#domain/sending/relay.ts";
import { type Sender, signings } from "#domain/sending/sender.ts";
import { idsOf, route } from "../kit/route.ts";
import { Id, Input, Named, Nullable, OneOf, pageOfRows, Time, textOrNull, time } from "../kit/schemas.ts";

const Relay = (description: string) =>
  Type.Object({
    url: Type.String({ description, examples: ["smtp://shop@mail.example.org:587"] }),
    weight: Type.Integer({
      description: "Its share of the messages, relative to the weights of the other relays.",
    }),
  });
const limit = (description: string) =>
  Nullable(Type.Integer({ description: `${description} null: no limit.` }));
const limits = {
  perSecond: limit("How many messages at most per second."),
  perDomainMinute: limit("How many messages at most per minute to one domain of recipients."),
  perDay: limit("How many messages at most per day, in UTC."),
};
const signingText = "Who adds the DKIM signature. `none`: nobody; then no campaign of this sender is sent.";
const members = {
  id: Id(),
  fromAddress: Type.String(),
  fromName: Nullable(Type.String()),
  replyTo: Nullable(Type.String({ description: "null: replies go to the From address." })),
  postalAddress: Type.String({ description: "May have several lines." }),
  bounceDomain: Nullable(Type.String({ description: "null: bounces go to the From address." })),
  signing: OneOf(signings, signingText),
  dkimDomain: Nullable(Type.String({ description: "null: Mailroll does not sign." })),
  dkimSelector: Nullable(Type.String({ description: "null: Mailroll does not sign." })),
  relays: Type.Array(Relay("The address of the SMTP server, without its password."), {
    description: "Empty: the relay of the installation.",
  }),
  ...limits,
  createdAt: Time(),
};
const SenderSchema = Named("Sender", members);
const toSender = ({ id, fromName, createdAt, ...rest }: Sender) => ({
  ...rest,
  id: String(id),
  fromName: textOrNull(fromName),
  relays: rest.relays.map(({ url, weight }) => ({ url, weight })),
  createdAt: time(createdAt),
});

const Record = Named("DnsRecord", {
  subject: OneOf(checkedSubjects, "What it is for."),
  type: Type.String({ description: "`TXT` or `MX`." }),
  name: Type.String(),
  value: Type.String(),
});
const toRecord = ({ subject, type, name, value }: DnsRecord) => ({ subject, type, name, value });
const SenderWithRecords = Named("SenderWithRecords", {
  ...members,
  dnsRecords: Type.Array(Record, {
    description:
      "The DNS records that the sender needs. Those for SPF and MX are suggestions: your provider knows the servers.",
  }),
});
const toShown = ({ sender, records }: ShownSender) => ({
  ...toSender(sender),
  dnsRecords: records.map(toRecord),
});

const Finding = Named("SenderFinding", {
  subject: OneOf(checkedSubjects, "What was checked."),
  state: OneOf(
    findingStates,
    "`note`: it works, and there is something to know about it. `missing`: there is no such record. `wrong`: there is one that does not work. `unknown`: there was no answer.",
  ),
  where: Type.String({ description: "The name of the DNS record, or the address of the relay." }),
  text: Type.String({ description: "What it means, and what to do." }),
  found: Type.Array(Type.String(), { description: "What is there." }),
  record: Nullable(Record),
});
const toChecked = ({ findings, checkedAt }: CheckedSender) => ({
  isOk: findings.every(isFine),
  checkedAt: time(checkedAt),
  findings: findings.map(({ record, found, ...rest }) => ({
    ...rest,
    found: [...found],
    record: record === null ? null : toRecord(record),
  })),
});

const given = {
  fromName: Type.Optional(Nullable(Type.String({ description: "null for none.", examples: ["Shop"] }))),
  replyTo: Type.Optional(
    Nullable(Type.String({ description: "Where replies go. null: to the From address." })),
  ),
  bounceDomain: Type.Optional(
    Nullable(
      Type.String({
        description: "The domain that bounces go to. null: they go to the From address.",
        examples: ["bounces.example.org"],
      }),
    ),
  ),
  signing: Type.Optional(
    OneOf(signings, `${signingText} With \`mailroll\`, a key is made if there is none.`),
  ),
  dkimDomain: Type.Optional(
    Nullable(Type.String({ description: "The domain of the signature. null: that of the From address." })),
  ),
  dkimSelector: Type.Optional(
    Type.String({ description: "The selector of the DKIM record.", examples: ["mailroll"] }),
  ),
  relays: Type.Optional(
    Type.Array(
      Input({
        url: Type.String({
          description:
            "The address of an SMTP server: `smtp://` (STARTTLS) or `smtps://`, user, password, host and port. An address with a user and without a password keeps the stored password.",
          examples: ["smtp://shop:password@mail.example.org:587"],
        }),
        weight: Type.Optional(
          Type.Integer({ description: "Its share of the messages. If it is not given: 1." }),
        ),
      }),
      { description: "All relays. Empty: the relay of the installation." },
    ),
  ),
  provider: Type.Optional(
    Input({
      name: OneOf(providerNames, "What the messages are sent with."),
      region: Type.Optional(Type.String({ description: "The region there.", examples: ["eu-west-1"] })),
      host: Type.Optional(Type.String({ description: "For `postal`, `hoster` and `own`: the mail server." })),
      userName: Type.Optional(Type.String({ description: "The SMTP user there." })),
      password: Type.Optional(Type.String({ description: "The SMTP password." })),
      stream: Type.Optional(
        Type.String({ description: "For `postmark`: the message stream. If it is not given: `broadcasts`." }),
      ),
    }),
  ),
  perSecond: Type.Optional(limits.perSecond),
  perDomainMinute: Type.Optional(limits.perDomainMinute),
  perDay: Type.Optional(limits.perDay),
};
const FromAddress = Type.String({ examples: ["news@example.org"] });
const PostalAddress = Type.String({
  description: "Your postal address, which each message shows. May have several lines.",
  examples: ["1 Main Street, London"],
});
interface GivenRelay {
  readonly url: string;
  readonly weight?: number | undefined;
}
/** Also in an address that cannot be read. */
const hasPassword = ({
  relays = [],
  provider,
}: {
  readonly relays?: readonly GivenRelay[];
  readonly provider?: { readonly password?: string };
}): boolean => provider?.password !== undefined || relays.some(({ url }) => withoutPassword(url) !== url);
interface GivenBody {
  readonly fromName?: string | null;
  readonly relays?: readonly GivenRelay[];
  readonly provider?: { readonly name: ProviderName; readonly userName?: string };
}
function readProvider({ provider }: GivenBody) {
  if (provider === undefined) return undefined;
  const { userName, ...others } = provider;
  return userName === undefined ? others : { ...others, user: userName };
}
const readBody = <Body extends GivenBody>({ fromName, relays, provider, ...rest }: Body) => ({
  ...rest,
  provider: readProvider({ provider } as GivenBody),
  fromName: fromName === undefined ? undefined : (fromName ?? ""),
  relays: relays?.map(({ url, weight = 1 }) => ({ url, weight })),
});

const path = "/accounts/{account}/senders/{sender}";
const shown = {
  reply: SenderWithRecords,
  answer: toShown,
  thing: "sender",
  versioned: ({ sender }: ShownSender): Sender => sender,
} as const;

export const senderRoutes = [
  route("GET /accounts/{account}/senders", {
    summary: "List the senders of an account",
    action: listSenders,
    ...pageOfRows(SenderSchema, toSender),
  }),
  route("POST /accounts/{account}/senders", {
    summary: "Create a sender",
    description:
      "Makes a DKIM key, unless the relay signs. The reply has the DNS records to add. The private key and the passwords of relays are never returned.",
    action: createSender,
    body: Input({ fromAddress: FromAddress, postalAddress: PostalAddress, ...given }),
    args: ({ params, body }) => ({ ...params, ...readBody(body) }),
    takesPassword: hasPassword,
    status: 201,
    ...shown,
  }),
  route(`GET ${path}`, {
    summary: "Show a sender and the DNS records that it needs",
    action: showSender,
    ...shown,
  }),
  route(`PATCH ${path}`, {
    summary: "Change a sender",
    description: "What is not given stays, stored passwords and the DKIM key included.",
    action: setSender,
    body: Input({
      fromAddress: Type.Optional(FromAddress),
      postalAddress: Type.Optional(PostalAddress),
      ...given,
    }),
    args: ({ params, body }) => ({ ...idsOf(params), ...readBody(body) }),
    takesPassword: hasPassword,
    ...shown,
  }),
  route(`POST ${path}/check`, {
    summary: "Check the DNS records of a sender and the connection to its relays",
    description:
      "Asks the DNS and logs in to the relays, which may take some seconds. Nothing is sent, and nothing is changed.",
    action: checkSender,
    reply: Type.Object({
      isOk: Type.Boolean({ description: "Whether every finding is `ok` or a `note`." }),
      checkedAt: Time(),
      findings: Type.Array(Finding),
    }),
    answer: toChecked,
  }),
  route(`POST ${path}/new-key`, {
    summary: "Replace the DKIM key of a sender",
    description:
      "Campaigns that are being sent use the new key within five minutes, test messages at once. So pause campaigns first, and resume them when the check of the sender finds the new record. Keep the old record for a week, for messages that are under way.",
    action: newSenderKey,
    body: Input({
      dkimSelector: Type.Optional(
        Type.String({
          description: "Another one than that of the old key. If it is not given, the next number is used.",
        }),
      ),
    }),
    ...shown,
  }),
  route(`DELETE ${path}`, {
    summary: "Delete a sender",
    description: "Its secrets are deleted with it. Refused while a campaign that has not ended uses it.",
    action: deleteSender,
    reply: SenderSchema,
    answer: toSender,
    thing: "sender",
  }),
];
