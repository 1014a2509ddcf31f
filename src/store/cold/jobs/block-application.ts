/** Applies the block list to the subscribers that a pattern covers, in batches. */
import type { AccountId } from "#domain/account.ts";
import type { BlockCommand } from "#domain/ports/blocks.ts";
import { erasureHash } from "#domain/subscriber/erasure.ts";
import { decideBlock } from "#domain/subscriber/rules.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { KNOWN, knownRow, toKnown } from "../../reads/rows.ts";
import { JOB_STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import { boolean, bytes, change, integer, type RowOf, statement, text } from "../kit/statement.ts";
import { erasureKeyOf } from "../subscribers/erased-blocks.ts";

/** The most addresses that one transaction looks at: there is no index by domain, as blocking one is rare. */
const SCAN = 20_000;

const covered = { id: integer, key: text, isListed: boolean, ...knownRow };
/** `$3` is the pattern that blocks the domain. */
const coveredColumns = ({ exists }: Dialect): string => `
  s.id, s.address_key AS key,
  ${exists(
    "SELECT 1 FROM block AS b WHERE b.account_id = $1 AND b.pattern IN (s.address_key, $3)",
  )} AS "isListed",
  ${KNOWN}`;
const byAddress = statement(
  covered,
  (dialect) => `
   SELECT ${coveredColumns(dialect)} FROM subscriber AS s WHERE s.account_id = $1 AND s.address_key = $2`,
);
const byDomain = statement(
  covered,
  (dialect) => `
   SELECT ${coveredColumns(dialect)}
   FROM (
     SELECT id, address_key
     FROM subscriber
     WHERE account_id = $1 AND address_key > $2
     ORDER BY address_key
     LIMIT $4
   ) AS n JOIN subscriber AS s ON s.account_id = $1 AND s.id = n.id
   WHERE substr(n.address_key, length(n.address_key) - length($3) + 1) = $3
   ORDER BY n.address_key
   LIMIT $5`,
);
/** The last address of a scan; none if the scan reached the end. */
const endOfScan = statement(
  { id: integer },
  `SELECT id FROM subscriber WHERE account_id = $1 AND address_key > $2 ORDER BY address_key LIMIT 1 OFFSET $3`,
);
const keyOf = statement(
  { key: text },
  "SELECT address_key AS key FROM subscriber WHERE account_id = $1 AND id = $2",
);
const erasedBlock = statement(
  { hash: bytes },
  "SELECT hash FROM erased WHERE account_id = $1 AND hash = $2 AND blocked_at IS NOT NULL",
);
const startAgain = change(
  "UPDATE job SET progress = NULL WHERE account_id = $1 AND kind = 'apply-block' AND progress = $2",
);

type Covered = RowOf<typeof covered>;

/**
 * Continues after a subscriber; null: from the beginning. `after` is the last one looked at, or null at the
 * end; `done` is how many the pattern covered. A subscriber covered by another block stays blocked when this
 * one is removed.
 */
export async function applyBlock(db: Db, command: BlockCommand, after: SubscriberId | null) {
  const { account, pattern } = command;
  const isDomain = pattern.startsWith("@");
  const domain = pattern.slice(pattern.lastIndexOf("@"));
  // If that subscriber was erased, from the beginning: applying a block again changes nothing.
  const from = after === null ? "" : ((await db.get(keyOf, account, after))?.key ?? "");
  const people = isDomain
    ? await db.all(byDomain, account, from, domain, SCAN, JOB_STEP)
    : await db.all(byAddress, account, pattern, domain);
  const erased = await erasedBlocks(db, account, people);
  await db.saveChanges(
    account,
    people.map((person) => ({
      subscriber: person.id,
      changes: decideBlock(toKnown(person), person.isListed || erased.has(person.id), pattern, command),
    })),
  );
  const done = people.length;
  if (!isDomain) return { after: null, done };
  if (done === JOB_STEP) return { after: people.at(-1)?.id ?? null, done };
  return { after: (await db.get(endOfScan, account, from, SCAN - 1))?.id ?? null, done };
}

/** Which of them were on the block list when they were erased, and have been added since. */
async function erasedBlocks(db: Db, account: AccountId, people: readonly Covered[]) {
  const unlisted = people.filter(({ isListed }) => !isListed);
  const key = unlisted.length === 0 ? null : await erasureKeyOf(db, account);
  if (key === null) return new Set();
  const found = await Promise.all(
    unlisted.map(async (person) => {
      const block = await db.get(erasedBlock, account, erasureHash(key, person));
      return block === null ? [] : [person.id];
    }),
  );
  return new Set(found.flat());
}

/**
 * For a subscriber whose address changes: jobs that have just looked at the old one would continue after the
 * new one, and miss subscribers in between. Applying a block again changes nothing.
 */
export const restartAfter = (db: Db, account: AccountId, subscriber: SubscriberId): Promise<number> =>
  db.run(startAgain, account, JSON.stringify({ after: subscriber }));
