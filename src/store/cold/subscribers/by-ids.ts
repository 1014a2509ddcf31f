/**
 * Subscribers by their ids, one lookup by key for each. With a condition on the account and the ids alone,
 * SQLite may read all subscribers of the account instead.
 */
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Dialect } from "../kit/dialect.ts";

/** The rows `s`. The account is `$1`; the parameter is made by `idRows`. */
export const subscribersByIds = ({ table, lookUp }: Dialect, parameter: string): string =>
  `${table(parameter, { id: "integer" })} AS n ${lookUp("subscriber", "s", "s.account_id = $1 AND s.id = n.id")}`;

export const idRows = (ids: readonly SubscriberId[]): string => JSON.stringify(ids.map((id) => ({ id })));
