/**
 * The relays of a sender, as one. Each is an SMTP server, or a folder for trying out. A message that a relay
 * cannot take goes to another one. Only if none of them works, the sender has no relay.
 */
import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HandOver, OutgoingMessage } from "#domain/sending/hand-over.ts";
import { relayDelay } from "#domain/sending/mailing.ts";
import { paceKeyOf, parseRelayUrl } from "#domain/sending/relay.ts";
import type { Relay } from "#domain/sending/sender.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import { makeFolder } from "#files/make-folder.ts";
import { writeFailure } from "#files/partial-folder.ts";
import type { Pacer, Pacers } from "./pacer.ts";
import { notBegun, type RelayTransport, SmtpPool } from "./pool.ts";
import { cleanText } from "./reply.ts";
import { SmtpSession } from "./session.ts";
import { type SmtpOptions, settingsFrom } from "./settings.ts";

/** An address that cannot be used is a relay that fails, so that the campaign waits with the reason. */
const unusable = (problem: string, connections: number): RelayTransport => {
  const failure: HandOver = { kind: "relay failed", stage: "connect", text: problem };
  return { connections, send: () => Promise.resolve(failure), close: () => Promise.resolve() };
};

/** Nothing is connected before the first message. */
export function openRelay(url: string, options: SmtpOptions = {}): RelayTransport {
  const settings = settingsFrom(options);
  const address = parseRelayUrl(url);
  if ("problem" in address) return unusable(address.problem, settings.connections);
  if (address.kind === "smtp") return new SmtpPool(address, settings);
  return settings.allowsInnerAddresses
    ? openOutbox(address.folder, settings.connections)
    : unusable("only an administrator can have messages written to a folder", settings.connections);
}

/**
 * Tries a relay without sending anything: connects, uses TLS, logs in and quits. `problem`: what keeps
 * messages from being sent, with the relay's words; null: nothing. A folder is no problem here: it takes
 * every message. Never rejects.
 */
export async function tryRelay(
  url: string,
  options: SmtpOptions = {},
): Promise<{ readonly problem: string | null }> {
  const address = parseRelayUrl(url);
  if ("problem" in address) return address;
  if (address.kind === "folder") return { problem: null };
  const opened = await SmtpSession.open(address, settingsFrom(options));
  if ("kind" in opened)
    return { problem: opened.kind === "rejected" ? `${opened.stage}: ${opened.text}` : opened.text };
  opened.quit();
  return { problem: null };
}

/**
 * A folder in place of a relay: every message becomes a file. A message that is repeated replaces its file.
 * Files are private, as they contain addresses and unsubscribe links.
 */
function openOutbox(folder: string, connections: number): RelayTransport {
  let isThere = false;
  const send = async (message: OutgoingMessage): Promise<HandOver> => {
    try {
      if (!/^[\w-]+$/.test(message.name)) throw new Error(`${message.name} is not a name for a file`);
      if (!isThere) await makeFolder(folder);
      isThere = true;
      await writeMessage(folder, message);
      return { kind: "accepted", code: null, status: null, text: `written to ${message.name}.eml` };
    } catch (error) {
      // The folder may have been removed.
      isThere = false;
      const text = cleanText(`no message can be written to ${folder}: ${writeFailure(error)}`);
      return { kind: "relay failed", stage: "mail", text };
    }
  };
  return { connections, send, close: () => Promise.resolve() };
}
async function writeMessage(folder: string, { name, bytes }: OutgoingMessage): Promise<void> {
  // Beside its final name, so that no program reads half a message.
  const partial = join(folder, `.${name}.${randomBytes(6).toString("hex")}.partial`);
  try {
    await writeFile(partial, bytes, { mode: 0o600, flag: "wx" });
    await rename(partial, join(folder, `${name}.eml`));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

export interface RelayStanding {
  readonly weight: number;
  /** The relay with the highest credit is next. */
  credit: number;
  /** In a row. */
  failures: number;
  failsUntil: number;
}
export const newStanding = (weight: number): RelayStanding => ({
  weight,
  credit: 0,
  failures: 0,
  failsUntil: 0,
});

/**
 * Which of several relays takes the next message: in turn, by their weights. A relay that fails is left out
 * while another one works, and is tried again after a growing time. Of relays that all fail, it is the one
 * that can be tried first. null: there are none. `now`: monotonic.
 */
export function chooseRelay<Standing extends RelayStanding>(
  relays: readonly Standing[],
  now: number,
): Standing | null {
  const working = relays.filter(({ failsUntil }) => failsUntil <= now);
  if (working.length === 0)
    return relays.reduce<Standing | null>(
      (first, relay) => (first === null || relay.failsUntil < first.failsUntil ? relay : first),
      null,
    );
  // Smooth weighted round-robin: each relay earns its weight, and the chosen one pays the sum.
  let chosen: Standing | null = null;
  let total = 0;
  for (const relay of working) {
    relay.credit += relay.weight;
    total += relay.weight;
    if (chosen === null || relay.credit > chosen.credit) chosen = relay;
  }
  if (chosen !== null) chosen.credit -= total;
  return chosen;
}

export function noteFailure(relay: RelayStanding, now: number): void {
  // The messages that were on their way when the relay failed are one failure.
  if (relay.failsUntil > now) return;
  relay.failures += 1;
  relay.failsUntil = now + relayDelay(relay.failures);
}
export function noteSuccess(relay: RelayStanding): void {
  relay.failures = 0;
  relay.failsUntil = 0;
}

/** The relays of a sender. Each keeps its own pace. */
export interface SenderRelays {
  /** That of all together: each relay may get all of them. */
  readonly connections: number;
  /** In how many milliseconds a message may begin; 0: now. Infinity: when permits have arrived. */
  waitMs(): number;
  /** A message is about to begin: uses a permit. Returns the relay that gets it first. */
  reserve(): PacedRelay | null;
  /** As of a `RelayTransport`. */
  send(message: OutgoingMessage, mayBegin?: () => boolean, first?: PacedRelay | null): Promise<HandOver>;
  /** What the relays said that accept nothing, however slow messages come; null: at least one does. */
  readonly refusal: string | null;
  close(): Promise<void>;
}

export interface PacedRelay extends RelayStanding {
  readonly transport: RelayTransport;
  /** null: nobody keeps a pace, as for a single test message; or it is a folder. */
  readonly pacer: Pacer | null;
}

const always = (): boolean => true;

/** At least one relay. */
export function openRelays(
  relays: readonly Relay[],
  options: SmtpOptions = {},
  pacers: Pacers | null = null,
): SenderRelays {
  const all = relays.map(({ url, weight, allowsInner }): PacedRelay => {
    const allowsInnerAddresses = options.allowsInnerAddresses === true || allowsInner === true;
    const key = paceKeyOf(url);
    return {
      ...newStanding(weight),
      transport: openRelay(url, { ...options, allowsInnerAddresses }),
      pacer: key === null ? null : (pacers?.acquire(key) ?? null),
    };
  });
  const waitOf = ({ pacer }: PacedRelay): number => pacer?.waitMs() ?? 0;
  const isFailing = ({ failsUntil }: PacedRelay): boolean => failsUntil > performance.now();
  /** Chosen by weight, whether it has a permit or not: shares stay what they are. */
  let next: PacedRelay | null = null;
  function nextRelay(): PacedRelay | null {
    if (next === null || (isFailing(next) && !all.every(isFailing)))
      next = chooseRelay(all, performance.now());
    return next;
  }

  async function sendBy(relay: PacedRelay, message: OutgoingMessage, mayBegin: () => boolean) {
    const { transport, pacer } = relay;
    let beganAt = performance.now();
    const outcome = await transport.send(message, () => {
      beganAt = performance.now();
      return mayBegin();
    });
    const { relayFailure, isTooFast } = classify(outcome);
    if (outcome.kind === "accepted") {
      pacer?.accepted();
      noteSuccess(relay);
    } else if (isTooFast) pacer?.refused(wordsOf(outcome), beganAt);
    else if (relayFailure !== null) noteFailure(relay, performance.now());
    return { outcome, isOver: relayFailure === null && !isTooFast };
  }
  return {
    connections: all.reduce((most, { transport }) => Math.max(most, transport.connections), 0),
    waitMs() {
      const relay = nextRelay();
      return relay === null ? 0 : waitOf(relay);
    },
    reserve() {
      const relay = nextRelay();
      next = null;
      relay?.pacer?.use();
      return relay;
    },
    async send(message, mayBegin = always, first = null) {
      let outcome: HandOver = { kind: "relay failed", stage: "connect", text: "the sender has no relay" };
      const untried = new Set(all);
      for (let relay = first ?? chooseRelay(all, performance.now()); relay !== null; ) {
        untried.delete(relay);
        const sent = await sendBy(relay, message, mayBegin);
        outcome = sent.outcome;
        if (sent.isOver) break;
        // One that is known to fail is tried only if nothing was tried yet.
        const others = [...untried].filter((other) => !isFailing(other));
        relay = chooseRelay(
          others.filter((other) => waitOf(other) === 0),
          performance.now(),
        );
        relay?.pacer?.use();
        if (relay === null && others.length > 0) return notBegun("another relay has no permit now");
      }
      return outcome;
    },
    get refusal() {
      const refusals = all.map(({ pacer }) => pacer?.refusal ?? null);
      return refusals.includes(null) ? null : (refusals[0] ?? null);
    },
    close: async () => {
      for (const { pacer } of all) if (pacer !== null) pacers?.release(pacer);
      await Promise.all(all.map(({ transport }) => transport.close()));
    },
  };
}

const wordsOf = (outcome: HandOver): string => ("text" in outcome ? outcome.text : "");
