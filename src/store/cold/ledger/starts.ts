/**
 * Decides in the transaction that marks recipients as `sending` whether they may still get the message: they
 * may have opted out, bounced, been blocked, left or been erased since they were selected.
 */
import { parseAddress } from "#domain/address.ts";
import { patternsOf } from "#domain/block.ts";
import type { DeliveryStart, StartOutcome } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { type RecipientNow, skipReasonOf } from "#domain/sending/delivery.ts";
import type { SenderId } from "#domain/sending/sender.ts";
import { type Filter, goneOf } from "#domain/subscriber/filter.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { SUPPRESSIONS, suppressionRow, toSuppressions } from "../../reads/rows.ts";
import { COUNTED_MEMBERSHIP } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import {
  boolean,
  integer,
  json,
  nullable,
  type RowOf,
  selectList,
  statement,
  text,
} from "../kit/statement.ts";
import { blockedAmong } from "../sending/audience.ts";
import { isListOf } from "../sending/publication.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";
import { knownTo, matchingIn } from "../subscribers/filter.ts";
import { type Allowance, limitsRow } from "./limits.ts";

const contents = statement(
  { sender: nullable(integer), filter: json<Filter>(), ...limitsRow },
  `SELECT c.sender_id AS sender, c.filter, ${selectList(limitsRow, "s")}
   FROM campaign AS k
   JOIN campaign_content AS c ON c.account_id = k.account_id AND c.campaign_id = k.id
   LEFT JOIN sender AS s ON s.account_id = c.account_id AND s.id = c.sender_id
   WHERE k.account_id = $1 AND k.id = $2 AND NOT k.is_deleting`,
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

/** What decides about starts. */
interface Deciding {
  /** The sender of the campaign with its limits, read without a lock. null: no such campaign. */
  readonly limited: (RowOf<typeof limitsRow> & { readonly sender: SenderId | null }) | null;
  /** Conditions about something that does not exist any more: nobody may be started, for that reason. */
  readonly gone: Filter;
  /** Without erased subscribers. */
  readonly people: People;
}
export async function loadDeciding(
  db: Db,
  { account, campaign }: OfMailing,
  starts: readonly DeliveryStart[],
): Promise<Deciding> {
  const content = db.get(contents, account, campaign);
  if (starts.length === 0) return { limited: await content, gone: [], people: new Map() };
  const ids = starts.map(({ subscriber }) => subscriber);
  const patterns = new Map(starts.map(({ subscriber, address }) => [subscriber, coveringPatterns(address)]));
  const [limited, found, blocked, { gone, matching }] = await Promise.all([
    content,
    db.all(people, account, idRows(ids), campaign),
    blockedAmong(db, account, [...patterns.values()].flat()),
    filtered(),
  ]);
  const now = found.map(({ id, address, isIncluded, isExcluded, ...row }) => {
    const isListed = (patterns.get(id) ?? []).some((pattern) => blocked.has(pattern));
    const matchesFilter = matching.has(id);
    const person = { address, suppressions: toSuppressions(row), isListed, isIncluded, isExcluded };
    return [id, { ...person, matchesFilter }] as const;
  });
  return { limited, gone, people: new Map(now) };

  /** Whom a condition leaves out that holds for nobody any more does not match for that reason alone. */
  async function filtered() {
    const filter = (await content)?.filter ?? [];
    const known = await knownTo(db, account, filter);
    const gone = goneOf(filter, known);
    const left = filter.filter((condition) => !gone.includes(condition));
    return { gone, matching: await (await matchingIn(db, account, left, known))(ids) };
  }
}
/** Which of them would be started now, if there were no limits. */
export async function whoMayStart(db: Db, of: OfMailing, starts: readonly DeliveryStart[]) {
  const { people: now } = await loadDeciding(db, of, starts);
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
