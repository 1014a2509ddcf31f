/**
 * The limits of a sender, counted in the database and so for all nodes together. The row of the sender is
 * locked while its counts are read and changed, after that of the mailing. What is sent in a day is counted
 * without a limit, too; what was not handed over after all is taken out of it again. Test messages have a
 * limit of their own.
 */
import type { AccountId } from "#domain/account.ts";
import { TestLimitReached } from "#domain/ports/errors.ts";
import {
  type CountedPeriod,
  dayOf,
  MAX_TESTS_PER_HOUR,
  periodsOf,
  testHourOf,
} from "#domain/sending/delivery.ts";
import type { SenderId, SenderLimits } from "#domain/sending/sender.ts";
import { sender } from "../../tables/entities.ts";
import type { Db, Saves } from "../kit/db.ts";
import { change, integer, selectList, statement, text } from "../kit/statement.ts";

const { perSecond, perDomainMinute, perDay } = sender.row;
export const limitsRow = { perSecond, perDomainMinute, perDay };
const locked = statement(
  limitsRow,
  ({ lockRows }) => `
   SELECT ${selectList(limitsRow)}
   FROM sender AS s
   WHERE account_id = $1 AND id = $2
   ${lockRows("s")}`,
);
const counts = statement(
  { scope: text, period: integer, count: integer },
  ({ table, lookUp }) => `
   SELECT h.scope, h.period, h.count
   FROM ${table("$3", { scope: "text", period: "integer" })} AS n
   ${lookUp("handed_over", "h", "h.account_id = $1 AND h.sender_id = $2 AND h.scope = n.scope AND h.period = n.period")}`,
);
const add = change(
  ({ table, keysHaveAccount }) => `
   INSERT INTO handed_over (account_id, sender_id, scope, period, count)
   SELECT CAST($1 AS bigint), CAST($2 AS bigint), n.scope, n.period, n.count
   FROM ${table("$3", { scope: "text", period: "integer", count: "integer" })} AS n
   WHERE true
   ON CONFLICT (${keysHaveAccount ? "account_id, " : ""}sender_id, scope, period)
     DO UPDATE SET count = handed_over.count + excluded.count`,
);

/** How many messages were counted in each of some periods; periods without any are left out. */
export const handedOver = (
  db: Db,
  account: AccountId,
  sender: SenderId,
  periods: readonly Pick<CountedPeriod, "scope" | "period">[],
) => db.all(counts, account, sender, JSON.stringify(periods));

const keyOf = ({ scope, period }: Pick<CountedPeriod, "scope" | "period">): string => `${period} ${scope}`;

/** What a sender may still hand over now. */
export class Allowance {
  readonly #limits: SenderLimits;
  readonly #now: number;
  readonly #used: Map<string, number>;
  readonly #taken = new Map<string, { scope: string; period: number; count: number }>();

  constructor(limits: SenderLimits, used: Map<string, number>, now: number) {
    this.#limits = limits;
    this.#used = used;
    this.#now = now;
  }

  /** Counts a message to a domain; or, if a limit is reached, returns until when. */
  take(domain: string): number | null {
    const periods = periodsOf(this.#limits, domain, this.#now);
    const reached = periods.filter((one) => (this.#used.get(keyOf(one)) ?? 0) >= one.limit);
    if (reached.length > 0) return Math.max(...reached.map(({ endsAt }) => endsAt));
    for (const period of periods) this.#count(period, 1);
    return null;
  }
  /** A message that was counted then was not handed over. The shorter periods are over. */
  giveBack(countedAt: number): void {
    this.#count(dayOf(countedAt), -1);
  }
  #count({ scope, period }: Pick<CountedPeriod, "scope" | "period">, change: number): void {
    const key = keyOf({ scope, period });
    const taken = this.#taken.get(key) ?? { scope, period, count: 0 };
    taken.count += change;
    this.#taken.set(key, taken);
    this.#used.set(key, (this.#used.get(key) ?? 0) + change);
  }

  get taken() {
    return [...this.#taken.values()];
  }
}

const NO_LIMITS: SenderLimits = { perSecond: null, perDomainMinute: null, perDay: null };

/** `limited`: as it was read without a lock. If there is no limit, nothing is locked or read. */
export async function loadAllowance(
  db: Db,
  account: AccountId,
  limited: SenderLimits & { readonly sender: SenderId | null },
  domains: ReadonlySet<string>,
  now: number,
): Promise<Allowance> {
  const { sender } = limited;
  const hasLimit = limited.perSecond !== null || limited.perDomainMinute !== null || limited.perDay !== null;
  if (sender === null || !hasLimit || domains.size === 0) return new Allowance(NO_LIMITS, new Map(), now);
  const current = (await db.get(locked, account, sender)) ?? NO_LIMITS;
  const periods = new Map(
    [...domains].flatMap((domain) => periodsOf(current, domain, now)).map((one) => [keyOf(one), one]),
  );
  const wanted = [...periods.values()].map(({ scope, period }) => ({ scope, period }));
  const found = await handedOver(db, account, sender, wanted);
  return new Allowance(current, new Map(found.map((one) => [keyOf(one), one.count])), now);
}

export async function saveAllowance(
  db: Saves,
  account: AccountId,
  sender: SenderId | null,
  { taken }: Allowance,
): Promise<void> {
  if (sender !== null && taken.length > 0) await db.run(add, account, sender, JSON.stringify(taken));
}

/**
 * Counts test messages, or throws TestLimitReached if not all of them fit into this hour. The account must be
 * locked: so two requests cannot both get what is left.
 */
export async function countTests(
  db: Db,
  account: AccountId,
  sender: SenderId,
  messages: number,
  now: number,
): Promise<void> {
  const { scope, period } = testHourOf(now);
  const [hour] = await handedOver(db, account, sender, [{ scope, period }]);
  const used = hour?.count ?? 0;
  if (used + messages > MAX_TESTS_PER_HOUR)
    throw new TestLimitReached(`${used} test messages were sent in this hour`);
  await db.run(add, account, sender, JSON.stringify([{ scope, period, count: messages }]));
}
