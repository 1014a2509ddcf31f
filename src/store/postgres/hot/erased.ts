/** Recognises an erased address. */
import type { AccountId } from "#domain/account.ts";
import { erasureHash } from "#domain/subscriber/erasure.ts";
import { integer, text } from "../../cold/kit/statement.ts";
import { SUPPRESSIONS, suppressionRow, toSuppressions } from "../../reads/rows.ts";
import type { Connection } from "../sessions/connection.ts";
import { statement } from "../statement.ts";
import { of, type WorkingSet } from "./working-set.ts";

const ERASED = statement(
  { account: integer, hash: text, ...suppressionRow },
  `SELECT s.account_id AS account, encode(s.hash, 'hex') AS hash, ${SUPPRESSIONS}
   FROM unnest($1::bigint[], $2::bytea[]) AS n (account_id, hash)
   JOIN erased AS s USING (account_id, hash)`,
);

/**
 * An account that never erased a subscriber has no key and nothing to look up, so no statement is sent for
 * it.
 */
export async function loadErased(
  db: Connection,
  set: WorkingSet,
  addresses: readonly { readonly account: AccountId; readonly key: string }[],
): Promise<void> {
  const wanted = new Map<
    string,
    { readonly account: AccountId; readonly key: string; readonly hash: Buffer }
  >();
  for (const { account, key } of addresses) {
    const secret = set.accounts.get(account)?.erasureKey ?? null;
    if (secret === null) continue;
    const hash = erasureHash(secret, { key });
    wanted.set(of(account, hash.toString("hex")), { account, key, hash });
  }
  if (wanted.size === 0) return;
  const named = [...wanted.values()];
  const rows = await db.all(
    ERASED,
    named.map(({ account }) => account),
    named.map(({ hash }) => hash),
  );
  for (const row of rows) {
    const found = wanted.get(of(row.account, row.hash));
    if (found !== undefined) set.erased.set(of(found.account, found.key), toSuppressions(row));
  }
}
