/** A subscriber in the model. */
import type { Correction } from "./command.ts";

export type Suppression = "blocked" | "complained" | "unsubscribed" | "bounced";
export interface Cause {
  at: number;
  origin: { kind: string };
}
interface HistoryEntry extends Cause {
  kind: string;
  campaign: number | null;
  list: number | null;
  detail: string | null;
  replaced: readonly { field: string | number; old: string; new: string }[] | null;
}
export interface Person {
  address: string;
  since: number;
  suppressions: Record<Suppression, number | null>;
  data: Record<"firstName" | "lastName", string> & Record<"gender" | "birthday" | "country", string | null>;
  /** Which values an import wrote last. */
  imported: Set<string>;
  values: Map<number, { value: string; at: number; key: number | null; isImported: boolean }>;
  /** A pending membership waits for the person's confirmation: it neither counts nor is mailed. */
  lists: Map<number, { joinedAt: number; status: "active" | "pending" }>;
  history: HistoryEntry[];
}
/** The suppressions that an operator may clear, and that erasure keeps. */
export const clearable = ["unsubscribed", "bounced", "complained"] as const;
export type Told = Record<(typeof clearable)[number], number | null>;

/** The first one that applies determines the state. */
const order = ["blocked", "complained", "unsubscribed", "bounced"] as const;
export const stateOf = (suppressions: Person["suppressions"]): Suppression | "active" =>
  order.find((suppression) => suppressions[suppression] !== null) ?? "active";

export function addHistory(
  person: Person,
  { at, origin }: Cause,
  kind: string,
  more: Partial<HistoryEntry> = {},
): void {
  person.history.push({
    at,
    kind,
    origin,
    campaign: null,
    list: null,
    detail: null,
    replaced: null,
    ...more,
  });
}

export interface Given {
  data?: { readonly [Name in keyof Person["data"]]?: string | null | undefined };
  values?: ReadonlyMap<number, string>;
}
const dataNames = ["firstName", "lastName", "gender", "birthday", "country"] as const;

/**
 * A call, an operator or the subscriber may replace stored values. An import fills empty ones, and replaces
 * only values that an import wrote last, unless it may overwrite. The history records what was replaced; of
 * an import, also the first values of a subscriber who `existed`.
 */
export function give(
  person: Person,
  { at, origin }: Cause,
  { data = {}, values = new Map() }: Given,
  { overwrite = false, existed = false } = {},
) {
  const { kind, key = null } = origin as { readonly kind: string; readonly key?: number | null };
  const isImport = kind === "import";
  const replaced: { field: string | number; old: string; new: string }[] = [];
  let [updated, kept] = [0, 0];
  /** Whether the new value is to be stored. */
  const judge = (field: string | number, old: string, isImported: boolean, value: string): boolean => {
    if (old === value) return !isImport;
    if (old === "") {
      updated += 1;
      if (isImport && existed) replaced.push({ field, old, new: value });
      return true;
    }
    if (isImport && !isImported && !overwrite) {
      kept += 1;
      return false;
    }
    updated += 1;
    replaced.push({ field, old, new: value });
    return true;
  };
  for (const name of dataNames) {
    const value = data[name];
    if (value === undefined || value === null) continue;
    if (!judge(name, person.data[name] ?? "", person.imported.has(name), value)) continue;
    person.data[name] = value;
    if (isImport) person.imported.add(name);
    else person.imported.delete(name);
  }
  for (const [field, value] of values) {
    const old = person.values.get(field);
    if (judge(field, old?.value ?? "", old?.isImported ?? false, value))
      person.values.set(field, { value, at, key, isImported: isImport });
  }
  if (replaced.length > 0) addHistory(person, { at, origin }, "changed", { replaced });
  return { updated, kept };
}

/** Sets or clears values, and the address as it is shown; the history records all that differ. */
export function correct(
  person: Person,
  cause: Cause,
  given: { readonly address: string | null } & Pick<Correction, "data" | "values">,
): void {
  const replaced: { field: string | number; old: string; new: string }[] = [];
  const judge = (field: string | number, old: string, value: string): void => {
    if (old !== value) replaced.push({ field, old, new: value });
  };
  if (given.address !== null) {
    judge("address", person.address, given.address);
    person.address = given.address;
  }
  for (const name of dataNames) {
    const value = given.data[name];
    if (value === undefined) continue;
    judge(name, person.data[name] ?? "", value ?? "");
    person.data = { ...person.data, [name]: value };
    person.imported.delete(name);
  }
  const { key = null } = cause.origin as { readonly key?: number | null };
  for (const { field, value } of given.values) {
    judge(field, person.values.get(field)?.value ?? "", value);
    if (value === "") person.values.delete(field);
    else person.values.set(field, { value, at: cause.at, key, isImported: false });
  }
  if (replaced.length > 0) addHistory(person, cause, "changed", { replaced });
}

export const seenPerson = ({
  address,
  since,
  suppressions,
  data,
  imported,
  values,
  lists,
  history,
}: Person) => ({
  address,
  since,
  state: stateOf(suppressions),
  suppressions,
  data,
  imported: [...imported].toSorted(),
  values: Object.fromEntries(values),
  lists: Object.fromEntries(
    [...lists].map(([list, membership]) => [
      list,
      { ...membership, counts: stateOf(suppressions) === "active" && membership.status !== "pending" },
    ]),
  ),
  history: history.toSorted((one, other) => one.at - other.at),
});
