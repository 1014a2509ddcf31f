/**
 * Reads subscribers with their memberships into a working set: one row per membership, or one row for a
 * subscriber on no list.
 */
import type { AccountId } from "../../../domain/account.ts";
import { KNOWN, type KnownRow, toSuppressions } from "../../rows.ts";
import { toStatus } from "../../who-counts.ts";
import { of, type WorkingSet } from "./working-set.ts";

export interface PersonRow extends KnownRow {
  readonly account: AccountId;
  readonly id: number;
  readonly key: string;
  readonly list: number | null;
  readonly joinedAt: number | null;
  readonly status: number | null;
}

/** The columns selected from `subscriber AS s` and `membership AS m`. */
export const PERSON = `s.account_id AS account, s.id, s.address_key AS key, ${KNOWN}, m.list_id AS list, m.joined_at AS "joinedAt", m.status`;
export const WITH_MEMBERSHIPS =
  "LEFT JOIN membership AS m ON m.account_id = s.account_id AND m.subscriber_id = s.id";

export function addPeople(set: WorkingSet, rows: readonly PersonRow[]): void {
  for (const row of rows) {
    const { account, id, key, since, list, joinedAt, status } = row;
    let person = set.people.get(of(account, key));
    if (person === undefined) {
      person = {
        account,
        id,
        key,
        since,
        newAddress: null,
        suppressions: toSuppressions(row),
        isChanged: false,
        data: {},
        imported: null,
        membershipsBefore: new Map(),
        memberships: new Map(),
      };
      set.people.set(of(account, key), person);
    }
    if (list !== null && joinedAt !== null && status !== null) {
      const membership = { joinedAt, status: toStatus(status) };
      person.membershipsBefore.set(list, membership);
      person.memberships.set(list, membership);
    }
  }
}
