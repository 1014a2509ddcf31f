/** Checks whether a campaign is ready to be sent, and refuses a start with all problems at once. */
import {
  type MessageProblem,
  type RenderedMessage,
  RendererBusy,
  type TemplateFault,
  TemplateProblem,
} from "#delivery/previews/renderer.ts";
import { domainOf } from "#domain/sending/domains.ts";
import type { CampaignContent, ComposedCampaign } from "#domain/sending/mailing.ts";
import { tooManyComplaints } from "#domain/sending/provider-event.ts";
import { DEMO_SENDS_NOTHING, type InstallationRelay, usedRelays } from "#domain/sending/relay.ts";
import type { Sender, SenderId } from "#domain/sending/sender.ts";
import { signingOf } from "#domain/sending/sender-rules.ts";
import { type Admin, query } from "../kit/action.ts";
import { NotPossible, NotReady } from "../kit/errors.ts";
import { requireMail } from "../kit/mail-tools.ts";
import { goneConditions } from "../subscribers/conditions.ts";
import { type AudienceSize, audienceSize, LONGEST_COUNT_MS } from "./audience.ts";
import type { OfCampaign } from "./campaigns.ts";
import { findComposed, missingLists } from "./compose.ts";
import { messageSource, personFor } from "./preview.ts";

// The checks before a campaign is sent: what of it is not ready, and what to do about that. Without I/O,
// except where a check is given what was found.

/** In the order in which they are shown. */
export const checkNames = [
  "base address",
  "sender",
  "postal address",
  "from alignment",
  "signature",
  "relay",
  "lists",
  "filter",
  "recipients",
  "reputation",
  "subject",
  "content",
  "unsubscribe link",
  "size",
  "line length",
] as const;
export type CheckName = (typeof checkNames)[number];

/** A warning does not prevent a start. */
export interface Check {
  readonly name: CheckName;
  readonly status: "passed" | "warning" | "failed";
  /** What was found. */
  readonly text: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}
const passed = (name: CheckName, text: string): Check => ({ name, status: "passed", text, advice: null });
const warning = (name: CheckName, text: string, advice: string): Check => ({
  ...{ name, status: "warning", text, advice },
});
const failed = (name: CheckName, text: string, advice: string): Check => ({
  ...{ name, status: "failed", text, advice },
});

function checkBaseAddress(baseUrl: string | null, allowsHttp: boolean): Check {
  const name = "base address";
  if (baseUrl === null && allowsHttp)
    return warning(
      name,
      "the public address of the service is not set; links lead to this machine only",
      "only for trying out: set MAILROLL_BASE_URL before anybody else gets a message",
    );
  if (baseUrl === null)
    return failed(
      name,
      "the public address of the service is not set, so links in messages would lead nowhere",
      "set MAILROLL_BASE_URL, such as https://mail.example.org, and restart the service",
    );
  if (baseUrl.toLowerCase().startsWith("https://")) return passed(name, `links lead to ${baseUrl}`);
  if (allowsHttp)
    return warning(
      name,
      `links lead to ${baseUrl}, without encryption`,
      "only for trying out: mail programs offer one-click unsubscribing with https only",
    );
  return failed(
    name,
    `${baseUrl} is not https, which one-click unsubscribing requires`,
    "set MAILROLL_BASE_URL to an https address; for trying out, allow links without encryption",
  );
}

/** The checks of the sender; the first alone if there is none. */
function checkSender(
  content: CampaignContent,
  sender: (Sender & { readonly dkimKey: string | null }) | null,
  installation: InstallationRelay,
): readonly Check[] {
  if (content.sender === null) return [failed("sender", "the campaign has no sender", "choose one")];
  if (sender === null)
    return [failed("sender", `sender ${content.sender} does not exist any more`, "choose another one")];
  const { id, fromAddress, fromName, postalAddress } = sender;
  return [
    passed("sender", fromName === "" ? fromAddress : `${fromName} <${fromAddress}>`),
    postalAddress.trim() === ""
      ? failed(
          "postal address",
          `sender ${id} has no postal address, which the law requires in campaigns`,
          "add the postal address to the sender",
        )
      : passed("postal address", postalAddress.replaceAll(/\s+/g, " ")),
    ...checkSigning(sender),
    checkRelay(sender, installation),
  ];
}

function checkSigning(sender: Sender & { readonly dkimKey: string | null }): readonly Check[] {
  const { id, fromAddress } = sender;
  const from = domainOf(fromAddress);
  const signing = signingOf(sender);
  if (signing.kind === "nobody signs")
    return [
      failed(
        "signature",
        `nobody signs the messages of sender ${id}, and many mail servers refuse unsigned messages`,
        "let Mailroll sign them, or declare that the relay does, in the settings of the sender",
      ),
    ];
  if (signing.kind === "relay signs")
    return [
      passed("from alignment", `the relay signs; it must do so for ${from}`),
      passed("signature", "the relay signs, as the sender declares"),
    ];
  if (signing.kind === "incomplete key")
    return [
      failed(
        "signature",
        `sender ${id} has no complete DKIM key: domain, selector and private key`,
        "complete it in the settings of the sender, or replace the key",
      ),
    ];
  const { kind, domain, selector } = signing;
  return [
    kind === "signed"
      ? passed(
          "from alignment",
          `the From address ${fromAddress} is aligned with the signing domain ${domain}`,
        )
      : failed(
          "from alignment",
          `the From address ${fromAddress} is not aligned with the signing domain ${domain}, so DMARC fails`,
          `use an address of ${domain} as From, or sign for ${from}`,
        ),
    passed("signature", `Mailroll signs as ${selector} of ${domain}`),
  ];
}

function checkRelay({ relays }: Sender, installation: InstallationRelay): Check {
  if (installation.isDemo)
    return warning("relay", DEMO_SENDS_NOTHING, "for real mail, start with another database");
  const used = usedRelays(relays, installation);
  const folder = used.find(({ url }) => url.startsWith("file:"))?.url;
  return folder === undefined
    ? passed("relay", relays.length === 0 ? "the relay of the installation" : `${used.length} of its own`)
    : warning(
        "relay",
        `messages are written to files in ${folder.slice("file:".length)}, and not sent`,
        "for real mail, set MAILROLL_SMTP or the relay of the sender to an SMTP server",
      );
}

function checkLists({ lists }: CampaignContent, missing: readonly number[]): Check {
  if (lists.length === 0) return failed("lists", "the campaign goes to no list", "choose at least one");
  if (missing.length > 0)
    return failed("lists", `these lists do not exist any more: ${missing.join(", ")}`, "choose others");
  return passed("lists", `${lists.length === 1 ? "1 list" : `${lists.length} lists`}`);
}

/** None if there is no filter. */
const checkFilter = ({ filter }: CampaignContent, gone: number): readonly Check[] => {
  if (filter.length === 0) return [];
  const text = filter.length === 1 ? "1 condition" : `${filter.length} conditions, all of which must hold`;
  return [
    gone === 0
      ? passed("filter", text)
      : failed(
          "filter",
          `${gone} of ${filter.length} conditions are about fields or campaigns that do not exist any more, so nobody would get it`,
          "remove them from the filter",
        ),
  ];
};

const audienceText = ({ count, precision }: AudienceSize): string =>
  `${precision === "exact" ? "" : `${precision} `}${count === 1 ? "1 person gets" : `${count.toLocaleString("en")} people get`} it`;

const checkRecipients = (size: AudienceSize, hasFilter: boolean): Check =>
  size.count > 0
    ? passed("recipients", audienceText(size))
    : size.precision !== "exact"
      ? warning("recipients", "counting takes long, and nobody was found yet", "wait for the number")
      : failed(
          "recipients",
          `nobody would get it: the lists are empty, or all are suppressed${hasFilter ? ", on an excluded list or do not match the filter" : " or on an excluded list"}`,
          hasFilter ? "choose other lists, or another filter" : "choose other lists",
        );

const LARGE_BYTES = 100 * 1024;

const isList = (made: RenderedMessage | readonly TemplateFault[]): made is readonly TemplateFault[] =>
  Array.isArray(made);

/** Of a message, or of what is wrong with the templates. */
function checkMessage(made: RenderedMessage | readonly TemplateFault[]): readonly Check[] {
  if (isList(made))
    return made.map(({ about, text }) => failed(about, text, "correct it, then look at a preview"));
  const { htmlSize, problems, subject } = made;
  return [
    passed("subject", subject),
    passed("content", "it can be rendered"),
    passed("unsubscribe link", "every message has one"),
    htmlSize > LARGE_BYTES
      ? warning(
          "size",
          `the HTML has ${Math.ceil(htmlSize / 1024)} KB; Gmail clips it at 102 KB and hides what follows`,
          "make it shorter",
        )
      : passed("size", `${Math.ceil(htmlSize / 1024)} KB of HTML`),
    checkLines(problems),
  ];
}

function checkLines(problems: readonly MessageProblem[]): Check {
  const long = problems.find((one) => one.kind === "long line");
  return long === undefined
    ? passed("line length", "no line is too long")
    : warning(
        "line length",
        `a line has ${long.characters} characters; servers that encode a message again may break lines of more than 998`,
        "divide it into several lines",
      );
}

interface AllowsHttp {
  /** Whether unsubscribe links may be http, for trying out. */
  readonly allowsHttp: boolean;
}

/** What is ready and what is not, and how many people would get it. */
export interface Checked {
  readonly checks: readonly Check[];
  readonly size: AudienceSize;
}
/** `countMs`: how long people may be counted for that. */
export const checkCampaign = query(
  "campaign.check",
  "editor",
  async (
    admin,
    { countMs = LONGEST_COUNT_MS, ...one }: OfCampaign & AllowsHttp & { readonly countMs?: number },
  ): Promise<Checked> => checksOf(admin, one, await findComposed(admin, one), { ms: countMs }),
);

async function checksOf(
  admin: Admin,
  one: OfCampaign & AllowsHttp,
  found: ComposedCampaign,
  counting: { readonly ms: number; readonly untilFound?: boolean },
): Promise<Checked> {
  const { store } = admin;
  const { account } = one;
  const mail = requireMail(admin);
  const { content } = found;
  const { senders } = store;
  const sender = content.sender === null ? null : await senders.toSendWith({ account, id: content.sender });
  const missing = await missingLists(admin, one, content);
  const gone = await goneConditions(admin, account, content.filter);
  const size = await audienceSize(admin, account, content, counting);
  const checks = [
    checkBaseAddress(mail.baseUrl, one.allowsHttp || mail.isDemo),
    ...checkSender(content, sender, mail),
    checkLists(content, missing),
    ...checkFilter(content, gone.length),
    ...(content.lists.length > missing.length && gone.length === 0
      ? [checkRecipients(size, content.filter.length > 0)]
      : []),
    ...(sender === null ? [] : await checkReputation(admin, one, sender.id)),
    ...checkMessage(await messageOf(admin, one, found)),
  ];
  return { checks, size };
}

/** A campaign that has ended cannot be paused any more when people complain: the next one must know. */
async function checkReputation(
  { store }: Admin,
  { account, campaign }: OfCampaign,
  id: SenderId,
): Promise<readonly Check[]> {
  const before = await store.webhooks.complaintsBefore({ account, id, campaign });
  if (before === null || !tooManyComplaints(before.complaints, before.sent)) return [];
  return [
    warning(
      "reputation",
      `${before.complaints} of ${before.sent} people complained about campaign ${before.campaign}, the last one of this sender`,
      "find out why before you send again: providers may close the accounts of senders with so many complaints",
    ),
  ];
}

/** That of a sample person, or what is wrong with the templates. */
async function messageOf(admin: Admin, one: OfCampaign, found: ComposedCampaign) {
  const source = await messageSource(admin, one, found);
  const person = await personFor(admin, one, null);
  try {
    return await requireMail(admin).renderer.message(source, person, "preview");
  } catch (error) {
    if (error instanceof TemplateProblem) return error.faults;
    if (error instanceof RendererBusy) throw new NotPossible(error.message);
    throw error;
  }
}

/** Returns the warnings. Throws NotReady with every check that failed. */
export async function requireReady(
  admin: Admin,
  one: OfCampaign & AllowsHttp,
  found: ComposedCampaign,
): Promise<readonly Check[]> {
  const { checks } = await checksOf(admin, one, found, { ms: 0, untilFound: true });
  const failures = checks.filter(({ status }) => status === "failed");
  if (failures.length > 0)
    throw new NotReady(
      `campaign ${one.campaign} is not ready to be sent`,
      failures.map(({ text, advice }) => (advice === null ? text : `${text}: ${advice}`)),
    );
  return checks.filter(({ status }) => status === "warning");
}
