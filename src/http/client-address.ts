/**
 * Where a request comes from, to count by. A header can say anything, so X-Forwarded-For counts only as far as it was
 * written by proxies that the operator trusts: from the right, the first address that is not one of theirs.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6, type Socket } from "node:net";

/** What a connection alone tells. */
interface Peer {
  readonly address: string;
  /** What it is counted as, where it speaks for itself. */
  readonly client: string;
  readonly isTrusted: boolean;
}

export class ClientAddresses {
  readonly #trusted: BlockList | null;
  /** Every call is asked for its client, and a connection carries many. */
  readonly #peers = new WeakMap<Socket, Peer>();

  /** Addresses, or networks such as 10.0.0.0/8. */
  constructor(trusted: readonly string[]) {
    this.#trusted = trusted.length === 0 ? null : new BlockList();
    for (const item of trusted) {
      const [address = "", prefix] = item.split("/");
      const family = familyOf(address);
      if (prefix === undefined) this.#trusted?.addAddress(address, family);
      else this.#trusted?.addSubnet(address, Number(prefix), family);
    }
  }

  /** An address of version 4, or the network of one of version 6. */
  of({ socket, headers }: IncomingMessage): string {
    const peer = this.#peers.get(socket) ?? this.#peerOf(socket);
    const forwarded = peer.isTrusted ? headers["x-forwarded-for"] : undefined;
    if (forwarded === undefined) return peer.client;
    const hops = String(forwarded).split(",");
    let client = peer.address;
    do {
      const hop = plain(hops.pop() ?? "");
      // What is no address was not written by a proxy that is worth its trust: the last one that was counts.
      if (isIP(hop) === 0) break;
      client = hop;
    } while (hops.length > 0 && this.#isTrusted(client));
    return counted(client);
  }

  /** Whose share of the connections one counts towards; null where many clients come by it: this machine, a proxy. */
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

const counted = (address: string): string => (isIPv6(address) ? networkOf(address) : address);

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");

/** Without the port or the interface that some write behind it, and of version 4 where it is one in disguise. */
function plain(given: string): string {
  const text = given.trim();
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const [, dotted] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(bracketed ?? text) ?? [];
  return dotted ?? (bracketed ?? text).replace(/%.*$/, "");
}

/** Whoever has one address of version 6 has a whole network of them, so it is the network that is counted. */
function networkOf(address: string): string {
  const hex = address.replace(/\d+\.\d+\.\d+\.\d+$/, "0:0");
  const [head = "", tail] = hex.split("::");
  const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));
  const [front, back] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => "0");
  const first = [...front, ...zeros, ...back].slice(0, 4);
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
