/**
 * Decides in the transaction that marks recipients as `sending` whether they may still get the message: they
 * may have opted out, bounced, been blocked, left or been erased since they were selected.
 */
import { parseAddress } from "#domain/address.ts";
import { patternsOf } from "#domain/block.ts";
import type { DeliveryStart, StartOutcome } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { type RecipientNow, skipReasonOf } from "#domain/sending/delivery.ts";
import type { Filter } from "#domain/subscriber/filter.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { SUPPRESSIONS, suppressionRow, toSuppressions } from "../../reads/rows.ts";
import { COUNTED_MEMBERSHIP } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import { boolean, integer, json, nullable, selectList, statement, text } from "../kit/statement.ts";
import { blockedAmong } from "../sending/audience.ts";
import { isListOf } from "../sending/publication.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";
import { matchingIn } from "../subscribers/filter.ts";
import { type Allowance, limitsRow } from "./limits.ts";

const limits = statement(
  { sender: nullable(integer), ...limitsRow },
  `SELECT c.sender_id AS sender, ${selectList(limitsRow, "s")}
   FROM campaign AS k
   JOIN campaign_content AS c ON c.account_id = k.account_id AND c.campaign_id = k.id
   LEFT JOIN sender AS s ON s.account_id = c.account_id AND s.id = c.sender_id
   WHERE k.account_id = $1 AND k.id = $2 AND NOT k.is_deleting`,
);

/** The sender of a campaign with its limits, read without a lock. null: no such campaign. */
export const limitsOfSender = (db: Db, { account, campaign }: OfMailing) => db.get(limits, account, campaign);

const filters = statement(
  { filter: json<Filter>() },
  "SELECT filter FROM campaign_content WHERE account_id = $1 AND campaign_id = $2",
);
/** A member of an excluded list is excluded also if they have not confirmed yet. */
const people = statement(
  { id: integer, address: text, ...suppressionRow, isIncluded: boolean, isExcluded: boolean },
  (dialect) => `
   SELECT s.id, s.address, ${SUPPRESSIONS},
     ${dialect.exists(`
       SELECT 1 FROM membership AS m
       WHERE m.account_id = $1 AND m.subscriber_id = s.id AND ${COUNTED_MEMBERSHIP}
         AND ${isListOf(dialect, "m.list_id", "included_lists", "$3")}
     `)} AS "isIncluded",
     ${dialect.exists(`
       SELECT 1 FROM membership AS m
       WHERE m.account_id = $1 AND m.subscriber_id = s.id
         AND ${isListOf(dialect, "m.list_id", "excluded_lists", "$3")}
     `)} AS "isExcluded"
   FROM ${subscribersByIds(dialect, "$2")}`,
);

interface PersonNow extends RecipientNow {
  readonly address: string;
}
export type People = ReadonlyMap<SubscriberId, PersonNow>;
/** Without erased subscribers. */
export async function loadPeople(
  db: Db,
  { account, campaign }: OfMailing,
  starts: readonly DeliveryStart[],
): Promise<People> {
  if (starts.length === 0) return new Map();
  const ids = starts.map(({ subscriber }) => subscriber);
  const patterns = new Map(starts.map(({ subscriber, address }) => [subscriber, coveringPatterns(address)]));
  const [found, blocked, matching] = await Promise.all([
    db.all(people, account, idRows(ids), campaign),
    blockedAmong(db, account, [...patterns.values()].flat()),
    matchingOf(ids),
  ]);
  return new Map(
    found.map(({ id, address, isIncluded, isExcluded, ...row }) => {
      const isListed = (patterns.get(id) ?? []).some((pattern) => blocked.has(pattern));
      const matchesFilter = matching.has(id);
      return [
        id,
        { address, suppressions: toSuppressions(row), isListed, isIncluded, isExcluded, matchesFilter },
      ];
    }),
  );

  async function matchingOf(among: readonly SubscriberId[]): Promise<ReadonlySet<SubscriberId>> {
    const filter = (await db.get(filters, account, campaign))?.filter ?? [];
    return await (await matchingIn(db, account, filter))(among);
  }
}
/** Which of them would be started now, if there were no limits. */
export async function whoMayStart(db: Db, of: OfMailing, starts: readonly DeliveryStart[]) {
  const now = await loadPeople(db, of, starts);
  const ids = starts.map(({ subscriber }) => subscriber);
  return new Set(ids.filter((id) => skipReasonOf(now.get(id) ?? null) === null));
}

const coveringPatterns = (address: string): readonly string[] => {
  const parsed = parseAddress(address);
  return parsed === null ? [] : patternsOf(parsed);
};

export const domainOf = (address: string): string =>
  parseAddress(address)?.domain ?? address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/**
 * Of a recipient that waits in the batch of a mailing that is being sent. The block list was looked up for
 * the address of the message: it says nothing about another one.
 */
export function decideStart(
  { address }: DeliveryStart,
  person: PersonNow | null,
  allowance: Allowance,
): StartOutcome {
  if (person !== null && person.address !== address) return "changed";
  const skipped = skipReasonOf(person);
  if (skipped !== null) return { skipped };
  const limitedUntil = allowance.take(domainOf(address));
  return limitedUntil === null ? "started" : { limitedUntil };
}
