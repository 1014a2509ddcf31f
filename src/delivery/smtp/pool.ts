/**
 * The connections to one SMTP server. A message waits until one is free; a connection is reused, and closed
 * when it is idle or was used often. A message is sent again by itself in two cases only, and in both the
 * relay got at most its envelope: a connection that had been used before was closed by the relay (many close
 * it after a number of messages, or with 421), and a further connection was refused while others are open or
 * being opened.
 */
import type { HandOver, OutgoingMessage } from "#domain/sending/hand-over.ts";
import { STOPPED } from "./dial.ts";
import { type Refused, type SmtpAddress, SmtpSession } from "./session.ts";
import type { SmtpSettings } from "./settings.ts";

/** Something that takes complete messages and says what became of them. */
export interface RelayTransport {
  /** How many messages are handed over at a time; further ones wait. */
  readonly connections: number;
  /**
   * Never rejects, and always comes to an end. `mayBegin` is asked when there is a connection, which can take
   * a minute, just before the relay learns of the message. If it says no, the message is `not begun`.
   */
  send(message: OutgoingMessage, mayBegin?: () => boolean): Promise<HandOver>;
  /** Takes no more messages. Messages on their way have ten seconds; then their connections are ended. */
  close(): Promise<void>;
}

/** Nothing was handed over: the recipient is queued again. */
export const notBegun = (text: string): HandOver => ({
  kind: "lost",
  stage: "connect",
  mayBeHandedOver: false,
  text,
});

/** For how long a relay that refused a further connection is asked for no more than it gave. */
const FEWER_MS = 60_000;

/**
 * For how long a connection is kept that took too long to open for its message: a further one would, too. It
 * is longer than a limit by minute lasts.
 */
const UNUSED_MS = 90_000;

/**
 * Whether the relay ended the connection before it took anything. With PIPELINING, MAIL and RCPT leave
 * together.
 */
const endedBeforeMessage = (outcome: HandOver): boolean =>
  (outcome.kind === "lost" && (outcome.stage === "mail" || outcome.stage === "rcpt")) ||
  (outcome.kind === "rejected" && outcome.stage === "mail" && outcome.code === 421);

const stopped = notBegun(STOPPED);
const always = (): boolean => true;

export class SmtpPool implements RelayTransport {
  readonly connections: number;
  readonly #address: SmtpAddress;
  readonly #settings: SmtpSettings;
  readonly #idle: { readonly session: SmtpSession; readonly timer: NodeJS.Timeout }[] = [];
  readonly #working = new Set<SmtpSession>();
  /** Connections that are being opened. */
  readonly #opening = new Set<AbortController>();
  readonly #waiting: ((unsent: HandOver | null) => void)[] = [];
  /** Slots for connections, in use with or without a session. */
  #inUse = 0;
  #limit: number;
  #limitedUntil = 0;
  #isClosed = false;
  #whenUnused: () => void = () => {};

  constructor(address: SmtpAddress, settings: SmtpSettings) {
    this.connections = settings.connections;
    this.#limit = settings.connections;
    this.#address = address;
    this.#settings = settings;
  }

  async send(message: OutgoingMessage, mayBegin = always): Promise<HandOver> {
    const unsent = await this.#slot();
    if (unsent !== null) return unsent;
    let session = this.#takeIdle();
    for (;;) {
      if (this.#isClosed) {
        session?.quit();
        this.#leave();
        return stopped;
      }
      const wasUsed = session !== null && session.messages > 0;
      if (session === null) {
        const opened = await this.#open();
        if (opened === null) continue;
        if ("kind" in opened) {
          // They are open, or being opened.
          const others = this.#inUse - 1 + this.#idle.length;
          const isOneTooMany = opened.kind === "rejected" && opened.code < 500 && others > 0;
          if (isOneTooMany) this.#allowFewer(others);
          if (others === 0) this.#refuseAll(opened);
          this.#leave();
          if (!isOneTooMany) return opened;
          const unsent = await this.#slot();
          if (unsent !== null) return unsent;
          session = this.#takeIdle();
          continue;
        }
        session = opened;
      }
      if (!mayBegin()) {
        const unsent = notBegun("it took too long to get a connection");
        void this.#giveBack(session, unsent);
        return unsent;
      }
      this.#working.add(session);
      const outcome = await session.send(message);
      if (wasUsed && endedBeforeMessage(outcome)) {
        this.#working.delete(session);
        session.end();
        session = null;
        continue;
      }
      void this.#giveBack(session, outcome);
      return this.#unlessStopped(outcome);
    }
  }

  /** A connection that the pool itself has ended was not lost. */
  #unlessStopped(outcome: HandOver): HandOver {
    const isUnsent = outcome.kind === "lost" && !outcome.mayBeHandedOver;
    return this.#isClosed && isUnsent ? stopped : outcome;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      session.quit();
    }
    for (const give of this.#waiting.splice(0)) give(stopped);
    if (this.#inUse === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenUnused = resolve;
    const timer = setTimeout(() => {
      for (const session of this.#working) session.end();
      // They would go on for as long as a relay that does not reply has time for its greeting.
      for (const attempt of this.#opening) attempt.abort();
    }, this.#settings.timeouts.close);
    await promise;
    clearTimeout(timer);
  }

  /** null: the pool was closed meanwhile, and its time is over. */
  async #open(): Promise<SmtpSession | Refused | null> {
    const attempt = new AbortController();
    this.#opening.add(attempt);
    const opened = await SmtpSession.open(this.#address, this.#settings, attempt.signal);
    this.#opening.delete(attempt);
    if (!attempt.signal.aborted) return opened;
    if (!("kind" in opened)) opened.end();
    return null;
  }

  /** The relay gives no further connection: from now on there are only as many as the others. */
  #allowFewer(others: number): void {
    this.#limit = others;
    this.#limitedUntil = performance.now() + FEWER_MS;
  }
  /** It gives none at all: waiting messages would fail one after the other. */
  #refuseAll(refusal: Refused): void {
    this.#limit = this.connections;
    for (const give of this.#waiting.splice(0)) give(refusal);
  }

  #hasSlot(): boolean {
    if (this.#limit < this.connections && performance.now() > this.#limitedUntil)
      this.#limit = this.connections;
    return this.#inUse < this.#limit;
  }
  /** null: it has one. Otherwise, why there is none. */
  async #slot(): Promise<HandOver | null> {
    while (!this.#hasSlot()) {
      if (this.#isClosed) return stopped;
      const unsent = await new Promise<HandOver | null>((resolve) => this.#waiting.push(resolve));
      if (unsent !== null) return unsent;
    }
    this.#inUse += 1;
    return null;
  }
  #leave(): void {
    this.#inUse -= 1;
    this.#waiting.shift()?.(null);
    if (this.#inUse === 0) this.#whenUnused();
  }

  #takeIdle(): SmtpSession | null {
    for (;;) {
      // The most recently used: the others become idle and are closed.
      const last = this.#idle.pop();
      if (last === undefined) return null;
      clearTimeout(last.timer);
      if (!last.session.hasEnded) return last.session;
    }
  }

  /** The result of the message does not wait for it. */
  async #giveBack(session: SmtpSession, outcome: HandOver): Promise<void> {
    const isOpen = outcome.kind === "rejected" && outcome.stage !== "dot";
    const isUsable = !session.hasEnded && (!isOpen || (await session.reset()));
    this.#working.delete(session);
    if (!isUsable) session.end();
    else if (this.#isClosed || session.messages >= this.#settings.messagesPerConnection) session.quit();
    else this.#keep(session);
    this.#leave();
  }
  #keep(session: SmtpSession): void {
    const timer = setTimeout(
      () => {
        const index = this.#idle.findIndex((entry) => entry.session === session);
        if (index >= 0) this.#idle.splice(index, 1);
        session.quit();
      },
      session.messages === 0 ? UNUSED_MS : this.#settings.timeouts.idle,
    );
    this.#idle.push({ session, timer });
  }
}
