/**
 * Detects programs that read the WSDL and then never call: a failure inside the client that a server
 * otherwise does not see. A read counts as followed if a POST with the same client and User-Agent arrives
 * within ten minutes.
 *
 * Some clients read the WSDL with a general HTTP library and call with another User-Agent (PHP sends none
 * with the read). Such a read is followed by any call from the same client.
 *
 * The number of stored pairs and the length of their texts are bounded.
 */
import { detached } from "#soap/request/detached.ts";
import { type Caller, RecentCalls } from "./recent-calls.ts";

export const MAX_PAIRS = 1000;
/** A client with a new User-Agent in every read must not fill the table, nor the log. */
export const MAX_PAIRS_PER_CLIENT = 20;
/** More than the log shows, so that the log can tell that it was cut off. */
export const MAX_USER_AGENT = 200;
const FOLLOWED_WITHIN_MS = 600_000;
const REPORTED_EVERY_MS = 86_400_000;

/** What PHP's SoapClient, SOAP::Lite and JAX-WS read a WSDL with, but do not call with. */
const GENERAL = /^(?:$|libwww-perl\/|Java\/)/;

export interface UnfollowedRead {
  readonly client: string;
  /** Truncated, in printable ASCII; null if none was sent. May still contain anything: mask it in a log. */
  readonly userAgent: string | null;
  /** The number of reads before the report. */
  readonly reads: number;
}
/** What other processes that serve the same port need to know. */
export type Change =
  | { readonly kind: "read"; readonly client: string; readonly userAgent: string }
  | { readonly kind: "followed"; readonly key: string };

export interface WsdlReadsOptions {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  readonly onUnfollowed: (read: UnfollowedRead) => void;
  /** Called with the events of this process, if there are others. */
  readonly onChange?: (change: Change) => void;
}

interface Pending {
  readonly client: string;
  readonly userAgent: string;
  readonly since: number;
  /** Reported by another process. */
  readonly isForeign: boolean;
  reads: number;
}

export class WsdlReads {
  readonly #options: WsdlReadsOptions;
  /** Reads that no call has followed yet, the oldest first. */
  readonly #pending = new Map<string, Pending>();
  /** The number of them, by client. */
  readonly #byClient = new Map<string, number>();
  /** Pairs that were reported or that called recently, and until when their reads are ignored. */
  readonly #quiet = new Map<string, number>();
  /** null if there are no other processes, whose reads may be known late. */
  readonly #recentCalls: RecentCalls | null;

  constructor(options: WsdlReadsOptions) {
    this.#options = options;
    this.#recentCalls = options.onChange === undefined ? null : new RecentCalls();
  }

  /**
   * Whether calls are of interest: a cheap check on every call, so that most calls cost nothing more.
   */
  get wantsCalls(): boolean {
    return this.#recentCalls !== null || this.hasPending;
  }
  get hasPending(): boolean {
    return this.#pending.size > 0;
  }
  get size(): number {
    return this.#pending.size + this.#quiet.size;
  }

  read({ client, userAgent }: Caller): void {
    this.sweep();
    const shown = printable(userAgent ?? "");
    if (this.#add(client, shown, false)) this.#options.onChange?.({ kind: "read", client, userAgent: shown });
  }

  called(caller: Caller): void {
    this.#recentCalls?.add(caller, this.#options.clock());
    if (!this.hasPending) return;
    for (const key of followedBy(caller))
      if (this.#follow(key)) this.#options.onChange?.({ kind: "followed", key });
  }

  /** Applies an event of another process. */
  apply(change: Change): void {
    if (change.kind === "followed") {
      this.#follow(change.key);
      return;
    }
    const { client, userAgent } = change;
    const key = keyOf(client, userAgent);
    const isFollowed = (caller: Caller): boolean => followedBy(caller).includes(key);
    if (!this.#add(client, userAgent, true)) return;
    if (!this.#recentCalls?.some(this.#options.clock(), client, isFollowed)) return;
    this.#follow(key);
    this.#options.onChange?.({ kind: "followed", key });
  }

  /** Reports what no call has followed in time. */
  sweep(): void {
    const now = this.#options.clock();
    for (const [key, { client, userAgent, since, isForeign, reads }] of this.#pending) {
      if (now - since < FOLLOWED_WITHIN_MS) return;
      this.#drop(key);
      this.#silence(key, now + REPORTED_EVERY_MS);
      if (!isForeign)
        this.#options.onUnfollowed({ client, userAgent: userAgent === "" ? null : userAgent, reads });
    }
  }

  /** True if the pair was not pending before. */
  #add(client: string, userAgent: string, isForeign: boolean): boolean {
    const key = keyOf(client, userAgent);
    const since = this.#options.clock();
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      pending.reads += 1;
      return false;
    }
    if ((this.#quiet.get(key) ?? Number.NEGATIVE_INFINITY) > since) return false;
    this.#quiet.delete(key);
    const ofClient = this.#byClient.get(client) ?? 0;
    if (ofClient >= MAX_PAIRS_PER_CLIENT) return false;
    this.#makeRoom();
    if (this.#pending.size >= MAX_PAIRS) return false;
    const pair = { client: detached(client), userAgent: detached(userAgent) };
    this.#pending.set(detached(key), { ...pair, since, isForeign, reads: 1 });
    this.#byClient.set(pair.client, ofClient + 1);
    return true;
  }

  #drop(key: string): boolean {
    const pending = this.#pending.get(key);
    if (pending === undefined) return false;
    this.#pending.delete(key);
    const left = (this.#byClient.get(pending.client) ?? 1) - 1;
    if (left === 0) this.#byClient.delete(pending.client);
    else this.#byClient.set(pending.client, left);
    return true;
  }

  #follow(key: string): boolean {
    if (!this.#drop(key)) return false;
    this.#silence(key, this.#options.clock() + FOLLOWED_WITHIN_MS);
    return true;
  }

  #silence(key: string, until: number): void {
    this.#makeRoom();
    this.#quiet.set(detached(key), until);
  }

  /** Pending pairs are kept: a repeated report is better than an unreported failure. */
  #makeRoom(): void {
    for (const oldest of this.#quiet.keys()) {
      if (this.size < MAX_PAIRS) return;
      this.#quiet.delete(oldest);
    }
  }
}

export const keyOf = (client: string, userAgent: string): string =>
  GENERAL.test(userAgent) ? client : `${client} ${userAgent}`;

/** The keys of the reads that a call follows. */
export const followedBy = ({ client, userAgent }: Caller): readonly string[] => [
  keyOf(client, printable(userAgent ?? "")),
  client,
];

export const printable = (userAgent: string): string =>
  userAgent.slice(0, MAX_USER_AGENT).replace(/[^ -~]/g, "?");
