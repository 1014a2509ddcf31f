/** Everything that is stored about an address. */
import type { AuditEntry } from "#domain/access/audit.ts";
import type { AccountRole, User } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import { type Address, parseAddress } from "#domain/address.ts";
import type { Block } from "#domain/block.ts";
import { containsAddress } from "#domain/find-address.ts";
import { collect } from "#domain/paging.ts";
import type { EventOfPerson } from "#domain/ports/sending/webhooks.ts";
import type { Store } from "#domain/ports/store.ts";
import type { OfSubscriber, SubscriberData, SubscriberRecord } from "#domain/ports/subscribers.ts";
import type { Refusal } from "#domain/refused-call.ts";
import type { SentCampaign } from "#domain/sending/mailing.ts";
import { type SubscriberId, type Suppressions, stateOf } from "#domain/subscriber/subscriber.ts";
import * as inBatches from "#jobs/in-batches.ts";
import { audited, type InAccount, query } from "../kit/action.ts";
import { existing, NotFound } from "../kit/errors.ts";
import { requireAddress } from "../kit/inputs.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { loadNames, type Names } from "./names.ts";
import { type OneSubscriber, onValidSubscriber } from "./person.ts";

/** The suppressions that stay in force after the person was erased; null if there are none. */
export async function keptSuppressions(
  store: Store,
  { account }: InAccount,
  address: Address,
): Promise<Suppressions | null> {
  const { states } = await store.imports.states({ account, list: null, addresses: [address] });
  return states[0]?.erased ?? null;
}

const blocksOf = (store: Store, { account }: InAccount, address: Address): Promise<readonly Block[]> =>
  store.blocks.covering({ account, address });

/** null: the address is not stored. */
async function recordOf(store: Store, one: OneSubscriber): Promise<SubscriberRecord | null> {
  const { account } = one;
  if ("email" in one)
    return await store.subscribers.byAddress({ account, address: requireAddress(one.email) });
  return existing("subscriber", one.id, await store.subscribers.byId({ account, id: one.id }));
}
/** Of the record that an id names, or as given. */
function addressOf(one: OneSubscriber, record: SubscriberRecord | null): Address {
  return requireAddress("email" in one ? one.email : (record?.address ?? ""));
}

async function dataOf(store: Store, one: OneSubscriber): Promise<SubscriberData | null> {
  const { account } = one;
  if ("email" in one) return await store.subscribers.data({ account, address: requireAddress(one.email) });
  return existing("subscriber", one.id, await store.subscribers.data({ account, id: one.id }));
}

/** How much of what happened to a subscriber is shown with the subscriber. */
export const SHOWN_HISTORY = 50;

async function withNewest(store: Store, { account }: InAccount, data: SubscriberData) {
  const [of, newest] = [
    { account, subscriber: data.id },
    { after: null, limit: SHOWN_HISTORY },
  ];
  const history = await store.subscribers.history.page(of, newest);
  const results = await store.subscribers.campaignResults.page(of, newest);
  const campaigns = await store.mailings.ofSubscriber.page(of, { before: null, limit: SHOWN_HISTORY });
  return {
    record: { ...data, history: history.rows, losses: results.rows },
    // A subscriber who got few of many campaigns: the oldest ones are not looked up.
    campaigns: campaigns.rows.toReversed(),
    hasMoreCampaigns: campaigns.previous !== null,
    hasMoreHistory: history.next !== null,
    hasMoreCampaignResults: results.next !== null,
    names: await loadNames(store, { account }, { history: history.rows, withKeys: data.values }),
  };
}

/**
 * With what happened to the subscriber lately, the newest first; `subscriber.history` has all of it.
 * Without such a subscriber, the error says if the address is blocked, or was erased while suppressed.
 */
export const showSubscriber = query("subscriber.show", "viewer", async ({ store }, one: OneSubscriber) => {
  const found = await dataOf(store, one);
  if (found !== null) return await withNewest(store, one, found);
  const address = addressOf(one, null);
  const [block] = await blocksOf(store, one, address);
  const kept = await keptSuppressions(store, one, address);
  throw new NotFound("subscriber", address.text, [
    ...(block === undefined ? [] : [`${block.pattern} is on the block list`]),
    ...(kept === null
      ? []
      : [`the subscriber was erased, but the address is still suppressed (${stateOf(kept)})`]),
  ]);
});

type PagesOfOne = InAccount & { readonly id: SubscriberId } & PageInputs;

async function requireSubscriber(store: Store, { account, id }: PagesOfOne): Promise<OfSubscriber> {
  if ((await store.subscribers.find({ account, id })) === null) throw new NotFound("subscriber", id);
  return { account, subscriber: id };
}

/** The entry that was recorded last comes first. */
export const listHistory = query("subscriber.history", "viewer", async ({ store }, one: PagesOfOne) => {
  const page = await pageOf(store.subscribers.history, await requireSubscriber(store, one), one);
  return { ...page, names: await loadNames(store, one, { history: page.rows }) };
});

/** The results of the newest campaign come first. */
export const listCampaignResults = query(
  "subscriber.campaignResults",
  "viewer",
  async ({ store }, one: PagesOfOne) =>
    await pageOf(store.subscribers.campaignResults, await requireSubscriber(store, one), one),
);

/** Everything that an account stores about an address. */
export interface Person {
  readonly exportedAt: number;
  readonly address: string;
  readonly record: SubscriberRecord | null;
  /** The campaigns that were sent to them by Mailroll, or not, and why; the oldest first. */
  readonly campaigns: readonly SentCampaign[];
  /** What mail providers told about the address in the last weeks, the newest first. */
  readonly providerEvents: readonly EventOfPerson[];
  readonly names: Names;
  /** What stays in force after an erasure. */
  readonly kept: Suppressions | null;
  readonly blocks: readonly Block[];
  /** Entries of the audit log about blocks of this address; not about blocks of its domain. */
  readonly blockChanges: readonly AuditEntry[];
  readonly refusedCalls: readonly Refusal[];
  /** If a user of the account has this address. */
  readonly user:
    | (Pick<User, "id" | "name" | "createdAt" | "disabledAt"> & { readonly role: AccountRole })
    | null;
}
export const exportSubscriber = query(
  "subscriber.export",
  "viewer",
  async ({ store, clock }, one: OneSubscriber): Promise<Person> => {
    const { account } = one;
    const record = await recordOf(store, one);
    const address = addressOf(one, record);
    const campaigns =
      record === null
        ? []
        : await collect(store.mailings.ofSubscriber.pages({ account, subscriber: record.id }));
    const kept = await keptSuppressions(store, one, address);
    const blocks = await blocksOf(store, one, address);
    const blockChanges = await store.audit.ofBlock({
      ...{ account, pattern: address.key },
      most: Number.MAX_SAFE_INTEGER,
    });
    const refusedCalls: Refusal[] = [];
    for await (const page of store.refusals.all.pages({ account }))
      refusedCalls.push(...page.filter((refusal) => containsAddress(refusal.args, address)));
    const user = await userOfAccount(store, account, address);
    const providerEvents = await store.webhooks.ofPerson({ account, addressKey: address.key });
    // A block of the domain is not about this address.
    const byName = blocks.filter(({ pattern }) => pattern === address.key);
    const others = [...byName, ...blockChanges, ...refusedCalls, ...providerEvents];
    if (record === null && kept === null && user === null && others.length === 0)
      throw new NotFound("subscriber", address.text);
    const names = await loadNames(store, one, {
      history: record?.history ?? [],
      blockChanges,
      withKeys: [...(record?.values ?? []), ...refusedCalls],
    });
    return {
      exportedAt: clock(),
      address: address.text,
      record,
      campaigns,
      providerEvents,
      names,
      kept,
      blocks,
      blockChanges,
      refusedCalls,
      user,
    };
  },
);

async function userOfAccount(store: Store, account: AccountId, address: Address): Promise<Person["user"]> {
  const user = await store.users.byAddress({ address });
  const role = user?.roles.find((one) => one.account === account)?.role;
  if (user === null || role === undefined) return null;
  const { id, name, createdAt, disabledAt } = user;
  return { id, name, role, createdAt, disabledAt };
}

/** Addresses that the person had before, oldest first: the person may be named by them elsewhere. */
function formerAddresses(record: SubscriberRecord | null, { key }: Address): readonly string[] {
  const replaced = record?.history.flatMap((entry) => entry.replaced ?? []) ?? [];
  const old = replaced.flatMap((one) => (one.field === "address" ? (parseAddress(one.old) ?? []) : []));
  const others = old.filter((one) => one.key !== key).map((one) => [one.key, one.text] as const);
  return [...new Map(others).values()];
}

/**
 * Suppressions stay in force. `rewriteAt`: when a job removes the traces from the database's files; null: the
 * adapter does so.
 */
export const eraseSubscriber = audited(
  "subscriber.erase",
  "owner",
  async ({ store, clock, audit, rewritesLater: rewriteLater }, one: OneSubscriber) => {
    const { account } = one;
    const record = await recordOf(store, one);
    const { result: erasure, target } = await onValidSubscriber(store, one, (who) =>
      inBatches.erase(store, { account, ...who, at: clock(), audit, rewriteLater }),
    );
    const { address } = target;
    return { address: address.text, formerAddresses: formerAddresses(record, address), ...erasure };
  },
);
