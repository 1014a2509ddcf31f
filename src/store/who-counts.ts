/**
 * Who counts, as columns and conditions of both databases. All of it follows from the domain: the list of
 * suppressions (`subscriber.ts`) and the statuses of a membership (`membership.ts`).
 */
import { bySuppression, suppressionKinds } from "../domain/subscriber.ts";

/** In `subscriber` and in `erased`: since when each suppression is in force. */
export const suppressionColumn = bySuppression((kind) => `${kind}_at`);
export const suppressionColumns = suppressionKinds.map((kind) => suppressionColumn[kind]);

/** Of a row of `subscriber AS s`: no suppression is in force. */
export const ACTIVE = suppressionColumns.map((column) => `s.${column} IS NULL`).join(" AND ");
