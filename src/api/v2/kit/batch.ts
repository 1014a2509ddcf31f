/** The reply of a request with many items, each of which is carried out or refused by itself. */
import { type Static, Type } from "typebox";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { Problem, ProblemOrNull, problemDocument, problemOf } from "./problems.ts";
import type { Route } from "./route.ts";
import { camel, Id, idOrNull, Nullable } from "./schemas.ts";

/** The member of the request that contains the items. */
const ITEMS = "items";

const Result = Type.Object({
  index: Type.Integer({ description: "The position of the item, from 0." }),
  outcome: Type.String({
    description:
      "`done`; or the outcome that a SOAP call for the same change would get, such as `unsubscribed`; or `failed` for any other problem.",
    examples: ["done"],
  }),
  id: Nullable(
    Id("The id of the subscriber; null if the item was not carried out, or the subscriber no longer exists."),
  ),
  problem: ProblemOrNull("A problem document (RFC 9457); null if the outcome is `done`."),
});
export const BatchSchema = Type.Object({
  failedCount: Type.Integer({ description: "How many items were not carried out." }),
  results: Type.Array(Result, { description: "In the order of the items." }),
});

export type ItemResult = { readonly id: number | null; readonly error: null } | { readonly error: Error };

const UNKNOWN =
  "The database did not answer, so it is not known whether the item was carried out. Repeat the request.";

/** Throws an error of an item that is a defect. `base` is the path of the API. */
export const batchReply = (
  results: readonly ItemResult[],
  route: Route,
  base: string,
): Static<typeof BatchSchema> => ({
  failedCount: results.filter(({ error }) => error !== null).length,
  results: results.map((result, index) =>
    result.error === null
      ? { index, outcome: "done", id: idOrNull(result.id), problem: null }
      : { index, id: null, ...problemOfItem(result.error, index, route, base) },
  ),
});

function problemOfItem(error: Error, index: number, route: Route, base: string) {
  const problem =
    error instanceof StoreUnavailable ? new Problem("unavailable", UNKNOWN) : problemOf(error, route);
  if (problem === null) throw error;
  const { outcome } = problem.more;
  return {
    outcome: typeof outcome === "string" ? camel(outcome) : "failed",
    problem: problemDocument(ofItem(problem, index), base),
  };
}

/** The problem with its places as they are in the body of the whole request. */
const ofItem = ({ type, message, more, errors }: Problem, index: number): Problem =>
  new Problem(type, message, {
    more,
    errors: errors.map((one) =>
      "pointer" in one ? { ...one, pointer: `#/${ITEMS}/${index}${one.pointer.slice(1)}` } : one,
    ),
  });
