/** How many subscribers are in each state, among a bounded number of them: no index leads to a state. */
import { states } from "../../../domain/subscriber/subscriber.ts";
import { STATE } from "../../reads/who-counts.ts";
import { integer, oneOf, statement } from "../kit/statement.ts";

export const countStates = statement(
  { state: oneOf(states), count: integer },
  `SELECT state, count(*) AS count
   FROM (
     SELECT ${STATE} AS state FROM subscriber AS s
     WHERE s.account_id = $1 ORDER BY s.address_key LIMIT $2 + 0
   ) AS visited
   GROUP BY state`,
);
