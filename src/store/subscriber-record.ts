/** One subscriber with all stored data, assembled from the rows that a store found. */
import type { SubscriberRecord } from "../domain/ports/subscribers.ts";
import type { Suppressions } from "../domain/subscriber.ts";
import { isActive, type SubscriberId, stateOf } from "../domain/subscriber.ts";
import { importedNames, type StoredBasics } from "../domain/value-rules.ts";
import { BASICS, FACTS, type HistoryRow, toData, toHistoryEntry, toSuppressions } from "./rows.ts";

export const PERSON = `id, address, known_since AS "knownSince", ${BASICS}, ${FACTS}`;
export interface PersonRow extends Suppressions, StoredBasics {
  readonly id: SubscriberId;
  readonly address: string;
  readonly knownSince: number;
}
export interface PersonsRows extends Pick<SubscriberRecord, "values" | "losses"> {
  readonly lists: readonly Omit<SubscriberRecord["lists"][number], "counts">[];
  readonly history: readonly HistoryRow[];
}

export function recordOf(
  person: PersonRow,
  { values, lists, history, losses }: PersonsRows,
): SubscriberRecord {
  const suppressions = toSuppressions(person);
  const counts = isActive(suppressions);
  return {
    address: person.address,
    state: stateOf(suppressions),
    suppressions,
    knownSince: person.knownSince,
    data: toData(person),
    imported: importedNames(person.imported),
    values,
    lists: lists.map((list) => ({ ...list, counts })),
    history: history.map(toHistoryEntry),
    losses,
  };
}
