/** What the arguments of a refused call name: a list and a person, if they exist. */
import { InvalidInput, NotFound } from "../../../admin/kit/errors.ts";
import { findList } from "../../../admin/lists.ts";
import type { KeptArguments } from "../../../admin/refusals/parameters.ts";
import { findSubscribers } from "../../../admin/subscribers/search.ts";
import { type Html, html } from "../../../html/html.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./call.texts.ts";

/** By the name of the argument. */
export type Mentioned = ReadonlyMap<string, Html | string>;
type InAccount = Pick<Visit<"/{account}">, "perform" | "account" | "link">;

const LIST = "SubscribersListID";
const ADDRESS = "EMail";

export async function mentionedBy(visit: InAccount, kept: KeptArguments): Promise<Mentioned> {
  const [list, person] = [kept[LIST], kept[ADDRESS]];
  const found = new Map<string, Html | string>();
  if (typeof list === "string") found.set(LIST, await listText(visit, list));
  const link = typeof person === "string" ? await personLink(visit, person) : null;
  if (link !== null) found.set(ADDRESS, link);
  return found;
}

async function listText({ perform, account, link }: InAccount, given: string): Promise<Html | string> {
  const id = /^\d{1,15}$/.test(given.trim()) ? Number(given) : 0;
  try {
    const { name } = await perform(findList, { account: account.id, id });
    return html`<a href="${link(`/lists/${id}`)}">${texts.isList(name)}</a>`;
  } catch (error) {
    if (error instanceof NotFound) return texts.noList;
    throw error;
  }
}

async function personLink({ perform, account, link }: InAccount, given: string): Promise<Html | null> {
  const address = given.trim();
  const anybody = { account: account.id, name: null, state: null, list: null, limit: 1 };
  try {
    const { rows } = await perform(findSubscribers, { ...anybody, search: address });
    const [found] = rows;
    // A search for something else than a whole address finds others.
    if (found === undefined || found.address.toLowerCase() !== address.toLowerCase()) return null;
    return html`<a href="${link(`/subscribers/${found.id}`)}">${texts.isPerson}</a>`;
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}
