/**
 * Columns under their domain names, in SQL that both databases understand, and the conversion of such rows.
 */
import type { HistoryEntry, ReplacedValue } from "../domain/history.ts";
import type { BasicData, Known, Suppressions } from "../domain/subscriber.ts";

export const FACTS =
  "unsubscribed_at AS unsubscribed, bounced_at AS bounced, complained_at AS complained, blocked_at AS blocked";
export const toSuppressions = ({
  blocked,
  complained,
  unsubscribed,
  bounced,
}: Suppressions): Suppressions => ({
  blocked,
  complained,
  unsubscribed,
  bounced,
});

export const KNOWN = `known_since AS since, ${FACTS}`;
export type KnownRow = Suppressions & Pick<Known, "since">;
export const toKnown = (row: KnownRow): Known => ({ since: row.since, suppressions: toSuppressions(row) });

export const DATA = 'first_name AS "firstName", last_name AS "lastName", gender, birthday, country';
export const toData = ({ firstName, lastName, gender, birthday, country }: BasicData): BasicData => ({
  firstName,
  lastName,
  gender,
  birthday,
  country,
});

/** Basic values, and which of them an import wrote last. */
export const BASICS = `${DATA}, imported`;

/** Field ids have 64 bits, which JSON numbers cannot represent: they are written as text. */
export const writeReplaced = (replaced: HistoryEntry["replaced"]): string | null =>
  replaced === null
    ? null
    : JSON.stringify(replaced.map(({ field, ...values }) => ({ field: String(field), ...values })));
export const readReplaced = (text: string): readonly ReplacedValue[] =>
  (JSON.parse(text) as readonly (Omit<ReplacedValue, "field"> & { readonly field: string })[]).map(
    ({ field, ...values }) => ({
      field: /^\d+$/.test(field) ? BigInt(field) : (field as keyof BasicData),
      ...values,
    }),
  );
