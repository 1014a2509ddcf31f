/**
 * The audit log: who changed what, from where and when. What is about one subscriber is in the history of
 * that subscriber instead. An entry is written in the transaction of the change, so that none is without the
 * other.
 */
import type { AccountId } from "../account.ts";
import type { Id } from "../id.ts";
import { keyOf, type Origin, operatorOf, userOf } from "./origin.ts";

export const auditedThings = [
  "account",
  "block",
  "campaign",
  "field",
  "import",
  "job",
  "key",
  "list",
  "refused call",
  "sender",
  "session",
  "sign-in link",
  "subscriber",
  "token",
  "user",
] as const;
export type AuditedThing = (typeof auditedThings)[number];

/** On whose behalf a command runs. */
export interface AuditedBy {
  readonly at: number;
  readonly origin: Origin;
  /** The client's address; null on the command line. */
  readonly from: string | null;
  /** Such as "list.delete". */
  readonly action: string;
  /** One of the versions that the thing must have before the change (`version.ts`); absent: any. */
  readonly ifVersion?: readonly string[] | undefined;
}
/** The arguments of a command that leaves an entry. Without `audit` it belongs to something that has one. */
export interface Audited {
  readonly audit?: AuditedBy | undefined;
}

type Value = string | number | boolean | null | readonly number[] | readonly string[];
export type AuditedValues = Readonly<Record<string, Value>>;

export interface AuditEntry {
  readonly id: Id<"AuditId">;
  /** null: the installation as a whole. */
  readonly account: AccountId | null;
  readonly at: number;
  /** `name`: the system user, or the id of the key or of the user. */
  readonly actor: { readonly kind: Origin["kind"]; readonly name: string | null };
  readonly from: string | null;
  readonly action: string;
  readonly about: { readonly kind: AuditedThing; readonly id: string };
  /** What has changed and nothing else; null if it did not exist before. */
  readonly before: AuditedValues | null;
  /** null if it does not exist any more. */
  readonly after: AuditedValues | null;
}

/** In place of an address that was erased. */
export const ERASED_ID = "(erased)";

export const actorName = (origin: Origin): string | null =>
  operatorOf(origin) ?? (keyOf(origin) ?? userOf(origin))?.toString() ?? null;

/** The origin of what is stored with its kind and `actorName`. */
export function originOfActor({ kind, name }: AuditEntry["actor"]): Origin | null {
  switch (kind) {
    case "key":
      return name === null ? null : { kind, key: Number(name) };
    case "user":
      return name === null ? null : { kind, user: Number(name) };
    case "operator":
      return name === null ? { kind } : { kind, name };
    case "import":
      return { kind, batch: null };
    case "link":
    case "bounce":
      return { kind };
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The values of some names that differ; null if none does. */
export function changedValues<Row extends object>(
  names: readonly (keyof Row & string)[],
  before: Row | null,
  after: Row | null,
): Pick<AuditEntry, "before" | "after"> | null {
  const isChange = before !== null && after !== null;
  const changed = isChange ? names.filter((name) => !isSame(before[name], after[name])) : names;
  if (isChange && changed.length === 0) return null;
  const valuesOf = (row: Row | null) =>
    row === null ? null : (Object.fromEntries(changed.map((name) => [name, row[name]])) as AuditedValues);
  return { before: valuesOf(before), after: valuesOf(after) };
}
