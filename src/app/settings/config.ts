/** Defines every setting once: name, group, type, default, documentation. load-config.ts reads the values. */
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { consoleLink } from "#console/console-path.ts";
import { parseKey } from "#domain/access/key.ts";
import type { Store } from "#domain/ports/store.ts";
import { parseRelayUrl, SMTP_CONNECTIONS } from "#domain/sending/relay.ts";
import type { SettingValue } from "#domain/setting-value.ts";
import { isBuilt } from "#shipped.ts";
import { levels } from "../log/log.ts";
import { EXPECTED_PATHS, problemOfPaths } from "./endpoint-paths.ts";

/** The groups of settings, in the order in which the reference lists them. */
export const settingGroups = [
  "Network",
  "TLS",
  "Database",
  "API keys",
  "Limits",
  "Sending",
  "Refused calls",
  "Logging",
  "Metrics",
] as const;

/**
 * Where data is kept that has no other place. A clone has it in its own folder. An installed program may be
 * called from any folder: it takes the data that is there, or else that of the user.
 */
const isOfUser = isBuilt && !existsSync("data/mailroll.db");
const ofUser = isOfUser
  ? join(process.env.XDG_DATA_HOME || join(homedir(), ".local/share"), "mailroll")
  : null;

/** `read` parses a setting's text; null if it is not what was `expected`. */
interface Setting<Value, Default extends string | null = string | null> {
  readonly group: (typeof settingGroups)[number];
  readonly expected: string;
  /** Written as a user would write it. null: the value is null if the setting is not set. */
  readonly default: Default;
  readonly doc: string;
  /** What of its value is never shown: all of it, or the credentials in an address. */
  readonly secret?: "all" | "credentials";
  read(text: string): Value | null;
  /** A more specific reason why a text is invalid, if there is one. */
  problem?(text: string): string | null;
}
const setting = <Value, Default extends string | null>(
  declared: Setting<Value, Default>,
): Setting<Value, Default> => declared;

function whole(text: string, min: number, max: number): number | null {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

const file = (text: string): string | null => (text === "" ? null : resolve(text));

/** Addresses, or networks in CIDR notation. */
function networkList(text: string): readonly string[] | null {
  const given = listed(text);
  const isNetwork = (item: string): boolean => {
    const [, address = "", prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(item) ?? [];
    const bits = isIP(address) === 4 ? 32 : 128;
    return isIP(address) !== 0 && (prefix === undefined || whole(prefix, 0, bits) !== null);
  };
  return given.every(isNetwork) ? given : null;
}

const units: Readonly<Record<string, number>> = { "": 1, b: 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 };
function size(text: string, min: number, max: number): number | null {
  const [, amount = "", unit = ""] = /^(\d{1,12})\s*([a-z]*)$/i.exec(text) ?? [];
  const bytes = amount === "" ? Number.NaN : Number(amount) * (units[unit.toLowerCase()] ?? Number.NaN);
  return bytes >= min && bytes <= max ? bytes : null;
}

const hostName = (text: string): string | null => (/^[a-z0-9._:-]+$/i.test(text) ? text : null);

/** Scheme, host, port and path as they are used in namespaces and links: URL reads much more than that. */
const BASE_ADDRESS = /^https?:\/\/[^/\\?#@\s<>"]+(?:\/[^\\?#\s<>"]*)?$/i;

function baseAddress(text: string): string | null {
  let bare = text;
  while (bare.endsWith("/")) bare = bare.slice(0, -1);
  return BASE_ADDRESS.test(bare) && URL.canParse(bare) ? bare : null;
}

const listed = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

function namespaceList(text: string): readonly string[] | null {
  const given = listed(text);
  return given.some((item) => /\s/.test(item)) ? null : given;
}

export type DatabaseAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  /** May contain a password. */
  | { readonly kind: "postgres"; readonly url: string };

function databaseAddress(text: string): DatabaseAddress | null {
  if (/^sqlite:.+$/.test(text)) return { kind: "sqlite", file: resolve(text.slice("sqlite:".length)) };
  return /^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text) ? { kind: "postgres", url: text } : null;
}

/** Whether it can be used is seen when it is used; here, whether it is an address of a relay at all. */
function relayAddress(text: string): string | null {
  const address = parseRelayUrl(text);
  if ("problem" in address) return null;
  return address.kind === "folder" ? `file:${resolve(address.folder)}` : text;
}

function nameServers(text: string): readonly string[] | null {
  const given = listed(text);
  const isServer = (item: string): boolean => {
    if (isIP(item) !== 0) return true;
    const [, v6, v4, port = ""] = /^(?:\[([0-9a-f:]+)\]|([0-9.]+)):(\d{1,5})$/i.exec(item) ?? [];
    return isIP(v6 ?? v4 ?? "") !== 0 && whole(port, 1, 65_535) !== null;
  };
  return given.length > 0 && given.every(isServer) ? given : null;
}

export const settings = {
  host: setting({
    group: "Network",
    expected: "a host name or address",
    default: "127.0.0.1",
    doc: "The address to listen on; 0.0.0.0 for all.",
    read: hostName,
  }),
  port: setting({
    group: "Network",
    expected: "a port from 0 to 65535",
    default: "8080",
    doc: "The port to listen on; 0 picks a free one.",
    read: (text) => whole(text, 0, 65_535),
  }),
  workers: setting({
    group: "Network",
    expected: "a number of processes from 1 to 256",
    default: "1",
    doc: "How many processes serve the port; more than one needs PostgreSQL.",
    read: (text) => whole(text, 1, 256),
  }),
  baseUrl: setting({
    group: "Network",
    expected: "an http or https address without query or fragment, such as https://mail.example.org",
    default: null,
    doc: "The public address of the service. It is the XML namespace of the messages, the address in the WSDL and the base of unsubscribe links; campaigns need https. Links in messages that were sent keep the old address. Set it in production.",
    read: baseAddress,
  }),
  namespaces: setting({
    group: "Network",
    expected: "namespaces without white space, separated by commas, or * for any",
    default: "",
    doc: "Further namespaces that requests may use, separated by commas; * for any.",
    read: namespaceList,
  }),
  paths: setting({
    group: "Network",
    expected: EXPECTED_PATHS,
    default: "",
    doc: "Further paths of the endpoint beside /default.asmx, separated by commas, in any letter case. They are relative to the base URL. A WSDL that is read at such a path contains that path.",
    read: (text) => (problemOfPaths(listed(text)) === null ? listed(text) : null),
    problem: (text) => problemOfPaths(listed(text)),
  }),
  database: setting({
    group: "Database",
    expected:
      "sqlite: and a file, such as sqlite:./data/mailroll.db, or the address of a PostgreSQL database, such as postgres://user:password@host/mailroll",
    default: ofUser === null ? "sqlite:./data/mailroll.db" : `sqlite:${ofUser}/mailroll.db`,
    secret: "credentials",
    doc: "Where the data is: a SQLite file, or a PostgreSQL database that any number of nodes may share.",
    read: databaseAddress,
  }),
  replica: setting({
    group: "Database",
    expected: "the address of a PostgreSQL database, such as postgres://user:password@host/mailroll",
    default: null,
    secret: "credentials",
    doc: "A replica of the PostgreSQL database, from which the unsubscribes and hard bounces of campaigns are read. If not set, they are read from the database itself.",
    read: (text) => {
      const address = databaseAddress(text);
      return address?.kind === "postgres" ? address.url : null;
    },
  }),
  apiKey: setting({
    group: "API keys",
    expected: "8 to 128 printable characters without spaces",
    default: null,
    secret: "all",
    doc: "The API key to create on the first start, instead of a random one.",
    read: parseKey,
  }),
  log: setting({
    group: "Logging",
    expected: `one of ${levels.join(", ")}`,
    default: "info",
    doc: "How much is logged. The log goes to standard error.",
    read: (text) => levels.find((level) => level === text.toLowerCase()) ?? null,
  }),
  bodyLimit: setting({
    group: "Limits",
    expected: "a number of bytes from 1KiB to 256MiB, such as 4194304 or 4MiB",
    default: "4MiB",
    doc: "The largest request body that is accepted, before and after decompression.",
    read: (text) => size(text, 1024, 256 * 1024 ** 2),
  }),
  uploadLimit: setting({
    group: "Limits",
    expected: "a number of bytes of at least 1MiB, such as 2147483648 or 2GiB",
    default: "2GiB",
    doc: "How many bytes the uploads of an account may have together. An upload is deleted when it was imported, or a day after its last use.",
    read: (text) => size(text, 1024 ** 2, Number.MAX_SAFE_INTEGER),
  }),
  smtp: setting({
    group: "Sending",
    expected:
      "the address of an SMTP server, such as smtp://user:password@mail.example.org:587 (STARTTLS) or smtps://mail.example.org (percent-encode special characters in the login: % is %25), or file: and a folder",
    default: ofUser === null ? "file:./outbox" : `file:${ofUser}/outbox`,
    secret: "credentials",
    doc: "The relay of senders that have none of their own. With file: and a folder, each message is written to a file there instead of being sent.",
    read: relayAddress,
  }),
  smtpConnections: setting({
    group: "Sending",
    expected: "a number from 1 to 500",
    default: String(SMTP_CONNECTIONS),
    doc: "How many connections a process uses at most for each set of relays. Each sends one message at a time. After a crash, as many recipients can be unknown: it is not known whether their messages arrived.",
    read: (text) => whole(text, 1, 500),
  }),
  dns: setting({
    group: "Sending",
    expected: "addresses of name servers, separated by commas, such as 127.0.0.1:5353 or 192.0.2.53",
    default: null,
    doc: "The name servers that are asked for the DNS records of a sender. If not set, those of the system.",
    read: nameServers,
  }),
  ledgerDays: setting({
    group: "Sending",
    expected: "a number of days from 1 to 36500",
    default: "400",
    doc: "How long Mailroll stores for each recipient of a campaign what became of the message, counted from the end of the campaign. The totals are kept.",
    read: (text) => whole(text, 1, 36_500),
  }),
  refusedDays: setting({
    group: "Refused calls",
    expected: "a number of days from 1 to 36500",
    default: "90",
    doc: "How long refused calls are kept.",
    read: (text) => whole(text, 1, 36_500),
  }),
  refusedRows: setting({
    group: "Refused calls",
    expected: "a number of rows from 1 to 1000000000",
    default: "100000",
    doc: "How many refused calls are kept per account. The oldest are deleted first.",
    read: (text) => whole(text, 1, 1_000_000_000),
  }),
  refusedBytes: setting({
    group: "Refused calls",
    expected: "a number of bytes of at least 1MiB, such as 268435456 or 256MiB",
    default: "256MiB",
    doc: "How many bytes of arguments of refused calls are kept per account. The oldest calls are deleted first.",
    read: (text) => size(text, 1024 ** 2, Number.MAX_SAFE_INTEGER),
  }),
  metricsPort: setting({
    group: "Metrics",
    expected: "a port from 0 to 65535",
    default: null,
    doc: "A separate port for /metrics; 0 picks a free one. If not set, there is no such port.",
    read: (text) => whole(text, 0, 65_535),
  }),
  metricsHost: setting({
    group: "Metrics",
    expected: "a host name or address",
    default: "127.0.0.1",
    doc: "The address that the port for /metrics listens on.",
    read: hostName,
  }),
  metricsToken: setting({
    group: "Metrics",
    expected: "16 to 256 printable characters without spaces",
    default: null,
    secret: "all",
    doc: "If set, /metrics is also served on the port of the service, to requests with this bearer token.",
    read: (text) => (/^[!-~]{16,256}$/.test(text) ? text : null),
  }),
  diskReserve: setting({
    group: "Database",
    expected: "a number of bytes, such as 104857600 or 100MiB; 0 for none",
    default: "100MiB",
    doc: "How much space must be free on the disk of a SQLite file. With less, /readyz fails, before writes do.",
    read: (text) => size(text, 0, Number.MAX_SAFE_INTEGER),
  }),
  keyRate: setting({
    group: "Limits",
    expected: "a number of calls from 1 to 1000000",
    default: null,
    doc: "How many calls an API key may make per minute, in each process. If not set, there is no limit.",
    read: (text) => whole(text, 1, 1_000_000),
  }),
  tlsCert: setting({
    group: "TLS",
    expected: "a file",
    default: null,
    doc: "A file with the certificate for HTTPS (PEM, with its chain). Mailroll reloads it when it changes.",
    read: file,
  }),
  tlsKey: setting({
    group: "TLS",
    expected: "a file",
    default: null,
    doc: "A file with the private key of that certificate (PEM, without a passphrase).",
    read: file,
  }),
  trustedProxies: setting({
    group: "Network",
    expected: "addresses or networks separated by commas, such as 127.0.0.1,10.0.0.0/8",
    default: "",
    doc: "Proxies, separated by commas. Mailroll takes the address of the client from their X-Forwarded-For header. It counts authentication failures by that address. If large messages from several clients are waiting, it reads one from each client in turn. The proxies themselves are exempt from the limit on connections per client.",
    read: networkList,
  }),
} as const;

export type SettingName = keyof typeof settings;
type ValueOf<S> = S extends Setting<infer Value, infer Default> ? Value | Extract<Default, null> : never;
export type Config = { readonly [K in SettingName]: ValueOf<(typeof settings)[K]> } & {
  /** The settings as administrators see them. */
  readonly shown: readonly SettingValue[];
};

const separated = (name: string, separator: string): string =>
  name.replace(/[A-Z]/g, (letter) => `${separator}${letter.toLowerCase()}`);
export const variableOf = (name: SettingName): string => `MAILROLL_${separated(name, "_").toUpperCase()}`;
export const flagOf = (name: SettingName): string => separated(name, "-");

/** The settings of a demo: its relay is a folder, beside a SQLite file. Those of others stay as they are. */
export function withoutSending(config: Config, isDemo: boolean): Config {
  if (!isDemo || config.smtp.startsWith("file:")) return config;
  const { database } = config;
  const folder = database.kind === "sqlite" ? dirname(database.file) : ".";
  return { ...config, smtp: `file:${resolve(folder, "outbox")}` };
}

/**
 * A link to sign in to the console with, at the address that a service has stored when it started. This one
 * counts more than the port of a variable or a file, which the service may not have, and less than a flag.
 */
export async function configuredConsoleLink(
  { baseUrl, port, tlsCert, shown }: Config,
  { health }: Pick<Store, "health">,
  secret: string,
): Promise<string> {
  const isGiven = shown.some(({ name, source }) => name === "port" && source === "flag");
  const configured = `${tlsCert === null ? "http" : "https"}://localhost:${port}`;
  const stored = isGiven ? null : (await health.program())?.address;
  return consoleLink(baseUrl ?? stored ?? configured, secret);
}
