/** To how many people a campaign goes. */
import type { AccountId } from "#domain/account.ts";
import type { AudiencePosition, CountedAudience } from "#domain/ports/sending/mailings.ts";
import type { Audience } from "#domain/sending/mailing.ts";
import { type Admin, type InAccount, query } from "../kit/action.ts";
import { requireConditions } from "../subscribers/conditions.ts";

/** How many people get it, if it is sent now. */
export interface AudienceSize {
  readonly count: number;
  /** Not "exact": counting took too long. With a filter, nobody knows how many of the others match. */
  readonly precision: (typeof precisions)[number];
}
export const precisions = ["exact", "about", "at least"] as const;

/** Nobody waits longer for a number. */
export const LONGEST_COUNT_MS = 3000;
/** So many more people may get it than somebody has seen before sending it. */
const TOLERATED = 1.01;

interface Limits {
  /** How long to count. */
  readonly ms: number;
  /** Whether to go on until somebody is found: before a campaign is sent, "nobody" must not be a guess. */
  readonly untilFound?: boolean;
  /** How many are enough to know. */
  readonly most?: number;
  readonly isStopped?: () => boolean;
}

interface Counted {
  readonly count: number;
  /** How many members of the lists were looked at. */
  readonly visited: number;
  readonly isDone: boolean;
}
async function countedWithin(
  { store }: Pick<Admin, "store">,
  account: AccountId,
  { lists, excludedLists, filter }: Audience,
  { ms, most = Number.POSITIVE_INFINITY, untilFound = false, isStopped = () => false }: Limits,
): Promise<Counted> {
  const until = performance.now() + ms;
  const isOver = (found: number): boolean =>
    isStopped() || (performance.now() >= until && (found > 0 || !untilFound));
  let [count, visited] = [0, 0];
  let position: AudiencePosition | null = { list: 0, after: 0 };
  do {
    const step: CountedAudience = await store.mailings.countAudience({
      ...{ account, lists, excludedLists, filter, position },
    });
    count += step.count;
    visited += step.visited;
    position = step.next;
  } while (position !== null && count <= most && !isOver(count));
  return { count, visited, isDone: position === null };
}

export async function audienceSize(
  admin: Pick<Admin, "store">,
  account: AccountId,
  audience: Audience,
  limits: Limits,
): Promise<AudienceSize> {
  const { lists, excludedLists, filter } = audience;
  const found = await Promise.all(lists.map((id) => admin.store.lists.byId({ account, id })));
  const members = found.reduce((sum, list) => sum + (list?.members ?? 0), 0);
  // Nothing has to be counted.
  if (lists.length <= 1 && excludedLists.length === 0 && filter.length === 0)
    return { count: members, precision: "exact" };
  const { count, visited, isDone } = await countedWithin(admin, account, audience, limits);
  if (isDone) return { count, precision: "exact" };
  // Members are looked at in the order in which they joined: the first ones may match quite differently.
  if (filter.length > 0) return { count, precision: "at least" };
  // Who is on several lists is a member of each.
  const states = await admin.store.subscribers.countStates({ account });
  const estimated = Math.round((count / visited) * Math.min(members, states?.active ?? members));
  return { count: Math.max(count, estimated), precision: "about" };
}

/** Whether certainly many more people would get it than somebody has seen before sending it. */
export async function hasGrown(
  admin: Pick<Admin, "store">,
  account: AccountId,
  audience: Audience,
  seen: number,
): Promise<boolean> {
  const most = Math.floor(seen * TOLERATED);
  return (await countedWithin(admin, account, audience, { ms: LONGEST_COUNT_MS, most })).count > most;
}

/** The latest question of each user: the answer to an earlier one is not read any more. */
const latest = new Map<string, object>();

/** Of a campaign that is being composed. A newer question of the same user ends an older one. */
export const countRecipients = query(
  "campaign.countRecipients",
  "viewer",
  async (
    admin,
    {
      account,
      lists,
      excludedLists,
      filter: given,
      ms = LONGEST_COUNT_MS,
    }: InAccount & Audience & { readonly ms?: number },
  ): Promise<AudienceSize> => {
    const filter = await requireConditions(admin, account, given);
    const [asker, question] = [JSON.stringify([admin.actor.origin, account]), {}];
    latest.set(asker, question);
    const isStopped = (): boolean => latest.get(asker) !== question;
    try {
      return await audienceSize(admin, account, { lists, excludedLists, filter }, { ms, isStopped });
    } finally {
      if (!isStopped()) latest.delete(asker);
    }
  },
);
