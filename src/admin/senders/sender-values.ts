/**
 * From inputs to the values of a sender: checks each value, keeps stored passwords, and makes the DKIM key if
 * there is none yet.
 */
import type { SenderValues } from "#domain/ports/sending/senders.ts";
import { domainOf } from "#domain/sending/domains.ts";
import {
  type ProviderAnswers,
  type ProviderName,
  providerOf,
  relayOfProvider,
  usualSigning,
} from "#domain/sending/providers.ts";
import {
  type RelayRights as AddressRights,
  checkRelayUrl,
  type Relay,
  withoutPassword,
  withStoredPassword,
} from "#domain/sending/relay.ts";
import type { Sender, SenderLimits, SenderSecrets, Signing } from "#domain/sending/sender.ts";
import { newDkimKey } from "#domain/sending/sender.ts";
import * as rules from "#domain/sending/sender-rules.ts";
import type { Admin } from "../kit/action.ts";
import { InvalidInput } from "../kit/errors.ts";

/** Undefined keeps a value, or takes the usual one if the sender is new. */
export interface GivenSender extends Partial<SenderLimits> {
  readonly fromAddress?: string | undefined;
  readonly fromName?: string | undefined;
  /** null: replies go to the From address. */
  readonly replyTo?: string | null | undefined;
  readonly postalAddress?: string | undefined;
  /** null: bounces go to the From address. */
  readonly bounceDomain?: string | null | undefined;
  readonly signing?: Signing | undefined;
  /** null: the domain of the From address. */
  readonly dkimDomain?: string | null | undefined;
  readonly dkimSelector?: string | undefined;
  /** An address with a user and without a password keeps the stored password. */
  readonly relays?: readonly Relay[] | undefined;
  /** In place of relays: the one of a provider. */
  readonly provider?: ({ readonly name: ProviderName } & ProviderAnswers) | undefined;
}
export type StoredSender = Sender & SenderSecrets;

function take<Value>(input: string, checked: rules.Checked<Value>): Value {
  if ("problem" in checked) throw new InvalidInput(input, checked.problem);
  return checked.value;
}
/** What is given and not null is checked. */
function takeOrNull<Value>(
  input: string,
  given: Value | null | undefined,
  stored: Value | null,
  check: (given: Value) => rules.Checked<Value>,
): Value | null {
  if (given === undefined) return stored;
  return given === null ? null : take(input, check(given));
}

/** In the form in which it is put into messages: the domain in ASCII. */
function addressOf(input: string, given: string): string {
  const { text, domain } = take(input, rules.checkAddress(given));
  return `${text.slice(0, text.lastIndexOf("@"))}@${domain}`;
}

export type RelayRights = Pick<Admin, "actor" | "mail">;

function relaysOf(
  { actor, mail }: RelayRights,
  given: readonly Relay[],
  stored: readonly Relay[],
): readonly Relay[] {
  const complete = given.map(({ url, weight }) => ({ url: withStoredPassword(url.trim(), stored), weight }));
  const relays = take("relays", rules.checkRelays(complete));
  const rights = {
    isAdministrator: actor.roleIn(null) === "administrator",
    installationRelay: mail?.defaultRelay ?? "",
  };
  return relays.map((relay) => {
    const known = stored.find(({ url }) => withoutPassword(url) === withoutPassword(relay.url));
    // The user who stored a relay was allowed to use it.
    const problem = known ? null : checkRelayUrl(relay.url, rights);
    if (problem !== null) throw new InvalidInput("relays", problem);
    return mayBeInside(relay.url, known, rights) ? { ...relay, allowsInner: true } : relay;
  });
}

/**
 * A relay that an administrator adds may be inside the network, and only the DNS knows whether a name is. One
 * that is given again stays what it was: its name may be an owner's choice.
 */
function mayBeInside(url: string, known: Relay | undefined, rights: AddressRights): boolean {
  if (known?.allowsInner === true) return true;
  if (!rights.isAdministrator) return false;
  return known === undefined || checkRelayUrl(url, { ...rights, isAdministrator: false }) !== null;
}

/** undefined: they stay. */
function wantedRelays({ relays, provider }: GivenSender): readonly Relay[] | undefined {
  if (provider === undefined) return relays;
  if (relays !== undefined && relays.length > 0)
    throw new InvalidInput("provider", "must not be given with relays: it stands for one");
  const { name, ...answers } = provider;
  const made = relayOfProvider(name, answers);
  if ("problem" in made) throw new InvalidInput("provider", `is incomplete: ${made.input} ${made.problem}`);
  return [{ url: made.url, weight: 1 }];
}

type Dkim = Pick<SenderValues, "signing" | "dkimDomain" | "dkimSelector" | "dkimKey">;
const noDkim = { dkimDomain: null, dkimSelector: null, dkimKey: null };

async function dkimOf(
  given: GivenSender,
  before: StoredSender | null,
  fromAddress: string,
  relays: readonly string[],
): Promise<Dkim> {
  const ofProvider = given.provider && providerOf(given.provider.name).signs;
  const signing = given.signing ?? ofProvider ?? before?.signing ?? usualSigning(relays);
  if (signing !== "mailroll") {
    for (const input of ["dkimDomain", "dkimSelector"] as const)
      if (given[input] != null)
        throw new InvalidInput(input, "must not be given, because Mailroll does not sign for this sender");
    return { signing, ...noDkim };
  }
  const from = domainOf(fromAddress);
  // A domain that was that of the From address stays so.
  const followed = before === null || before.dkimDomain === domainOf(before.fromAddress);
  const kept = followed ? from : (before.dkimDomain ?? from);
  const wanted = given.dkimDomain === undefined ? kept : (given.dkimDomain ?? from);
  const dkimDomain = take("dkimDomain", rules.checkDkimDomain(wanted, fromAddress));
  const selector = given.dkimSelector ?? before?.dkimSelector ?? rules.DEFAULT_SELECTOR;
  const dkimSelector = take("dkimSelector", rules.checkSelector(selector, dkimDomain));
  return { signing, dkimDomain, dkimSelector, dkimKey: before?.dkimKey ?? (await newDkimKey()) };
}

/** `before`: null for a new sender. Throws InvalidInput. */
export async function senderValues(
  admin: RelayRights,
  given: GivenSender,
  before: StoredSender | null,
): Promise<SenderValues> {
  const fromAddress =
    given.fromAddress === undefined && before !== null
      ? before.fromAddress
      : addressOf("fromAddress", given.fromAddress ?? "");
  const wanted = wantedRelays(given);
  const limit = (input: keyof SenderLimits): number | null =>
    takeOrNull(input, given[input], before?.[input] ?? null, rules.checkLimit);
  const values = {
    fromAddress,
    fromName: take("fromName", rules.checkFromName(given.fromName ?? before?.fromName ?? "")),
    replyTo: takeOrNull("replyTo", given.replyTo, before?.replyTo ?? null, (text) => ({
      value: addressOf("replyTo", text),
    })),
    postalAddress: take(
      "postalAddress",
      rules.checkPostalAddress(given.postalAddress ?? before?.postalAddress ?? ""),
    ),
    bounceDomain: takeOrNull(
      "bounceDomain",
      given.bounceDomain,
      before?.bounceDomain ?? null,
      rules.checkBounceDomain,
    ),
    relays: wanted === undefined ? (before?.relays ?? []) : relaysOf(admin, wanted, before?.relays ?? []),
    perSecond: limit("perSecond"),
    perDomainMinute: limit("perDomainMinute"),
    perDay: limit("perDay"),
  };
  // Last: a key takes time to make, and is not needed if something is wrong.
  const relays =
    values.relays.length > 0 ? values.relays.map(({ url }) => url) : [admin.mail?.defaultRelay ?? ""];
  return { ...values, ...(await dkimOf(given, before, fromAddress, relays)) };
}
