/**
 * Many changes of subscribers in one request: each item is an action of its own, by the same rules. An item
 * that is wrong does not hinder the others. Items are carried out in order as far as it matters: two that
 * name the same person never run side by side.
 */
import { parseAddress } from "#domain/address.ts";
import type { ListId } from "#domain/list.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { bareAddress } from "#transfer/values/mailbox.ts";
import { action, type InAccount, type Performing } from "../kit/action.ts";
import { forItem } from "../kit/batch-items.ts";
import { AdminError, InvalidInput } from "../kit/errors.ts";
import { type Changes, correctionOf, setSubscriber } from "./correct.ts";
import type { Named } from "./person.ts";
import { addSubscriber, removeSubscriber, unsubscribe } from "./subscribers.ts";

export const MAX_BATCH = 1000;
/**
 * How many items are written at once. They are committed together, and a call of the same account waits for
 * no more than these.
 */
const SIDE_BY_SIDE = 100;

export const batchActions = ["add", "update", "remove", "unsubscribe"] as const;

/** null clears a value. */
export type BatchItem = Changes & {
  readonly action: (typeof batchActions)[number];
  /** One of the two names the person. */
  readonly id?: SubscriberId | undefined;
  readonly email?: string | undefined;
  /** Of an addition or a removal. */
  readonly list?: ListId | undefined;
  /** Of an update. */
  readonly newEmail?: string | undefined;
};

/** `error`: an AdminError, or StoreUnavailable if it is not known whether the item was carried out. */
export type ItemResult =
  | { readonly id: SubscriberId | null; readonly error: null }
  | { readonly error: AdminError | StoreUnavailable };

interface Batch extends InAccount {
  readonly items: readonly BatchItem[];
}

/** The results are in the order of the items. */
export const changeSubscribers = action(
  "subscriber.batch",
  "editor",
  "history",
  async (admin, { account, items }: Batch): Promise<readonly ItemResult[]> => {
    if (items.length === 0 || items.length > MAX_BATCH)
      throw new InvalidInput("items", `must have 1 to ${MAX_BATCH} items`);
    const results: ItemResult[] = [];
    for (const wave of wavesOf(items)) {
      const outage = results.find(({ error }) => error instanceof StoreUnavailable);
      const first = results.length;
      results.push(
        ...(outage === undefined
          ? await Promise.all(wave.map((item, n) => carryOut(forItem(admin, first + n), account, item)))
          : wave.map(() => outage)),
      );
    }
    const [{ error } = { error: null }] = results;
    // Nothing was done: the request as a whole has failed.
    if (error !== null && results.every((one) => one.error instanceof StoreUnavailable)) throw error;
    return results;
  },
);

/**
 * Consecutive items that may run side by side. Whether an id and an address are the same person is not known
 * beforehand, so items by id and items by address are not mixed.
 */
export function* wavesOf(items: readonly BatchItem[]): Generator<readonly BatchItem[]> {
  let wave: BatchItem[] = [];
  let named = new Set<string>();
  for (const item of items) {
    const names = namesIn(item);
    const isMixed = wave[0] !== undefined && (wave[0].id === undefined) !== (item.id === undefined);
    if (wave.length === SIDE_BY_SIDE || isMixed || names.some((name) => named.has(name))) {
      yield wave;
      wave = [];
      named = new Set();
    }
    wave.push(item);
    for (const name of names) named.add(name);
  }
  if (wave.length > 0) yield wave;
}
function namesIn({ id, email, newEmail }: BatchItem): readonly string[] {
  const addresses = [email, newEmail].flatMap((text) => (text === undefined ? [] : [keyOf(text)]));
  return id === undefined ? addresses : [`${id}`, ...addresses];
}
const keyOf = (email: string): string => parseAddress(bareAddress(email))?.key ?? email;

async function carryOut(
  admin: Performing,
  account: InAccount["account"],
  item: BatchItem,
): Promise<ItemResult> {
  try {
    return { id: await perform(admin, account, item), error: null };
  } catch (error) {
    if (error instanceof AdminError || error instanceof StoreUnavailable) return { error };
    throw error;
  }
}

async function perform(
  admin: Performing,
  account: InAccount["account"],
  item: BatchItem,
): Promise<SubscriberId | null> {
  const one = { account, ...personOf(item) };
  const { action: asked, id: _id, email: _email, list, newEmail = null, ...changes } = item;
  if (asked !== "update" && newEmail !== null)
    throw new InvalidInput("newEmail", "is only allowed in an update");
  const correction = correctionOf(changes);
  switch (asked) {
    case "add":
      return (await addSubscriber.run(admin, { ...one, ...correction, list: requireList(list) })).id;
    case "update":
      return (await setSubscriber.run(admin, { ...one, ...correction, newEmail })).id;
    case "remove":
      refuseData(changes);
      return (await removeSubscriber.run(admin, { ...one, list: requireList(list) })).id;
    case "unsubscribe":
      refuseData(changes);
      return (await unsubscribe.run(admin, one)).id;
  }
}

function personOf({ id, email }: BatchItem): Named {
  if (id !== undefined && email !== undefined)
    throw new InvalidInput(
      "email",
      "must not be given together with id; to change the address, give newEmail",
    );
  if (id !== undefined) return { id };
  if (email === undefined) throw new InvalidInput("email", "is missing; name the person by email or id");
  return { email };
}
function requireList(list: ListId | undefined): ListId {
  if (list === undefined) throw new InvalidInput("list", "is missing");
  return list;
}
function refuseData(changes: Changes): void {
  const [given] = Object.keys(changes);
  if (given !== undefined) throw new InvalidInput(given, "is only allowed in an addition or an update");
}
