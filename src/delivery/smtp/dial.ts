/**
 * Opens a TCP connection to a relay. A relay that must not be inside the network of the installation is
 * checked here, by the address that is connected to: a name can have another address than when it was
 * configured.
 */
import { type LookupAddress, lookup } from "node:dns";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { isPrivateAddress } from "#domain/sending/relay.ts";

export interface DialOptions {
  readonly host: string;
  readonly port: number;
  readonly connectMs: number;
  readonly allowsInnerAddresses: boolean;
  /** Gives up at once. */
  readonly signal: AbortSignal | null;
}

/** How long one of several addresses of a host is tried before the next one. */
const ATTEMPT_MS = 3000;
/** So that a router between does not forget an idle connection. */
const KEEP_ALIVE_MS = 30_000;

const refusal = (host: string, address: string): Error =>
  new Error(
    host === address
      ? `${host} is inside the network of this installation; only an administrator can use such a relay`
      : `${host} has the address ${address}, inside the network of this installation; only an administrator can use such a relay`,
  );

/** As the system resolves names, without inner addresses. */
const publicLookup: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses: readonly LookupAddress[]) => {
    if (error !== null) return callback(error, []);
    const outer = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = outer;
    if (first === undefined) return callback(refusal(host, addresses[0]?.address ?? ""), []);
    if (options.all === true) return callback(null, outer);
    callback(null, first.address, first.family);
  });
};

/** Why there is no connection after an abort. */
export const STOPPED = "the sending was stopped";

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

export function dial(options: DialOptions): Promise<Socket> {
  const { host, port, connectMs, allowsInnerAddresses, signal } = options;
  if (!allowsInnerAddresses && isIP(host) !== 0 && isPrivateAddress(host))
    return Promise.reject(refusal(host, host));
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    ...(allowsInnerAddresses ? {} : { lookup: publicLookup }),
  });
  const giveUp = (why: string): void => {
    clearTimeout(timer);
    socket.destroy();
    reject(new Error(why));
  };
  const timer = setTimeout(() => giveUp(`no connection within ${seconds(connectMs)}`), connectMs);
  signal?.addEventListener("abort", () => giveUp(STOPPED), { once: true });
  // It stays: a socket without such a listener would end the process.
  socket.on("error", (error) => {
    clearTimeout(timer);
    reject(error);
  });
  socket.once("connect", () => {
    clearTimeout(timer);
    resolve(socket);
  });
  return promise;
}
