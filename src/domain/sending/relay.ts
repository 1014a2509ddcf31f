/**
 * Relays as senders have them: the address of an SMTP server with its password, and the same without the
 * password for everybody who may see the sender.
 */
import { BlockList, isIP } from "node:net";

/**
 * The address of an SMTP server, with the secret: smtp://user:password@host:587, smtps://…, or file:folder.
 */
export interface Relay {
  readonly url: string;
  /** Its share of the messages, relative to the weights of the others. */
  readonly weight: number;
  /** Set by an administrator of the installation: it may be inside the network of the installation. */
  readonly allowsInner?: boolean;
}

/** The default of how many messages a process sends at the same time to one set of relays. */
export const SMTP_CONNECTIONS = 40;

/** Nothing of an address that cannot be read is shown: the password may be anywhere in it. */
export function withoutPassword(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "";
  if (parsed.password === "") return url;
  parsed.password = "";
  return parsed.href;
}

export const shownRelays = (relays: readonly Relay[]): readonly Relay[] =>
  relays.map(({ url, weight }) => ({ url: withoutPassword(url), weight }));

export const hasPassword = (url: string): boolean => (URL.parse(url)?.password ?? "") !== "";

/** Whether the address names a user but no password. */
export function lacksPassword(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && parsed.username !== "" && parsed.password === "";
}

export function withPassword(url: string, password: string): string {
  const parsed = new URL(url);
  // The setter leaves a percent sign as it is.
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** The stored password, for an address that is given without one: of the same server and user. */
export function withStoredPassword(url: string, stored: readonly Relay[]): string {
  if (!lacksPassword(url)) return url;
  const wanted = withoutPassword(new URL(url).href);
  return stored.find((relay) => withoutPassword(relay.url) === wanted)?.url ?? url;
}

export const relayText = ({ url, weight }: Relay): string =>
  weight === 1 ? url : `${url} (weight ${weight})`;

/**
 * Addresses of relays, and which of them may be configured. Administrators of the installation may use any
 * address. An owner of an account may not use a relay to reach services inside the network of the
 * installation: only the ports of mail servers, and no inner address. The transport looks at the address
 * again that a name has when it connects.
 */
export type RelayAddress =
  | {
      readonly kind: "smtp";
      /** smtps: TLS from the start. */
      readonly isSecure: boolean;
      readonly host: string;
      readonly port: number;
      readonly login: { readonly user: string; readonly password: string } | null;
    }
  | { readonly kind: "folder"; readonly folder: string };
interface RelayProblem {
  readonly problem: string;
}

/** The ports that mail servers listen on. */
const relayPorts: readonly number[] = [25, 465, 587, 2525];

const examples = "smtp://user:password@mail.example.org:587 or smtps://mail.example.org";

/** As browsers normalize hosts: 0x7f.1 is 127.0.0.1, and names are ASCII. null: not a host. */
function normalizedHost(text: string): string | null {
  const url = URL.parse(`http://${text}`);
  return url === null || url.hostname === "" ? null : url.hostname.replace(/^\[|\]$/g, "");
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** smtp: without a port is 587 with a login, as submission is, and 25 without; smtps: is 465. */
function defaultPort(isSecure: boolean, hasLogin: boolean): number {
  if (isSecure) return 465;
  return hasLogin ? 587 : 25;
}

/** `?stream=` names a message stream of Postmark, see `relayHeaders`. */
export function parseRelayUrl(text: string): RelayAddress | RelayProblem {
  if (/^file:./.test(text)) return { kind: "folder", folder: text.slice("file:".length) };
  const url = /^smtps?:\/\/[^/?#\s]+\/?(?:\?stream=[\w-]{1,50})?$/.test(text) ? URL.parse(text) : null;
  if (url === null) return { problem: `This is not the address of a relay. Write it as ${examples}.` };
  const host = normalizedHost(url.hostname);
  if (host === null)
    return { problem: `The host of the relay, ${url.hostname}, is not a name or an IP address.` };
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === null || password === null)
    return { problem: "The login in the address of the relay is not percent-encoded. Write % as %25." };
  if (/\p{Cc}/u.test(user + password))
    return { problem: "The login in the address of the relay must not contain control characters." };
  if ((user === "") !== (password === ""))
    return { problem: "The address of the relay must have a user name and a password, or neither." };
  const isSecure = url.protocol === "smtps:";
  const login = user === "" ? null : { user, password };
  const port = url.port === "" ? defaultPort(isSecure, login !== null) : Number(url.port);
  if (port === 0) return { problem: "The port of the relay cannot be 0." };
  return { kind: "smtp", isSecure, host, port, login };
}

/** Networks that are not reachable from the Internet. */
const innerNetworks: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
/**
 * The networks before fc00:: contain an IPv4 address. Of such networks, mail servers are reached by NAT64
 * only.
 */
const innerNetworks6: readonly (readonly [string, number])[] = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b:1::", 48],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

// Two of them: in ::ffff:0:0/96, one BlockList would find every IPv4 address.
const inner = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, prefix] of innerNetworks) {
  inner.ipv4.addSubnet(network, prefix, "ipv4");
  inner.ipv6.addSubnet(`64:ff9b::${network}`, 96 + prefix, "ipv6");
}
for (const [network, prefix] of innerNetworks6) inner.ipv6.addSubnet(network, prefix, "ipv6");

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const isIn = (networks: Readonly<Record<"ipv4" | "ipv6", BlockList>>, address: string): boolean => {
  const bare = address.replace(/%.*$/s, "");
  const version = isIP(bare);
  const family = version === 4 ? "ipv4" : "ipv6";
  return version !== 0 && networks[family].check(bare, family);
};

/** Whether an IP address is inside the network of the installation, as loopback and private addresses are. */
export const isPrivateAddress = (address: string): boolean => isIn(inner, address);
export const isLoopbackAddress = (address: string): boolean =>
  isIn({ ipv4: loopback, ipv6: loopback }, address);

const isLoopbackName = (host: string): boolean => /(?:^|\.)localhost\.?$/.test(host);

/** Whether both are the same host and port. Only then may a sender's relay have an inner address. */
export function isSameRelay(one: string, other: string): boolean {
  const [a, b] = [parseRelayUrl(one), parseRelayUrl(other)];
  if ("problem" in a || "problem" in b || a.kind !== "smtp" || b.kind !== "smtp") return false;
  return a.host === b.host && a.port === b.port;
}

/**
 * What the pace of a relay belongs to: host, port and user, whichever senders use it. null: a folder, or not
 * an address. It contains no password, but is no text for users.
 */
export function paceKeyOf(url: string): string | null {
  const address = parseRelayUrl(url);
  if ("problem" in address || address.kind === "folder") return null;
  const { host, port, login } = address;
  return `relay ${host.toLowerCase()}:${port} ${login?.user ?? ""}`;
}

const isFolder = (url: string): boolean => url.startsWith("file:");

/** What an installation hands messages over to. */
export interface InstallationRelay {
  /** The relay of senders that have none of their own; may contain a password. */
  readonly defaultRelay: string;
  /** It is then a folder, and used for every sender: a demo sends nothing. */
  readonly isDemo: boolean;
}
export const DEMO_SENDS_NOTHING =
  "this database is a demo, which sends nothing: messages are written to files, whatever relays are set";

/** The relays that messages of a sender go through; `own`: its own. Those that are set may be anywhere. */
export const usedRelays = (
  own: readonly Relay[],
  { defaultRelay, isDemo }: InstallationRelay,
): readonly Relay[] =>
  isDemo || own.length === 0
    ? [{ url: defaultRelay, weight: 1, allowsInner: true }]
    : own.map((relay) => (isSameRelay(relay.url, defaultRelay) ? { ...relay, allowsInner: true } : relay));

/** Whether messages of a sender with these relays are written to files, and not sent. */
export const writesToFiles = (own: readonly Relay[], installation: InstallationRelay): boolean =>
  usedRelays(own, installation).some(({ url }) => isFolder(url));

/** Host and port, for users. null: messages are written to files. */
export function relayPlace(url: string): string | null {
  const address = parseRelayUrl(url);
  return "problem" in address || address.kind === "folder" ? null : `${address.host}:${address.port}`;
}

export interface RelayRights {
  readonly isAdministrator: boolean;
  /** MAILROLL_SMTP: an owner may use the same host and port with another login. */
  readonly installationRelay: string;
}

/** Why an actor may not configure a relay with this address; null: allowed. */
export function checkRelayUrl(url: string, rights: RelayRights): string | null {
  const address = parseRelayUrl(url);
  if ("problem" in address) return address.problem;
  if (rights.isAdministrator || isSameRelay(url, rights.installationRelay)) return null;
  if (address.kind === "folder")
    return "Only an administrator of the installation can have messages written to a folder. Use an SMTP server.";
  const { host, port } = address;
  if (!relayPorts.includes(port))
    return `The port of the relay is ${port}. Use one of the ports of mail servers: ${relayPorts.join(", ")}.`;
  if (isLoopbackName(host) || isPrivateAddress(host))
    return `The relay ${host} is inside the network of this installation. Only an administrator of the installation can use such a relay.`;
  return null;
}
