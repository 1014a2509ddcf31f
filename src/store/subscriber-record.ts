/** One subscriber with all stored data, assembled from the rows that a store found. */
import { isCounted } from "../domain/membership.ts";
import type { SubscriberRecord } from "../domain/ports/subscribers.ts";
import type { Suppressions } from "../domain/subscriber.ts";
import { type SubscriberId, stateOf } from "../domain/subscriber.ts";
import { importedNames, type StoredBasics } from "../domain/value-rules.ts";
import { BASICS, type HistoryRow, SUPPRESSIONS, toData, toHistoryEntry, toSuppressions } from "./rows.ts";
import { toStatus } from "./who-counts.ts";

export const PERSON = `id, address, known_since AS "knownSince", ${BASICS}, ${SUPPRESSIONS}`;
export interface PersonRow extends Suppressions, StoredBasics {
  readonly id: SubscriberId;
  readonly address: string;
  readonly knownSince: number;
}
export interface PersonsRows extends Pick<SubscriberRecord, "values" | "losses"> {
  readonly lists: readonly (Omit<SubscriberRecord["lists"][number], "status" | "counts"> & {
    readonly status: number;
  })[];
  readonly history: readonly HistoryRow[];
}

export function recordOf(
  person: PersonRow,
  { values, lists, history, losses }: PersonsRows,
): SubscriberRecord {
  const suppressions = toSuppressions(person);
  return {
    address: person.address,
    state: stateOf(suppressions),
    suppressions,
    knownSince: person.knownSince,
    data: toData(person),
    imported: importedNames(person.imported),
    values,
    lists: lists.map((list) => {
      const status = toStatus(list.status);
      return { ...list, status, counts: isCounted(suppressions, status) };
    }),
    history: history.map(toHistoryEntry),
    losses,
  };
}
