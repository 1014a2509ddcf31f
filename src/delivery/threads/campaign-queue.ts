/**
 * The recipients of one campaign that the thread still has to send to. It makes a few messages ahead of their
 * connections. Messages to a domain that has reached a limit wait, and the others go first. The times of
 * limits are monotonic. Does not know how a message is sent.
 */
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { BatchId } from "#domain/ports/sending/ledger.ts";
import type { MergeData, OfMailing } from "#domain/ports/sending/mailings.ts";
import { domainOf } from "#domain/sending/domains.ts";
import type { OutgoingMessage } from "#domain/sending/hand-over.ts";
import type { Relay } from "#domain/sending/relay.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { mayBecome, type Transitions } from "#domain/transitions.ts";
import type { Pacer } from "../smtp/pacer.ts";
import type { PacedRelay, SenderRelays } from "../smtp/relays.ts";
import type { MadeOrNot, MakeMessage, NotMade } from "./composition.ts";
import type { RunId, Slot } from "./protocol.ts";

/** `reserved`: for a message that is made. `sending`: from the command until the result is known. */
type SlotState = "free" | "reserved" | "sending";
export const slotTransitions: Transitions<SlotState> = {
  free: ["reserved"],
  reserved: ["sending", "free"],
  sending: ["free"],
};

/**
 * The connections of the thread, as numbered slots for each set of relays. A message gets a slot before it
 * may be sent, and holds it until its result is known. Which connection it then uses is left to the
 * transport.
 */
export class Slots {
  readonly #states: Map<Slot, SlotState>;

  constructor(slots: readonly Slot[]) {
    this.#states = new Map(slots.map((slot) => [slot, "free"]));
  }
  get used(): number {
    let used = 0;
    for (const state of this.#states.values()) if (state !== "free") used += 1;
    return used;
  }
  /** null: none is free. */
  reserve(): Slot | null {
    for (const [slot, state] of this.#states) if (state === "free") return this.#move(slot, "reserved");
    return null;
  }
  send(slot: Slot): void {
    this.#move(slot, "sending");
  }
  release(slot: Slot): void {
    this.#move(slot, "free");
  }
  #move(slot: Slot, to: SlotState): Slot {
    if (mayBecome(slotTransitions, this.#states.get(slot) ?? to, to)) this.#states.set(slot, to);
    return slot;
  }
}

interface OpenRelays {
  readonly transport: SenderRelays;
  readonly slots: Slots;
  /** How many campaigns use it. */
  users: number;
}

export class RelaySlots {
  readonly #open: (relays: readonly Relay[]) => SenderRelays;
  readonly #relays = new Map<string, OpenRelays>();
  #lastSlot = 0;

  constructor(open: (relays: readonly Relay[]) => SenderRelays) {
    this.#open = open;
  }

  /** How many messages are being sent, or are about to be. */
  get used(): number {
    let used = 0;
    for (const { slots } of this.#relays.values()) used += slots.used;
    return used;
  }

  /** Campaigns with the same relays share their connections. */
  acquire(relays: readonly Relay[]): OpenRelays {
    const key = JSON.stringify(relays);
    let open = this.#relays.get(key);
    if (open === undefined) {
      const transport = this.#open(relays);
      const numbers = Array.from({ length: transport.connections }, () => {
        this.#lastSlot += 1;
        return this.#lastSlot;
      });
      open = { transport, slots: new Slots(numbers), users: 0 };
      this.#relays.set(key, open);
    }
    open.users += 1;
    return open;
  }

  /** Idle connections end by themselves; unused relays are closed, so that their secrets are forgotten. */
  release(relays: OpenRelays): void {
    relays.users -= 1;
    if (relays.users > 0 || relays.slots.used > 0) return;
    for (const [key, open] of this.#relays) if (open === relays) this.#relays.delete(key);
    void relays.transport.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#relays.values()].map(({ transport }) => transport.close()));
  }
}

interface Person extends MergeData {
  readonly batch: BatchId;
}
/** A message that is made. */
interface Made {
  readonly person: Person;
  readonly message: OutgoingMessage;
}
export interface Reserved extends Made {
  readonly slot: Slot;
  /** To which it goes first. */
  readonly relay: PacedRelay | null;
}

/** A message that takes longer to make than this keeps the connections of all campaigns waiting. */
export const SLOW_MS = 20;
/** How much of what a slow message took counts for the next: some dozens of quick ones make up for it. */
const SLOWNESS_KEPT = 0.9;

/**
 * `unprepared`: the content is prepared before the first message. `starved`: no recipient is left to whom it
 * may send now, and that is reported. `failed`: nothing more is made or started. `closed`: nor that, and its
 * connections are released with the last message that is being sent.
 */
type QueuePhase =
  | { readonly name: "unprepared"; readonly prepare: () => MakeMessage }
  | { readonly name: "fed" | "starved"; readonly make: MakeMessage }
  | { readonly name: "failed" | "closed" };
export const queueTransitions: Transitions<QueuePhase["name"]> = {
  unprepared: ["fed", "failed", "closed"],
  fed: ["starved", "failed", "closed"],
  starved: ["fed", "failed", "closed"],
  failed: ["closed"],
  closed: [],
};

export class CampaignQueue {
  readonly runId: RunId;
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly fromAddress: string;
  readonly relays: OpenRelays;
  /** Of a sender with a limit by second. */
  readonly pacer: Pacer | null;
  #phase: QueuePhase;
  /** In order; recipients before `#next` are gone. */
  #people: Person[] = [];
  #next = 0;
  /** Put back, to be tried first. */
  #again: Person[] = [];
  readonly #made: Made[] = [];
  /** Recipients whose messages are being signed. */
  readonly #signing = new Set<Person>();
  readonly #reserved = new Map<SubscriberId, Reserved>();
  readonly #domainLimits = new Map<string, number>();
  /** Recipients of these domains. */
  #limited: Person[] = [];
  #limitedUntil = 0;
  /** Messages that are being sent. */
  sending = 0;
  #slowness = 0;

  /** `prepare` throws an Error with the problem if no message can be made of the content. */
  constructor(
    runId: RunId,
    { account, campaign, fromAddress }: OfMailing & { readonly fromAddress: string },
    relays: OpenRelays,
    prepare: () => MakeMessage,
    pacer: Pacer | null = null,
  ) {
    this.runId = runId;
    this.account = account;
    this.campaign = campaign;
    this.fromAddress = fromAddress;
    this.relays = relays;
    this.pacer = pacer;
    this.#phase = { name: "unprepared", prepare };
  }

  get phase(): QueuePhase["name"] {
    return this.#phase.name;
  }
  #become(next: QueuePhase): boolean {
    if (this.phase === next.name || !mayBecome(queueTransitions, this.phase, next.name)) return false;
    this.#phase = next;
    return true;
  }
  /** Nothing more is made or started. Returns whether that is new. */
  fail(): boolean {
    return this.#become({ name: "failed" });
  }
  /** No recipient is left to whom it may send now. Returns whether that is new. */
  starve(): boolean {
    if (!("make" in this.#phase) || this.#signing.size > 0) return false;
    return this.#become({ ...this.#phase, name: "starved" });
  }

  add(batch: BatchId, people: readonly MergeData[]): void {
    const added = people.map((person) => ({ ...person, batch }));
    this.#people = [...this.#people.slice(this.#next), ...added];
    this.#next = 0;
    if ("make" in this.#phase) this.#become({ ...this.#phase, name: "fed" });
  }

  /** Messages that are made or being signed, and not being sent. */
  get ahead(): number {
    return this.#made.length + this.#reserved.size + this.#signing.size;
  }
  get mayStart(): boolean {
    return this.phase !== "failed" && this.phase !== "closed" && this.#limitedUntil <= performance.now();
  }
  /** When to look again; null: nothing waits for a time. */
  get waitsUntil(): number | null {
    const now = performance.now();
    const times = [...this.#domainLimits.values(), this.#limitedUntil].filter((time) => time > now);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Whether it can go on now, so that it would notice if the thread were busy with others. */
  get isActive(): boolean {
    return this.sending > 0 || (this.mayStart && (this.#hasPeople || this.ahead > 0));
  }
  get #hasPeople(): boolean {
    return this.#next < this.#people.length || this.#again.length > 0;
  }
  /** Whether making a message took long lately, or what comes next may: preparing the content. */
  get isSlow(): boolean {
    return this.phase === "unprepared" || this.#slowness > SLOW_MS;
  }
  /** How long making a message has taken. */
  took(ms: number): void {
    this.#slowness = Math.max(ms, this.#slowness * SLOWNESS_KEPT);
  }

  /** A recipient waits, and the content is not prepared. */
  get mustPrepare(): boolean {
    return this.phase === "unprepared" && this.#hasPeople;
  }
  /** Once, before the first message; it can take seconds. Throws what `prepare` throws. */
  prepare(): void {
    if (this.#phase.name === "unprepared") this.#become({ name: "fed", make: this.#phase.prepare() });
  }

  /**
   * Makes the message of the next person. Signed messages are made a little later; until then they are
   * counted as made ahead. false: there is no recipient.
   */
  makeNext(onMade: (person: MergeData, notMade: NotMade | null) => void): boolean {
    const phase = this.#phase;
    const person = "make" in phase ? this.#nextPerson() : null;
    if (!("make" in phase) || person === null) return false;
    const add = (message: MadeOrNot): void => {
      const isUnmade = "reason" in message;
      if (!isUnmade) this.#made.push({ person, message });
      onMade(person, isUnmade ? message : null);
    };
    const message = phase.make(person, Date.now());
    if (!(message instanceof Promise)) add(message);
    else {
      this.#signing.add(person);
      // Unless it was dropped meanwhile.
      void message.then((signed) => this.#signing.delete(person) && add(signed));
    }
    return true;
  }

  #nextPerson(): Person | null {
    this.#endLimits();
    for (;;) {
      const person = this.#again.pop() ?? this.#people[this.#next];
      if (person === undefined) return null;
      if (person === this.#people[this.#next]) this.#next += 1;
      if (!this.#isLimited(person)) return person;
      this.#limited.push(person);
    }
  }
  #isLimited({ address }: MergeData): boolean {
    return this.#domainLimits.size > 0 && this.#domainLimits.has(domainOf(address));
  }
  #endLimits(): void {
    if (this.#domainLimits.size === 0) return;
    const now = performance.now();
    for (const [domain, until] of this.#domainLimits) if (until <= now) this.#domainLimits.delete(domain);
    const free = this.#limited.filter((person) => !this.#isLimited(person));
    if (free.length === 0) return;
    this.#limited = this.#limited.filter((person) => this.#isLimited(person));
    this.#again.push(...free.toReversed());
  }

  /**
   * A slot and permits for the message that was made first. A number: in so many milliseconds there may be
   * permits. null: none is made or may start, or no slot is free.
   */
  reserve(): Reserved | number | null {
    const [made] = this.#made;
    const { slots, transport } = this.relays;
    const slot = made === undefined || !this.mayStart ? null : slots.reserve();
    if (made === undefined || slot === null) return null;
    const waitMs = Math.max(this.pacer?.waitMs() ?? 0, transport.waitMs());
    if (waitMs > 0) {
      slots.release(slot);
      return waitMs;
    }
    this.#made.shift();
    this.pacer?.use();
    const reserved = { ...made, slot, relay: transport.reserve() };
    this.#reserved.set(made.person.subscriber, reserved);
    return reserved;
  }
  /** undefined: it was dropped meanwhile. */
  takeReserved(subscriber: SubscriberId): Reserved | undefined {
    const reserved = this.#reserved.get(subscriber);
    this.#reserved.delete(subscriber);
    return reserved;
  }

  /** Puts a recipient back until a limit ends, in so many milliseconds; null: the limit is for all. */
  delay(subscriber: SubscriberId, domain: string | null, ms: number): void {
    const reserved = this.takeReserved(subscriber);
    if (reserved === undefined) return;
    const { person, message, slot } = reserved;
    this.relays.slots.release(slot);
    const until = performance.now() + ms;
    if (domain === null) {
      this.#limitedUntil = Math.max(this.#limitedUntil, until);
      this.#made.unshift({ person, message });
      return;
    }
    this.#domainLimits.set(domain, until);
    this.#limited.push(person);
    // What was made ahead for the same domain waits, too.
    for (const made of this.#made.splice(0)) {
      if (this.#isLimited(made.person)) this.#limited.push(made.person);
      else this.#made.push(made);
    }
  }

  /** Forgets a recipient who is not being sent to. */
  drop(subscriber: SubscriberId): void {
    const reserved = this.takeReserved(subscriber);
    if (reserved !== undefined) return this.relays.slots.release(reserved.slot);
    const isOther = ({ subscriber: other }: MergeData): boolean => other !== subscriber;
    const at = this.#made.findIndex(({ person }) => !isOther(person));
    if (at >= 0) this.#made.splice(at, 1);
    this.#people = this.#people.slice(this.#next).filter(isOther);
    this.#next = 0;
    this.#again = this.#again.filter(isOther);
    this.#limited = this.#limited.filter(isOther);
    for (const person of this.#signing) if (!isOther(person)) this.#signing.delete(person);
  }

  /** Forgets all that are not being sent. */
  halt(): void {
    this.#people = [];
    this.#next = 0;
    this.#again = [];
    this.#limited = [];
    this.#made.length = 0;
    this.#signing.clear();
    for (const { slot } of this.#reserved.values()) this.relays.slots.release(slot);
    this.#reserved.clear();
  }
  /** As `halt`; nothing follows. */
  close(): void {
    this.#become({ name: "closed" });
    this.halt();
  }
}
