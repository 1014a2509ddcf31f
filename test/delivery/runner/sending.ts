/**
 * What the tests of the runner share: an account with a sender and subscribers, campaigns, and runners on a
 * real store that send to a real SMTP server.
 */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { DeliveryEvents } from "#delivery/runner/ledger-writer.ts";
import { type DeliveryOptions, DeliveryRunner } from "#delivery/runner/runner.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { SenderValues } from "#domain/ports/sending/senders.ts";
import type { Store } from "#domain/ports/store.ts";
import { emptyContent, type Mailing, type MailingChange } from "#domain/sending/mailing.ts";
import { JobRunner } from "#jobs/runner.ts";
import { sleep } from "#jobs/sleep.ts";
import { senderValues } from "../../sending-campaign.ts";
import { type Actor, actor, forEachOf, newAccount } from "../../store/actor.ts";

/** How long anything may take. */
const TIMEOUT_MS = 45_000;

export interface Campaign extends OfMailing {
  readonly list: number;
  readonly by: Actor;
}

export const emails = (count: number, domain = "example.net"): readonly string[] =>
  Array.from({ length: count }, (_, n) => `p${n}@${domain}`);

/**
 * A draft to the subscribers of a new account, through the relay of the installation. `more` is added to its
 * text.
 */
export async function draft(
  store: Store,
  addresses: readonly string[],
  sender: Partial<SenderValues> = {},
  more = "",
): Promise<Campaign> {
  const by = actor(store, await newAccount(store));
  const { account } = by;
  const list = await by.list();
  await forEachOf(addresses, (email) => by.add(list, email));
  const { id } = await store.senders.create({
    ...senderValues,
    account,
    ...sender,
    createdAt: Date.now(),
  });
  const content = {
    ...emptyContent,
    sender: id,
    subject: "News for {{ email }}",
    text: `Hello {{ email }}\n\n{{ postal_address }}\n\nLeave: {{ unsubscribe_url }}\n${more}`,
    lists: [list],
  };
  const made = await store.mailings.create({ account, name: "News", content, at: Date.now() });
  assert.ok("campaign" in made, JSON.stringify(made));
  return { account, campaign: made.campaign.id, list, by };
}

/** Another draft with the same sender, to the same list. */
export async function draftLike(store: Store, { account, campaign, list, by }: Campaign): Promise<Campaign> {
  const like = await store.mailings.byId({ account, campaign });
  assert.ok(like);
  const made = await store.mailings.create({ account, name: "More", content: like.content, at: Date.now() });
  assert.ok("campaign" in made, JSON.stringify(made));
  return { account, campaign: made.campaign.id, list, by };
}

export interface StartSettings {
  readonly allowsHttp?: boolean;
}

export async function change(
  store: Store,
  of: OfMailing,
  what: MailingChange,
  { allowsHttp = true }: StartSettings = {},
): Promise<Mailing> {
  const { account, campaign } = of;
  const now = Date.now();
  const changed = await store.mailings.change({
    account,
    campaign,
    change: what,
    at: now,
    now,
    allowsHttp,
  });
  assert.ok(changed !== null && "state" in changed, JSON.stringify(changed));
  return changed;
}

export async function mailingOf(store: Store, { account, campaign }: OfMailing): Promise<Mailing> {
  const found = await store.mailings.byId({ account, campaign });
  assert.ok(found);
  return found.mailing;
}

/** Waits until the mailing is as wanted. */
export async function until(
  store: Store,
  of: OfMailing,
  isWanted: (mailing: Mailing) => boolean,
): Promise<Mailing> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const mailing = await mailingOf(store, of);
    if (isWanted(mailing)) return mailing;
    assert.ok(performance.now() < deadline, `not within ${TIMEOUT_MS} ms: ${JSON.stringify(mailing)}`);
    await setTimeout(25);
  }
}
export const untilState = (store: Store, of: OfMailing, state: Mailing["state"]): Promise<Mailing> =>
  until(store, of, (mailing) => mailing.state === state);
export async function untilTrue(isTrue: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!isTrue()) {
    assert.ok(performance.now() < deadline, `not within ${TIMEOUT_MS} ms: ${what}`);
    await setTimeout(5);
  }
}

export async function checkBalance(store: Store, { account, campaign }: OfMailing): Promise<void> {
  const balance = await store.mailings.balance({ account, campaign });
  assert.equal(balance?.isBalanced, true, JSON.stringify(balance));
}

export interface Sending extends AsyncDisposable {
  readonly runner: DeliveryRunner;
  /** What the runner has reported. */
  readonly seen: readonly string[];
  /** How many results it has stored. */
  readonly stored: () => number;
  stop(): Promise<void>;
}

let owners = 0;

function jobRunner(store: Store, owner: string): JobRunner {
  const ignore = (): void => {};
  return new JobRunner({
    jobs: store.jobs,
    works: {},
    owner: `jobs of ${owner}`,
    clock: Date.now,
    sleep,
    events: { onEnded: ignore, onFailed: ignore, onLost: ignore, onClaimed: ignore, onClaimFailed: ignore },
  });
}

/** Starts the campaign up to the point where messages would be sent. */
export async function select(store: Store, of: OfMailing, settings: StartSettings = {}): Promise<void> {
  await change(store, of, "schedule", settings);
  const { account, campaign } = of;
  assert.equal(await store.ledger.begin({ account, campaign, now: Date.now() }), "selecting");
  const jobs = jobRunner(store, "selection");
  jobs.start();
  await untilState(store, of, "sending");
  await jobs.stop();
}

/** A process takes all recipients, marks some of them as sending, and disappears. Returns their addresses. */
export async function loseProcess(
  store: Store,
  { account, campaign }: OfMailing,
  marked: number,
  leaseMs = 1,
): Promise<readonly string[]> {
  const now = Date.now();
  const given = { account, campaign, owner: "lost", until: now + leaseMs, now };
  const { batch } = await store.ledger.take({ ...given, limit: 500 });
  assert.ok(batch);
  const starts = batch.recipients
    .slice(0, marked)
    .map(({ subscriber, address }) => ({ subscriber, address }));
  const proceeded = await store.ledger.proceed({ ...given, batch: batch.id, results: [], starts });
  assert.ok(proceeded.starts.every((outcome) => outcome === "started"));
  return starts.map(({ address }) => address);
}

/** A runner for messages and one for jobs, as every process that serves has them. */
export function startSending(
  store: Store,
  relay: string,
  options: Partial<
    Pick<DeliveryOptions, "connections" | "clock" | "syncClock" | "threadEntry" | "messageCpuMs" | "settings">
  > = {},
): Sending {
  owners += 1;
  const owner = `test ${owners}`;
  const seen: string[] = [];
  let stored = 0;
  const ignore = (): void => {};
  const events: DeliveryEvents = {
    onBegan: () => seen.push("began"),
    onResults: (results) => {
      stored += results.length;
    },
    onUnreported: (_, count) => seen.push(`unknown: ${count}`),
    onSkipped: (count) => seen.push(`skipped: ${count}`),
    onRelayFailed: (_, reason) => seen.push(`relay failed: ${reason}`),
    onPaused: (_, reason) => seen.push(`paused: ${reason}`),
    onLost: () => seen.push("lost"),
    onStoreFailed: (_, error) => seen.push(`store failed: ${String(error)}`),
    onSearchFailed: (error) => seen.push(`search failed: ${String(error)}`),
    onSearched: ignore,
    onHeld: (_, reason) => seen.push(`held: ${reason}`),
    onThreadDied: (error, unknown) => seen.push(`thread died: ${error.message}; ${unknown} unknown`),
  };
  const jobs = jobRunner(store, owner);
  const runner = new DeliveryRunner({
    store,
    settings: { baseUrl: () => "http://localhost:8080", relay },
    owner,
    clock: Date.now,
    sleep,
    events,
    wakeJobs: () => jobs.wake(),
    connections: 10,
    pollMs: 50,
    ...options,
  });
  jobs.start();
  runner.start();
  let isRunning = true;
  const stop = async (): Promise<void> => {
    if (!isRunning) return;
    isRunning = false;
    await runner.stop();
    await jobs.stop();
  };
  return { runner, seen, stored: () => stored, stop, [Symbol.asyncDispose]: stop };
}
