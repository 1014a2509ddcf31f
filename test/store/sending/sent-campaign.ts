/**
 * A campaign that is being sent, at times that a test chooses: short forms of the ledger's commands, each of
 * which is followed by a recount.
 */
import assert from "node:assert/strict";
import type { CampaignId } from "#domain/campaign.ts";
import { collect } from "#domain/paging.ts";
import type { Batch, DeliveryResult, Proceeded } from "#domain/ports/sending/ledger.ts";
import type { Store } from "#domain/ports/store.ts";
import { emptyContent, type Mailing, type MailingChange } from "#domain/sending/mailing.ts";
import type { RecipientState } from "#domain/sending/recipient.ts";
import type { SenderLimits } from "#domain/sending/sender.ts";
import { type Actor, actor, forEachOf, NOW, newAccount } from "../actor.ts";
import { finish, leaseAt } from "../job-steps.ts";

export const LEASE = 20_000;
const noLimits: SenderLimits = { perSecond: null, perDomainMinute: null, perDay: null };

/** A result without its recipient. */
export type Outcome = DeliveryResult extends infer R
  ? R extends unknown
    ? Omit<R, "subscriber">
    : never
  : never;
export const SENT: Outcome = { state: "sent", code: 250 };
export const DEFERRED: Outcome = { state: "deferred", code: 451, reply: "451 4.3.0 try later" };
export const UNKNOWN: Outcome = { state: "unknown", reply: "connection lost" };
export const failed = (isHardBounce: boolean): Outcome => ({
  ...{ state: "failed", code: 550, reply: "550 5.1.1 no such user", isHardBounce },
});

export const emails = (count: number, domain = "example.org"): readonly string[] =>
  Array.from({ length: count }, (_, n) => `p${String(n).padStart(5, "0")}@${domain}`);

interface Options {
  readonly limits?: Partial<SenderLimits>;
  /** Who is on the excluded list. */
  readonly excluded?: readonly string[];
}

/** A campaign that is composed and scheduled, to these people. */
export async function scheduledCampaign(store: Store, people: readonly string[], options: Options = {}) {
  const a = actor(store, await newAccount(store));
  const { account } = a;
  const [list, other] = [await a.list("News"), await a.list("Not these")];
  await forEachOf(people, (email) => a.add(list, email));
  await forEachOf(options.excluded ?? [], (email) => a.add(other, email));
  const sender = await store.senders.create({
    ...{
      account,
      fromAddress: "news@example.org",
      fromName: "News",
      replyTo: null,
      postalAddress: "A street",
    },
    ...{
      bounceDomain: null,
      signing: "relay",
      dkimDomain: null,
      dkimSelector: null,
      dkimKey: null,
      relays: [],
    },
    ...{ createdAt: NOW, ...noLimits, ...options.limits },
  });
  const content = { ...emptyContent, sender: sender.id, lists: [list], excludedLists: [other] };
  const made = await store.mailings.create({ account, name: "Spring", content, at: NOW });
  assert.ok("campaign" in made);
  const campaign = made.campaign.id;
  await store.mailings.change({ account, campaign, change: "schedule", at: NOW, now: NOW });
  return {
    ...a,
    record: a.campaign,
    newList: a.list,
    list,
    other,
    sender: sender.id,
    campaign,
    of: { account, campaign },
  };
}

/** Does the job that `begin` has created. */
export async function select(store: Store, campaign: CampaignId, now = NOW): Promise<number> {
  const job = (await store.jobs.left()).find(({ name }) => name === `select-recipients ${campaign}`);
  assert.ok(job);
  const lease = await store.jobs.take({ ...leaseAt(now), now, id: job.id });
  assert.ok(lease);
  return finish(store, lease, now);
}

/** A database for a suite. */
export interface Nodes {
  /** Two stores on the same database: each is a node. */
  readonly stores: () => readonly [Store, Store];
  readonly sql: (text: string) => Promise<unknown>;
  /** The column `n` of a row. */
  readonly count: (text: string) => Promise<number>;
}

/** A process that sends the campaign. */
export interface Node {
  take(now?: number, limit?: number): Promise<Batch | null>;
  /** Marks these as sending. */
  start(batch: Batch, people: readonly string[], now?: number): Promise<Proceeded>;
  report(batch: Batch, results: Readonly<Record<string, Outcome>>, now?: number): Promise<Proceeded>;
  /** Starts one and reports the result. */
  send(batch: Batch, email: string, outcome: Outcome, now?: number): Promise<Proceeded>;
  extend(batches: readonly Batch[], now: number): Promise<null>;
  giveBack(batch: Batch, now?: number): Promise<null>;
}
export interface SentCampaign extends Omit<Actor, "list" | "campaign"> {
  /** A campaign that another program has sent. */
  readonly record: Actor["campaign"];
  readonly list: number;
  readonly other: number;
  readonly sender: number;
  readonly campaign: CampaignId;
  readonly of: { readonly account: number; readonly campaign: CampaignId };
  readonly node: (owner: string, store?: Store) => Node;
  readonly mailing: () => Promise<Mailing>;
  readonly states: () => Promise<Readonly<Record<string, RecipientState>>>;
  readonly reasons: () => Promise<Readonly<Record<string, string | null>>>;
  readonly change: (change: MailingChange, now?: number) => Promise<unknown>;
}

/** A campaign whose recipients are selected. */
export async function sentCampaign(
  store: Store,
  people: readonly string[],
  options: Options = {},
): Promise<SentCampaign> {
  const made = await scheduledCampaign(store, people, options);
  const { of, campaign } = made;
  assert.equal(await store.ledger.begin({ ...of, now: NOW }), "selecting");
  await select(store, campaign);
  const ids = new Map<string, number>();
  const idOf = async (email: string): Promise<number> => {
    const known = ids.get(email) ?? (await made.show(email))?.id;
    assert.ok(known, email);
    ids.set(email, known);
    return known;
  };
  const checked = async <T>(result: T): Promise<T> => {
    const balance = await store.mailings.balance(of);
    assert.equal(balance?.isBalanced, true, JSON.stringify(balance));
    return result;
  };
  const node = (owner: string, own: Store = store): Node => {
    const given = (batch: Batch, now: number) => ({ ...of, batch: batch.id, owner, now, until: now + LEASE });
    /** As the runner remembers it. */
    let isVisible = false;
    const proceed = async (args: Parameters<Store["ledger"]["proceed"]>[0]) => {
      const proceeded = await own.ledger.proceed({ ...args, isVisible });
      ({ isVisible } = proceeded);
      return checked(proceeded);
    };
    const startsOf = (people: readonly string[]) =>
      Promise.all(people.map(async (address) => ({ subscriber: await idOf(address), address })));
    const self: Node = {
      take: async (now = NOW, limit = 100) => {
        const { batch } = await own.ledger.take({ ...of, owner, now, until: now + LEASE, limit });
        for (const { address, subscriber } of batch?.recipients ?? []) ids.set(address, subscriber);
        return checked(batch);
      },
      start: async (batch, wanted, now = NOW) =>
        proceed({ ...given(batch, now), results: [], starts: await startsOf(wanted) }),
      report: async (batch, outcomes, now = NOW) => {
        const results = await Promise.all(
          Object.entries(outcomes).map(
            async ([email, outcome]): Promise<DeliveryResult> => ({
              ...outcome,
              subscriber: await idOf(email),
            }),
          ),
        );
        return proceed({ ...given(batch, now), results, starts: [] });
      },
      send: async (batch, email, outcome, now = NOW) => {
        assert.deepEqual((await self.start(batch, [email], now)).starts, ["started"]);
        return self.report(batch, { [email]: outcome }, now);
      },
      extend: (batches, now) =>
        own.ledger.extend({ owner, batches: batches.map(({ id }) => id), now, until: now + LEASE }),
      giveBack: async (batch, now = NOW) =>
        checked(await own.ledger.giveBack({ ...of, batch: batch.id, owner, now })),
    };
    return self;
  };
  const recipients = () => collect(store.mailings.recipients.pages({ ...of, state: null }));
  return {
    ...made,
    node,
    mailing: async () => {
      const found = await store.mailings.byId(of);
      assert.ok(found);
      return found.mailing;
    },
    states: async () => Object.fromEntries((await recipients()).map((one) => [one.address ?? "", one.state])),
    reasons: async () =>
      Object.fromEntries((await recipients()).map((one) => [one.address ?? "", one.skipped])),
    change: (change, now = NOW) => store.mailings.change({ ...of, change, at: now, now }),
  };
}

export const addressesOf = (batch: Batch | null): readonly string[] =>
  (batch?.recipients ?? []).map(({ address }) => address);
export function batchOf(batch: Batch | null): Batch {
  assert.ok(batch);
  return batch;
}
