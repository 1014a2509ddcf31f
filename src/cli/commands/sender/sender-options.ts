/**
 * The values of a sender from the options of a command. Messages never repeat a relay: it may have a
 * password.
 */
import { text as readText } from "node:stream/consumers";
import type { GivenSender } from "#admin/senders/sender-values.ts";
import { type ProviderName, providerNames, providerOf, relayOfProvider } from "#domain/sending/providers.ts";
import { lacksPassword, type Relay, withoutPassword, withPassword } from "#domain/sending/relay.ts";
import { type Signing, signings } from "#domain/sending/sender.ts";
import { bareAddress } from "#transfer/values/mailbox.ts";
import { type Context, Failure, type Option, UsageError } from "../../kit/command.ts";
import { openInput } from "../../kit/files.ts";
import { choiceOf } from "../../kit/parse-call.ts";

export const valueOptions = {
  "reply-to": {
    value: "EMAIL",
    doc: "Where replies go, if not to the From address; 'none': to the From address.",
  },
  relay: {
    value: "URL[=WEIGHT]",
    repeated: true,
    doc: "The SMTP server that gets the messages: smtp://USER:PASSWORD@HOST:587 (STARTTLS), or smtps://… Repeat the option to share the messages by weight; without one it is 1. 'none': the relay of the installation, MAILROLL_SMTP.",
  },
  provider: {
    value: "NAME",
    doc: `Instead of --relay, what the messages are sent with: ${providerNames.join(", ")}. The password is asked for; which other options are needed is in docs/guide/providers.md. What to do there is printed.`,
  },
  region: {
    value: "NAME",
    doc: "With --provider ses: such as eu-west-1. With mailgun or sparkpost: us, or eu; without it, us. With smtp2go: us, eu or au; without it, any.",
  },
  "smtp-user": { value: "USER", doc: "With --provider: the SMTP user there." },
  "smtp-host": { value: "HOST", doc: "With --provider postal, hoster or own: the mail server." },
  stream: { value: "ID", doc: "With --provider postmark: the message stream; without it, broadcasts." },
  "relay-password-file": {
    value: "FILE",
    doc: "A file with the passwords of the relays whose addresses have a user and no password, one line each; - for standard input. Other users of the machine can see passwords in a command.",
  },
  "bounce-domain": {
    value: "DOMAIN",
    doc: "The domain that bounces go to, with an address per message; 'none': they go to the From address.",
  },
  "signed-by": {
    value: "mailroll|relay|none",
    doc: "Who adds the DKIM signature; with none, no campaign is sent. --provider says what is usual there.",
  },
  "dkim-domain": { value: "DOMAIN", doc: "The domain of the signature." },
  "dkim-selector": { value: "NAME", doc: "The selector of the DKIM record." },
  "per-second": { value: "N", doc: "Maximum number of messages per second; 'none' for no limit." },
  "per-domain-minute": {
    value: "N",
    doc: "Maximum number of messages per minute to one domain of recipients; 'none' for no limit.",
  },
  "per-day": {
    value: "N",
    doc: "Maximum number of messages per day (UTC), for the warm-up of a new domain; 'none' for no limit.",
  },
} as const satisfies Readonly<Record<string, Option>>;

/** What the inputs of the actions are called here. */
export const inputs = { fromAddress: "from", fromName: "from", relays: "relay", signing: "signed-by" };

/** `Shop <news@example.org>`, or the address alone. */
function parseFrom(text: string): Pick<GivenSender, "fromAddress" | "fromName"> {
  const fromAddress = bareAddress(text);
  const { name = "" } = /^(?<name>.*)<[^<>]*>$/su.exec(text.trim())?.groups ?? {};
  const quoted = /^"(?<text>.*)"$/su.exec(name.trim())?.groups?.text;
  return { fromAddress, fromName: quoted?.replaceAll(/\\(.)/g, "$1") ?? name.trim() };
}

const orNull = (text: string | undefined): string | null | undefined => (text === "none" ? null : text);

function limit({ option }: Context, name: string): number | null | undefined {
  const given = orNull(option(name));
  if (given == null) return given;
  if (!/^\d{1,15}$/.test(given))
    throw new UsageError(`--${name} must be a number from 1, or 'none'; '${given}' is not`);
  return Number(given);
}

function parseRelay(text: string): Relay {
  const { url = text, weight = "1" } = /^(?<url>.*[^=])=(?<weight>\d{1,6})$/s.exec(text)?.groups ?? {};
  return { url, weight: Number(weight) };
}

/** In order: each line is the password of the next relay that needs one. */
async function withPasswords(relays: readonly Relay[], file: string): Promise<readonly Relay[]> {
  const { stream } = await openInput(file);
  const lines = (await readText(stream)).split(/\r?\n/).filter((line) => line !== "");
  const needing = relays.filter(({ url }) => lacksPassword(url));
  if (lines.length !== needing.length)
    throw new UsageError(
      `--relay-password-file has ${lines.length} lines, but ${needing.length} relays have a user and no password; give one line for each`,
    );
  return relays.map((relay) => {
    const password = lines[needing.indexOf(relay)];
    return password === undefined ? relay : { ...relay, url: withPassword(relay.url, password) };
  });
}

/** Prompts a user at a terminal. `known`: addresses whose passwords are stored. */
async function askPasswords(
  { askSecret }: Context,
  relays: readonly Relay[],
  known: readonly string[],
): Promise<readonly Relay[]> {
  const complete: Relay[] = [];
  for (const relay of relays) {
    const name = withoutPassword(relay.url);
    const isNeeded = lacksPassword(relay.url) && !known.includes(name);
    const password = isNeeded ? await askSecret(`Password of ${name}:`) : null;
    if (password === "") throw new Failure("nothing was changed", "Declined");
    complete.push(password === null ? relay : { ...relay, url: withPassword(relay.url, password) });
  }
  return complete;
}

const optionsOfInputs = { region: "region", host: "smtp-host", user: "smtp-user", stream: "stream" } as const;

export const givenProvider = ({ option }: Context): ProviderName | undefined =>
  option("provider", choiceOf(providerNames));

/** null: no provider is given. */
function relayOfGivenProvider(context: Context): Relay | null {
  const { option } = context;
  const name = givenProvider(context);
  const answers = Object.entries(optionsOfInputs).map(([input, other]) => [input, option(other)] as const);
  const [first] = answers.filter(([, answer]) => answer !== undefined);
  if (name === undefined) {
    if (first === undefined) return null;
    throw new UsageError(`--${optionsOfInputs[first[0] as keyof typeof optionsOfInputs]} needs --provider`);
  }
  const made = relayOfProvider(name, Object.fromEntries(answers));
  if ("url" in made) return { url: made.url, weight: 1 };
  const input = made.input === "password" ? "relay-password-file" : optionsOfInputs[made.input];
  throw new UsageError(`--${input} ${made.problem}`);
}

/** `stored`: the relays of the sender, without passwords. undefined: they stay. */
export async function givenRelays(
  context: Context,
  stored: readonly Relay[],
): Promise<readonly Relay[] | undefined> {
  const given = context.options("relay");
  const file = context.option("relay-password-file");
  const ofProvider = relayOfGivenProvider(context);
  if (ofProvider !== null) {
    if (given.length > 0) throw new UsageError("--relay and --provider cannot be given together");
    const known = stored.map(({ url }) => url);
    return file === undefined
      ? askPasswords(context, [ofProvider], known)
      : withPasswords([ofProvider], file);
  }
  if (given.length === 0 && file === undefined) return undefined;
  if (given.includes("none")) {
    if (given.length > 1 || file !== undefined)
      throw new UsageError("--relay none must be given alone: it removes all relays of the sender");
    return [];
  }
  const relays = given.length === 0 ? stored : given.map(parseRelay);
  if (file !== undefined) return withPasswords(relays, file);
  return askPasswords(
    context,
    relays,
    stored.map(({ url }) => url),
  );
}

/** Everything but the relays. */
export function givenValues(context: Context): Omit<GivenSender, "relays"> {
  const { option } = context;
  const from = option("from");
  return {
    ...(from === undefined ? {} : parseFrom(from)),
    replyTo: orNull(option("reply-to")),
    postalAddress: option("postal-address"),
    bounceDomain: orNull(option("bounce-domain")),
    signing: option("signed-by", choiceOf(signings)) ?? usualSigning(context),
    dkimDomain: option("dkim-domain"),
    dkimSelector: option("dkim-selector"),
    ...limits(context),
  };
}
/** Another provider may sign, or not, whatever was before. */
function usualSigning(context: Context): Signing | undefined {
  const name = givenProvider(context);
  return name === undefined ? undefined : providerOf(name).signs;
}
const limits = (context: Context) => ({
  ...given("perSecond", limit(context, "per-second")),
  ...given("perDomainMinute", limit(context, "per-domain-minute")),
  ...given("perDay", limit(context, "per-day")),
});
const given = (name: string, value: number | null | undefined): GivenSender =>
  value === undefined ? {} : { [name]: value };
