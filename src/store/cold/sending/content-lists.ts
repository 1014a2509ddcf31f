/** The lists of a campaign inside other statements, so that they need not be read first. */
import type { Dialect } from "../kit/dialect.ts";

/** Whether a column has the id of one of these lists. `$1` is the account; `campaign` is a parameter, too. */
export const isListOf = (
  { isInJson }: Dialect,
  column: string,
  lists: "included_lists" | "excluded_lists",
  campaign: string,
): string =>
  isInJson(
    column,
    `(SELECT ${lists} FROM campaign_content WHERE account_id = $1 AND campaign_id = ${campaign})`,
  );
