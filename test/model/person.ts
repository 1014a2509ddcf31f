/** A subscriber in the model. */

export type Fact = "blocked" | "complained" | "unsubscribed" | "bounced";
export interface Cause {
  at: number;
  origin: unknown;
}
interface HistoryEntry extends Cause {
  kind: string;
  campaign: number | null;
  list: number | null;
  detail: string | null;
}
export interface Person {
  address: string;
  since: number;
  facts: Record<Fact, number | null>;
  data: Record<"firstName" | "lastName", string> & Record<"gender" | "birthday" | "country", string | null>;
  values: Map<number, { value: string; at: number; key: number | null }>;
  lists: Map<number, number>;
  history: HistoryEntry[];
}
/** What an operator may lift, and is kept of who is erased. */
export const liftable = ["unsubscribed", "bounced", "complained"] as const;
export type Told = Record<(typeof liftable)[number], number | null>;

/** The first that holds is the one that counts. */
const order = ["blocked", "complained", "unsubscribed", "bounced"] as const;
export const stateOf = (facts: Person["facts"]): Fact | "active" =>
  order.find((fact) => facts[fact] !== null) ?? "active";

export function addHistory(
  person: Person,
  { at, origin }: Cause,
  kind: string,
  more: Partial<HistoryEntry> = {},
): void {
  person.history.push({ at, kind, origin, campaign: null, list: null, detail: null, ...more });
}

export const seenPerson = ({ address, since, facts, data, values, lists, history }: Person) => ({
  address,
  since,
  state: stateOf(facts),
  facts,
  data,
  values: Object.fromEntries(values),
  lists: Object.fromEntries(
    [...lists].map(([list, joinedAt]) => [list, { joinedAt, counts: stateOf(facts) === "active" }]),
  ),
  history: history.toSorted((one, other) => one.at - other.at),
});
