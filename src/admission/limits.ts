/** How much may be in progress at once. Not settings: a healthy installation stays far below these limits. */

export interface Limits {
  /** Requests in flight: at a thousand a second, the last of them is answered within five seconds. */
  readonly inFlight: number;
  /** Long lists that are being sent, in total and of one account. Each has a page or two in memory. */
  readonly lists: number;
  readonly listsPerAccount: number;
  /** Bytes of request bodies in memory, as received and decompressed. */
  readonly bodyBytes: number;
  /** Each takes some kilobytes, whatever is sent over it. */
  readonly connections: number;
  readonly connectionsPerClient: number;
  /** Bytes in memory for clients that do not read. */
  readonly unsent: number;
}

const MAX_IN_FLIGHT = 4000;
const MAX_LISTS = 128;
const MAX_BODY_BYTES = 64 * 1024 ** 2;
const MAX_CONNECTIONS = 15_000;
const MAX_UNSENT = 128 * 1024 ** 2;
/** One client or account may take a quarter of the total. */
const SHARE = 4;

/** Leaves room for two bodies of the maximum size. */
export const limitsFor = (bodyLimit: number): Limits => ({
  inFlight: MAX_IN_FLIGHT,
  lists: MAX_LISTS,
  listsPerAccount: MAX_LISTS / SHARE,
  bodyBytes: Math.max(MAX_BODY_BYTES, 2 * bodyLimit),
  connections: MAX_CONNECTIONS,
  connectionsPerClient: MAX_CONNECTIONS / SHARE,
  unsent: MAX_UNSENT,
});
