/**
 * The client address of a request, for rate limits and connection limits. A client can send any header, so
 * X-Forwarded-For is used only as far as trusted proxies wrote it: from the right, the first address that is
 * not a trusted proxy.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6, type Socket } from "node:net";

/** What is known from the connection alone. */
interface Peer {
  readonly address: string;
  /** The client address if the peer is not a proxy. */
  readonly client: string;
  readonly isTrusted: boolean;
}

export class ClientAddresses {
  readonly #trusted: BlockList | null;
  /** Every call needs its client address, and a connection carries many calls. */
  readonly #peers = new WeakMap<Socket, Peer>();

  /** Takes addresses, and networks such as 10.0.0.0/8. */
  constructor(trusted: readonly string[]) {
    this.#trusted = trusted.length === 0 ? null : new BlockList();
    for (const item of trusted) {
      const [address = "", prefix] = item.split("/");
      const family = familyOf(address);
      if (prefix === undefined) this.#trusted?.addAddress(address, family);
      else this.#trusted?.addSubnet(address, Number(prefix), family);
    }
  }

  /** An IPv4 address, or the /64 network of an IPv6 address. */
  of({ socket, headers }: IncomingMessage): string {
    const peer = this.#peers.get(socket) ?? this.#peerOf(socket);
    const forwarded = peer.isTrusted ? headers["x-forwarded-for"] : undefined;
    if (forwarded === undefined) return peer.client;
    const hops = String(forwarded).split(",");
    let client = peer.address;
    do {
      const hop = plain(hops.pop() ?? "");
      // A trusted proxy writes addresses only, so the last valid one counts.
      if (isIP(hop) === 0) break;
      client = hop;
    } while (hops.length > 0 && this.#isTrusted(client));
    return counted(client);
  }

  /** Whether a trusted proxy passes the requests of this connection on: their HTTP version is the proxy's. */
  isProxied(socket: Socket): boolean {
    return (this.#peers.get(socket) ?? this.#peerOf(socket)).isTrusted;
  }

  /**
   * The client whose share of connections this one counts towards; null for loopback and proxies, which carry
   * many.
   */
  ofConnection(socket: Socket): string | null {
    const { address, client, isTrusted } = this.#peerOf(socket);
    return isTrusted || loopback.check(address, familyOf(address)) ? null : client;
  }

  #peerOf(socket: Socket): Peer {
    const address = plain(socket.remoteAddress ?? "");
    const peer = { address, client: counted(address), isTrusted: this.#isTrusted(address) };
    this.#peers.set(socket, peer);
    return peer;
  }

  #isTrusted(address: string): boolean {
    return this.#trusted?.check(address, familyOf(address)) === true;
  }
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const counted = (address: string): string => (isIPv6(address) ? network64Of(address) : address);

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");

/** Without port, brackets and zone id; an IPv4-mapped IPv6 address as IPv4, however it is written. */
function plain(given: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(given.trim()) ?? [];
  const text = bracketed ?? given.trim();
  const [, dotted] = /^(?:[0:]+:ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(text) ?? [];
  if (dotted !== undefined) return dotted;
  const [, high = "", low = ""] = /^[0:]+:ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(text) ?? [];
  if (high !== "") return [high, low].flatMap(bytesOf).join(".");
  return text.replace(/%.*$/s, "");
}

const bytesOf = (group: string): readonly number[] => {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
};

/**
 * A client with one IPv6 address usually has a whole /64 network of them, so the network counts as one
 * client.
 */
function network64Of(address: string): string {
  const hex = address.replace(/\d+\.\d+\.\d+\.\d+$/, "0:0");
  const [head = "", tail] = hex.split("::");
  const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));
  const [front, back] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => "0");
  const first = [...front, ...zeros, ...back].slice(0, 4);
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
