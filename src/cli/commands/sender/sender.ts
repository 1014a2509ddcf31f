/** `mailroll sender …` */
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
import type { DnsRecord, Finding, FindingState } from "#domain/sending/finding.ts";
import { type ProviderName, providerOf } from "#domain/sending/providers.ts";
import { relayText, withoutPassword } from "#domain/sending/relay.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { DEFAULT_SELECTOR } from "#domain/sending/sender-rules.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { everyPage } from "../../kit/every-page.ts";
import { parseId, withDefaults } from "../../kit/parse-call.ts";
import { formatNumber, oneLine } from "../../kit/terminal/text.ts";
import { givenProvider, givenRelays, givenValues, inputs, valueOptions } from "./sender-options.ts";

/** A sender as text: its values, the DNS records that it needs, and what a check found. */
const mailbox = ({ fromName, fromAddress }: Sender): string =>
  fromName === "" ? fromAddress : `${fromName} <${fromAddress}>`;

const signedBy = ({ signing, dkimDomain, dkimSelector }: Sender): string => {
  if (signing === "relay") return "the relay";
  return signing === "none"
    ? "nobody; campaigns are not sent"
    : `Mailroll, as ${dkimDomain} with the selector ${dkimSelector}`;
};

function limitsText({ perSecond, perDomainMinute, perDay }: Sender): string {
  const parts = [
    perSecond === null ? null : `${formatNumber(perSecond)} per second`,
    perDomainMinute === null ? null : `${formatNumber(perDomainMinute)} per minute and domain`,
    perDay === null ? null : `${formatNumber(perDay)} per day`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "none" : parts.join(", ");
}

const recordText = ({ type, name, value }: DnsRecord): string => `  ${type}  ${name}\n       ${value}`;

function senderText({ sender, records }: ShownSender): string {
  const { id, replyTo, postalAddress, bounceDomain, relays } = sender;
  return [
    `Sender ${id}: ${mailbox(sender)}`,
    `Replies:        ${replyTo ?? "to the From address"}`,
    `Postal address: ${postalAddress.replaceAll("\n", ", ")}`,
    `Relays:         ${relays.length === 0 ? "the relay of the installation" : relays.map(relayText).join(", ")}`,
    `Bounces:        ${bounceDomain === null ? "to the From address" : `to ${bounceDomain}`}`,
    `Signed by:      ${signedBy(sender)}`,
    `Limits:         ${limitsText(sender)}`,
    "",
    "DNS records that it needs:",
    ...(records.some(({ subject }) => subject === "spf" || subject === "dkim")
      ? []
      : ["  those that the provider of the relay lists, and:"]),
    ...records.map(recordText),
    "",
    `Check them with: ${PROGRAM} sender check ${id}`,
  ].join("\n");
}

function stepsText(name: ProviderName | undefined): string {
  if (name === undefined) return "";
  const { label, steps } = providerOf(name);
  return ["\n", `At ${label}:`, ...steps.map((step, at) => `  ${at + 1}. ${step}`)].join("\n");
}

const words: Readonly<Record<FindingState, string>> = {
  ok: "ok",
  note: "note",
  missing: "MISSING",
  wrong: "WRONG",
  unknown: "UNKNOWN",
};

function findingText({ subject, state, text, found, record }: Finding): string {
  const title = `${words[state].padEnd(8)}${subject.toUpperCase()}`;
  return [
    // What is in the DNS, or what a relay says, must not look like a finding.
    `${title}: ${oneLine(text)}`,
    ...(state === "ok" ? [] : found.map((one) => `  found: ${oneLine(one)}`)),
    ...(record === null ? [] : [recordText(record)]),
  ].join("\n");
}

export const checkText = ({ sender, findings }: CheckedSender): string =>
  [`Sender ${sender.id}: ${mailbox(sender)}`, ...findings.map(findingText)].join("\n");

const settings = ["database", "smtp"] as const;

const one = async ({ args, account }: Context) => {
  const id = parseId(args[0], "ID");
  return { account: (await account()).id, id };
};

async function create(context: Context): Promise<void> {
  const { performInAccount, out } = context;
  const values = givenValues(context);
  const relays = await givenRelays(context, []);
  const made = await performInAccount(createSender, { ...values, relays });
  out.result(
    { ...made.sender, dnsRecords: made.records },
    () => `${senderText(made)}${stepsText(givenProvider(context))}`,
  );
}

async function set(context: Context): Promise<void> {
  const { perform, out, option, options } = context;
  const names = ["from", "postal-address", ...Object.keys(valueOptions)];
  if (names.every((name) => option(name) === undefined && options(name).length === 0))
    throw new UsageError(
      `nothing to set: give at least one of ${names.map((name) => `--${name}`).join(", ")}`,
    );
  const values = givenValues(context);
  const wanted = await one(context);
  const { sender } = await perform(showSender, wanted);
  const relays = await givenRelays(context, sender.relays);
  const changed = await perform(setSender, { ...wanted, ...values, relays });
  out.result(
    { ...changed.sender, dnsRecords: changed.records },
    () => `${senderText(changed)}${stepsText(givenProvider(context))}`,
  );
}

async function check(context: Context): Promise<void> {
  const { perform, out } = context;
  const wanted = await one(context);
  out.progress("asking the DNS and the relays …");
  const checked = await perform(checkSender, wanted).finally(() => out.progress(null));
  const { findings, checkedAt } = checked;
  out.result({ id: wanted.id, checkedAt, findings }, () => checkText(checked));
  const count = (states: readonly string[]): number =>
    findings.filter(({ state }) => states.includes(state)).length;
  const [toChange, unknown] = [count(["missing", "wrong"]), count(["unknown"])];
  if (toChange > 0)
    throw new Failure(
      `${toChange} of ${findings.length} checks failed; add or correct what is printed, and check again later, because DNS changes take time`,
      "ProblemsFound",
    );
  if (unknown > 0)
    throw new Failure(
      `${unknown} of ${findings.length} checks got no answer; nothing is known about them, so check again later`,
      "ProblemsFound",
    );
}

async function remove(context: Context): Promise<void> {
  const { perform, out } = context;
  const wanted = await one(context);
  const { sender } = await perform(showSender, wanted);
  await requireConfirmation(context, {
    verb: "Delete",
    done: "deleted",
    what: `sender ${sender.id} (${mailbox(sender)})`,
    consequence: "Its DKIM key and the passwords of its relays are deleted with it.",
  });
  const deleted = await perform(deleteSender, wanted);
  out.result(deleted, () => `Deleted sender ${deleted.id} (${mailbox(deleted)}).`);
}

export const senderCommands: readonly Command[] = [
  {
    name: "sender create",
    options: {
      from: {
        value: "FROM",
        required: true,
        doc: "Who the messages are from: 'Shop <news@example.org>', or an address alone.",
      },
      "postal-address": {
        value: "TEXT",
        required: true,
        doc: "Your postal address; the law requires it in each message.",
      },
      ...withDefaults(valueOptions, {
        relay: "none",
        "signed-by": "as usual with the provider, otherwise mailroll",
        "dkim-domain": "that of the From address",
        "dkim-selector": DEFAULT_SELECTOR,
      }),
    },
    doc: "Creates a sender, with a DKIM key if Mailroll signs, and prints the DNS records to add.",
    details:
      "A sender says who a campaign is from, through which relays it goes, and how it is signed. The private key and the passwords of relays are never shown.",
    example:
      "sender create --from 'Shop <news@example.org>' --postal-address '1 Main Street, London' --bounce-domain bounces.example.org",
    settings,
    inputs,
    run: create,
  },
  {
    name: "sender set",
    args: ["ID"],
    options: {
      from: { value: "FROM", doc: "Who the messages are from: 'Shop <news@example.org>'." },
      "postal-address": { value: "TEXT", doc: "Your postal address." },
      ...valueOptions,
    },
    doc: "Changes a sender. Other values stay as they are.",
    details:
      "With --relay, give all relays; one that is given without its password keeps the stored one. With --relay-password-file alone, the relays get new passwords.",
    example: "sender set 1 --per-day 5000",
    settings,
    inputs,
    run: set,
  },
  {
    name: "sender list",
    doc: "Lists the senders.",
    example: "sender list",
    run: async ({ performInAccount, out }) => {
      const senders = await everyPage((page) => performInAccount(listSenders, page));
      out.table(senders, "There is no sender yet; create one with 'mailroll sender create'.", (sender) => ({
        id: sender.id,
        from: mailbox(sender),
        signedBy: sender.signing,
        relays: sender.relays.map(({ url }) => withoutPassword(url)).join(", "),
        perDay: sender.perDay,
        createdAt: sender.createdAt,
      }));
    },
  },
  {
    name: "sender show",
    args: ["ID"],
    doc: "Shows a sender and the DNS records that it needs, without its secrets.",
    example: "sender show 1",
    settings,
    run: async (context) => {
      const shown = await context.perform(showSender, await one(context));
      context.out.result({ ...shown.sender, dnsRecords: shown.records }, () => senderText(shown));
    },
  },
  {
    name: "sender check",
    args: ["ID"],
    doc: "Checks the DNS records of a sender (SPF, DKIM, DMARC, the MX of its bounce domain) and the connection to its relays; prints what to add.",
    details:
      "Nothing is sent. The exit code is 1 if something is missing or wrong, or if the DNS does not answer. A relay that is a folder is reported as a note, not as a failure.",
    example: "sender check 1",
    settings: [...settings, "dns"],
    run: check,
  },
  {
    name: "sender new-key",
    args: ["ID"],
    options: {
      "dkim-selector": { value: "NAME", doc: "The selector of the new key (default: the next number)." },
    },
    doc: "Replaces the DKIM key of a sender, and prints the DNS record to add.",
    details:
      "Campaigns that are being sent use the new key within five minutes, test messages at once. So pause campaigns first, and resume them when 'sender check' finds the record. Keep the old record for a week, for messages that are under way.",
    example: "sender new-key 1",
    settings,
    run: async (context) => {
      const wanted = { ...(await one(context)), dkimSelector: context.option("dkim-selector") };
      const changed = await context.perform(newSenderKey, wanted);
      context.out.result({ ...changed.sender, dnsRecords: changed.records }, () => senderText(changed));
    },
  },
  {
    name: "sender delete",
    args: ["ID"],
    options: yesOption,
    doc: "Deletes a sender with its secrets, after confirmation. Refused while an unfinished campaign uses it.",
    example: "sender delete 1 --yes",
    run: remove,
  },
];
