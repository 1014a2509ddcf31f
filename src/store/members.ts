/** The members of a list with their data, assembled from the rows that a store found. */
import type { FieldId } from "../domain/field.ts";
import type { Member } from "../domain/ports.ts";
import type { BasicData, SubscriberId, Suppressions } from "../domain/subscriber.ts";
import { type Cursor, type Page, pageOf } from "./paging.ts";
import { DATA, SUPPRESSIONS, toData, toSuppressions } from "./rows.ts";
import { toStatus } from "./who-counts.ts";

/** The columns of a subscriber and a membership. */
export const MEMBER = `id, address, joined_at AS "joinedAt", status, ${SUPPRESSIONS}, ${DATA}`;
export interface MemberRow extends Suppressions, BasicData {
  readonly id: SubscriberId;
  readonly address: string;
  readonly joinedAt: number;
  readonly status: number;
}
export interface ValueRow {
  readonly person: SubscriberId;
  readonly field: FieldId;
  readonly value: string;
}

export function pageOfMembers(
  members: readonly MemberRow[],
  values: readonly ValueRow[],
  size: number,
): Page<Member, Cursor> {
  const valuesOf = Map.groupBy(values, ({ person }) => person);
  const rows = members.map((row) => ({
    address: row.address,
    joinedAt: row.joinedAt,
    status: toStatus(row.status),
    suppressions: toSuppressions(row),
    data: toData(row),
    values: (valuesOf.get(row.id) ?? []).map(({ field, value }) => ({ field, value })),
  }));
  return { rows, next: pageOf(members, size, ({ id }) => [0, id]).next };
}
