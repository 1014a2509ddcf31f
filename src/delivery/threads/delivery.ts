/**
 * What the delivery thread does: makes the messages of all campaigns ahead of their connections, says which are
 * ready, and sends those that the runner has marked. Campaigns take turns. Nothing is sent that the runner has
 * not told it to send.
 */
import type { CampaignId } from "../../domain/campaign.ts";
import type { HandOver } from "../../domain/sending/hand-over.ts";
import { classify } from "../../domain/sending/smtp-reply.ts";
import type { SubscriberId } from "../../domain/subscriber/subscriber.ts";
import { CampaignQueue, type Reserved } from "./campaign-queue.ts";
import { prepareMessages } from "./composition.ts";
import type { Command, MailingToSend, Slot } from "./protocol.ts";
import type { RelaySlots } from "./relay-slots.ts";
import type { Reports } from "./reports.ts";

/** Messages that are made before a connection is free, for each connection. */
const AHEAD = 2;

export class Delivery {
  readonly #slots: RelaySlots;
  readonly #reports: Reports;
  readonly #campaigns = new Map<CampaignId, CampaignQueue>();
  /** A campaign that was opened again while messages of its last turn were being sent. */
  #isMaking = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(slots: RelaySlots, reports: Reports) {
    this.#slots = slots;
    this.#reports = reports;
  }

  run(command: Command): void {
    switch (command.do) {
      case "open":
        this.#open(command.mailing);
        break;
      case "compose":
        this.#campaigns.get(command.campaign)?.add(command.people);
        break;
      case "send":
        for (const subscriber of command.subscribers) this.#send(command.campaign, subscriber);
        break;
      case "drop":
        this.#drop(command.campaign, command.subscribers);
        break;
      case "delay":
        this.#delay(command);
        break;
      case "halt":
      case "close":
        this.#halt(command.campaign, command.do === "close");
        break;
      case "abort":
        void this.#slots.close();
        break;
      case "end":
        break;
    }
  }

  /** After commands, and whenever a slot was released. */
  next(): void {
    this.#reserve();
    void this.#make();
  }

  #open(mailing: MailingToSend): void {
    const { campaign, sender } = mailing;
    try {
      const make = prepareMessages(mailing);
      this.#campaigns.set(campaign, new CampaignQueue(campaign, this.#slots.acquire(sender.relays), make));
    } catch (error) {
      this.#reports.problem({ campaign, reason: textOf(error) });
    }
  }

  #send(campaign: CampaignId, subscriber: SubscriberId): void {
    const queue = this.#campaigns.get(campaign);
    const reserved = queue?.takeReserved(subscriber);
    if (queue === undefined || reserved === undefined) return;
    queue.sending += 1;
    void queue.relays.transport.send(reserved.message).then((handOver) => {
      queue.sending -= 1;
      this.#sent(queue, reserved, handOver);
    });
  }

  #sent(queue: CampaignQueue, { person, slot }: Reserved, handOver: HandOver): void {
    const { campaign, relays } = queue;
    const { result, relayFailure } = classify(handOver);
    relays.free.push(slot);
    this.#reports.result({ campaign, slot, result: { ...result, subscriber: person.subscriber } });
    // Of all connections, the first that fails reports it.
    if (relayFailure !== null && !queue.hasFailed) {
      queue.hasFailed = true;
      this.#reports.relayFailed({ campaign, reason: relayFailure });
    }
    if (queue.isClosed && queue.sending === 0) this.#slots.release(relays);
    this.next();
  }

  #drop(campaign: CampaignId, subscribers: readonly SubscriberId[]): void {
    const queue = this.#campaigns.get(campaign);
    for (const subscriber of subscribers) {
      const slot = queue?.drop(subscriber) ?? null;
      if (slot !== null) queue?.relays.free.push(slot);
    }
  }

  #delay({ campaign, subscriber, domain, until }: Extract<Command, { do: "delay" }>): void {
    const queue = this.#campaigns.get(campaign);
    const reserved = queue?.takeReserved(subscriber);
    if (queue === undefined || reserved === undefined) return;
    queue.relays.free.push(reserved.slot);
    queue.delay(reserved, domain, until);
  }

  #halt(campaign: CampaignId, isClosed: boolean): void {
    const queue = this.#campaigns.get(campaign);
    if (queue === undefined) return;
    queue.relays.free.push(...queue.halt());
    if (!isClosed) return;
    queue.isClosed = true;
    this.#campaigns.delete(campaign);
    if (queue.sending === 0) this.#slots.release(queue.relays);
  }

  /** One message of each campaign in turn, as long as there are slots. */
  #reserve(): void {
    let waitsUntil = Number.POSITIVE_INFINITY;
    for (let hasReserved = true; hasReserved; ) {
      hasReserved = false;
      for (const queue of this.#campaigns.values()) {
        waitsUntil = Math.min(waitsUntil, queue.waitsUntil ?? waitsUntil);
        if (!queue.mayStart || !queue.hasMade) continue;
        const slot = queue.relays.free.pop();
        if (slot === undefined) continue;
        this.#ready(queue, slot);
        hasReserved = true;
      }
    }
    this.#wakeAt(waitsUntil);
  }
  #ready(queue: CampaignQueue, slot: Slot): void {
    const { campaign } = queue;
    const subscriber = queue.reserve(slot);
    if (subscriber === null) queue.relays.free.push(slot);
    else this.#reports.ready({ campaign, subscriber, slot });
  }
  /** When a limit ends. */
  #wakeAt(time: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (Number.isFinite(time))
      this.#timer = setTimeout(() => this.next(), Math.min(Math.max(time - Date.now(), 1), 60_000));
  }

  /** Makes messages one by one, so that connections are served in between. */
  async #make(): Promise<void> {
    if (this.#isMaking) return;
    this.#isMaking = true;
    for (let hasMade = true; hasMade; ) {
      hasMade = false;
      for (const queue of this.#campaigns.values()) {
        if (queue.hasFailed || queue.ahead >= AHEAD * queue.relays.transport.connections) continue;
        if (!this.#makeOne(queue)) continue;
        hasMade = true;
        this.#reserve();
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
      }
    }
    this.#isMaking = false;
  }

  #makeOne(queue: CampaignQueue): boolean {
    const { campaign } = queue;
    try {
      const made = queue.makeNext();
      if (made === null) {
        if (!queue.isKnownHungry) this.#reports.hungry(campaign);
        queue.isKnownHungry = true;
        return false;
      }
      if ("notMade" in made) {
        const { subscriber } = made.person;
        this.#reports.result({ campaign, slot: null, result: { subscriber, state: "skipped", ...made.notMade } });
      }
      return true;
    } catch (error) {
      // Not the fault of one person: nothing of this campaign can be made.
      queue.hasFailed = true;
      this.#reports.problem({ campaign, reason: textOf(error) });
      return false;
    }
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
