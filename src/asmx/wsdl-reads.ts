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
import { detached } from "../soap/detached.ts";

export const MAX_PAIRS = 1000;
/** More than the log shows, so that the log can tell that it was cut off. */
export const MAX_USER_AGENT = 200;
const FOLLOWED_WITHIN_MS = 600_000;
const REPORTED_EVERY_MS = 86_400_000;

/** What PHP's SoapClient, SOAP::Lite and JAX-WS read a WSDL with, but do not call with. */
const GENERAL = /^(?:$|libwww-perl\/|Java\/)/;

export interface Caller {
  readonly client: string;
  /** As it was sent. */
  readonly userAgent: string | undefined;
}
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
  /** Called with the events of this process. */
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
  /** Pairs that were reported or that called recently, and until when their reads are ignored. */
  readonly #quiet = new Map<string, number>();

  constructor(options: WsdlReadsOptions) {
    this.#options = options;
  }

  /**
   * Whether a call may follow a read: a cheap check on every call, so that most calls cost nothing more.
   */
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

  called({ client, userAgent }: Caller): void {
    for (const key of [keyOf(client, printable(userAgent ?? "")), client])
      if (this.#follow(key)) this.#options.onChange?.({ kind: "followed", key });
  }

  /** Applies an event of another process. */
  apply(change: Change): void {
    if (change.kind === "read") this.#add(change.client, change.userAgent, true);
    else this.#follow(change.key);
  }

  /** Reports what no call has followed in time. */
  sweep(): void {
    const now = this.#options.clock();
    for (const [key, { client, userAgent, since, isForeign, reads }] of this.#pending) {
      if (now - since < FOLLOWED_WITHIN_MS) return;
      this.#pending.delete(key);
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
    this.#makeRoom();
    if (this.#pending.size >= MAX_PAIRS) return false;
    const pair = { client: detached(client), userAgent: detached(userAgent) };
    this.#pending.set(detached(key), { ...pair, since, isForeign, reads: 1 });
    return true;
  }

  #follow(key: string): boolean {
    if (!this.#pending.delete(key)) return false;
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

const keyOf = (client: string, userAgent: string): string =>
  GENERAL.test(userAgent) ? client : `${client} ${userAgent}`;

const printable = (userAgent: string): string => userAgent.slice(0, MAX_USER_AGENT).replace(/[^ -~]/g, "?");
