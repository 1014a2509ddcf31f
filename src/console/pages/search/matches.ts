/** Where a search leads: to the only thing that is exactly what was typed, if there is one. */
import type { searchEverything } from "#admin/search-everything.ts";
import type { Visit } from "../../kit/visit.ts";

export type SearchVisit = Visit<"/{account}/search">;
export type Found = Awaited<ReturnType<(typeof searchEverything)["run"]>>;

/** The path in the account; null: nothing, or several things, are exactly that. */
export function onlyMatch(found: Found, typed: string): string | null {
  const text = typed.trim().toLowerCase();
  const is = (...names: readonly string[]): boolean => names.some((name) => name.toLowerCase() === text);
  const paths = [
    ...found.subscribers.filter(({ address }) => is(address)).map(({ id }) => `/subscribers/${id}`),
    ...found.lists.filter(({ name }) => is(name)).map(({ id }) => `/lists/${id}`),
    ...found.campaigns.filter(({ name }) => is(name)).map(({ id }) => `/campaigns/${id}`),
    ...found.keys.filter(({ label, hint }) => is(label, hint)).map(({ id }) => `/integrations/${id}`),
    ...(found.refusedCall === null ? [] : [`/refused-calls/${found.refusedCall.id}`]),
  ];
  return paths.length === 1 ? (paths[0] ?? null) : null;
}

export const isNothing = ({ subscribers, lists, campaigns, keys, refusedCall }: Found): boolean =>
  refusedCall === null && [subscribers, lists, campaigns, keys].every((rows) => rows.length === 0);
