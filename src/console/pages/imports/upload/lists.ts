/** The lists of an account, to choose from. */
import { MAX_PAGE } from "#admin/kit/paging.ts";
import { listLists } from "#admin/lists.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { List } from "#domain/list.ts";

/** Of an account with more, the first. */
export async function listsOf({
  perform,
  account,
}: Pick<Visit<"/{account}">, "perform" | "account">): Promise<readonly List[]> {
  return (await perform(listLists, { account: account.id, limit: MAX_PAGE })).rows;
}
