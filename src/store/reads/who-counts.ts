/**
 * Which subscribers and memberships count (`isCounted` of the domain), as columns and conditions of both
 * databases. All of it follows from two lists of `subscriber.ts`: the suppressions and the statuses of a
 * membership.
 */
import {
  bySuppression,
  COUNTED_STATUS,
  type MembershipStatus,
  type State,
  states,
  suppressionKinds,
} from "#domain/subscriber/subscriber.ts";

/** In `subscriber` and in `erased`: since when each suppression is in force. */
export const suppressionColumn = bySuppression((kind) => `${kind}_at`);
export const suppressionColumns = suppressionKinds.map((kind) => suppressionColumn[kind]);

/** Of a row of `subscriber AS s`: no suppression is in force. */
export const ACTIVE = suppressionColumns.map((column) => `s.${column} IS NULL`).join(" AND ");

/** Of such a row: `stateOf` of the domain. */
export const STATE = `CASE ${suppressionKinds
  .map((kind) => `WHEN s.${suppressionColumn[kind]} IS NOT NULL THEN '${kind}'`)
  .join(" ")} ELSE 'active' END`;
/** Of such a row, as the index of suppressed subscribers has it. */
export const SUPPRESSED = `${STATE} <> 'active'`;

/** In `account`: how many subscribers are in a state. */
export const stateCounter = (state: State): string => `${state}_subscribers`;
export const stateCounters = states.map(stateCounter);

/** In `membership.status`. A code that is not known here does not count. */
export const statusCode: Readonly<Record<MembershipStatus, number>> = { active: 0, pending: 1 };
export const toStatus = (code: number): MembershipStatus =>
  code === statusCode.active ? "active" : "pending";

/** Of a row of `membership AS m`. */
export const COUNTED_MEMBERSHIP = `m.status = ${statusCode[COUNTED_STATUS]}`;
/** Of both rows: `isCounted` of the domain. */
export const COUNTED = `${ACTIVE} AND ${COUNTED_MEMBERSHIP}`;
