/**
 * Columns under their domain names, in SQL that both databases understand, and the conversion of such rows.
 */

import type { Address } from "#domain/address.ts";
import type { HistoryEntry, ReplacedValue } from "#domain/subscriber/history.ts";
import {
  type BasicData,
  bySuppression,
  genders,
  type Known,
  type Suppressions,
} from "#domain/subscriber/subscriber.ts";
import { column, integer, nullable, oneOf, type RowOf, selectList, text } from "../cold/kit/statement.ts";
import { suppressionColumn, toStatus } from "./who-counts.ts";

export const toSuppressions = (row: Suppressions): Suppressions => bySuppression((kind) => row[kind]);

export const suppressionRow = bySuppression((kind) => column(suppressionColumn[kind], nullable(integer)));
export const SUPPRESSIONS = selectList(suppressionRow);

export const knownRow = { since: column("known_since", integer), ...suppressionRow };
export const KNOWN = selectList(knownRow);
export type KnownRow = Suppressions & Pick<Known, "since">;
export const toKnown = (row: KnownRow): Known => ({ since: row.since, suppressions: toSuppressions(row) });

/** The key ends with the domain. */
export const toAddress = (address: string, key: string): Address => ({
  text: address,
  key,
  domain: key.slice(key.lastIndexOf("@") + 1),
});

export const toData = ({ firstName, lastName, gender, birthday, country }: BasicData): BasicData => ({
  firstName,
  lastName,
  gender,
  birthday,
  country,
});

export const dataRow = {
  firstName: text,
  lastName: text,
  gender: nullable(oneOf(genders)),
  birthday: nullable(text),
  country: nullable(text),
};
export const DATA = selectList(dataRow);

/** Basic values, and which of them an import wrote last. */
export const basicsRow = { ...dataRow, imported: integer };
export const BASICS = selectList(basicsRow);

/** A membership, as decisions about it need it. */
export const heldRow = {
  status: integer,
  batch: column("import_id", nullable(integer)),
  confirmedBy: nullable(integer),
  joinedAt: integer,
};
export const HELD = selectList(heldRow);
export const toHeld = ({ status, batch, confirmedBy, joinedAt }: RowOf<typeof heldRow>) => ({
  ...{ status: toStatus(status), joinedAt },
  fromImport: batch === null ? null : { import: batch, confirmedBy },
});

/** Field ids have 64 bits, which JSON numbers cannot represent: they are written as text. */
export const writeReplaced = (replaced: HistoryEntry["replaced"]): string | null =>
  replaced === null
    ? null
    : JSON.stringify(replaced.map(({ field, ...values }) => ({ field: String(field), ...values })));
export const readReplaced = (text: string): readonly ReplacedValue[] =>
  (JSON.parse(text) as readonly (Omit<ReplacedValue, "field"> & { readonly field: string })[]).map(
    ({ field, ...values }) => ({
      field: /^\d+$/.test(field) ? BigInt(field) : (field as Exclude<ReplacedValue["field"], bigint>),
      ...values,
    }),
  );
