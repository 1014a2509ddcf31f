/**
 * Relays as senders have them: the address of an SMTP server with its password, and the same without the
 * password for everybody who may see the sender. Which addresses are valid is in `relay-address.ts`.
 */

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

/** A relay as one text. */
export const relayText = ({ url, weight }: Relay): string =>
  weight === 1 ? url : `${url} (weight ${weight})`;
