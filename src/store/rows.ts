/**
 * Columns under their domain names, in SQL that both databases understand, and the conversion of such rows.
 */
import type { HistoryEntry, ReplacedValue } from "../domain/history.ts";
import type { Origin } from "../domain/origin.ts";
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

export const HISTORY_ENTRY =
  "at, kind, origin, key_id AS key, import_id AS batch, campaign_id AS campaign, list_id AS list, detail, replaced";
export interface HistoryRow extends Omit<HistoryEntry, "origin" | "replaced"> {
  readonly origin: Origin["kind"];
  readonly key: number | null;
  readonly batch: number | null;
  readonly replaced: string | null;
}
export const toHistoryEntry = ({ origin, key, batch, replaced, ...row }: HistoryRow): HistoryEntry => ({
  ...row,
  origin: toOrigin(origin, key, batch),
  replaced: replaced === null ? null : readReplaced(replaced),
});
function toOrigin(kind: Origin["kind"], key: number | null, batch: number | null): Origin {
  if (kind === "key") return { kind, key: key ?? 0 };
  return kind === "import" ? { kind, batch } : { kind };
}

/** Field ids have 64 bits, which JSON numbers cannot represent: they are written as text. */
export const writeReplaced = (replaced: HistoryEntry["replaced"]): string | null =>
  replaced === null
    ? null
    : JSON.stringify(replaced.map(({ field, ...values }) => ({ field: String(field), ...values })));
const readReplaced = (text: string): readonly ReplacedValue[] =>
  (JSON.parse(text) as readonly (Omit<ReplacedValue, "field"> & { readonly field: string })[]).map(
    ({ field, ...values }) => ({
      field: /^\d+$/.test(field) ? BigInt(field) : (field as keyof BasicData),
      ...values,
    }),
  );
