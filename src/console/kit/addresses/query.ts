/** Addresses of pages with their queries. */

/** An address with the parameters that have a value, such as `withQuery(visit.path, { state, filter })`. */
export function withQuery(path: string, values: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** The addresses of the pages before and after one of a listing, by their cursors; null: there is none. */
export const neighbours = (
  path: string,
  { previous, next }: { readonly previous: string | null; readonly next: string | null },
  filter: Readonly<Record<string, string | null>> = {},
): { readonly previous: string | null; readonly next: string | null } => ({
  previous: previous === null ? null : withQuery(path, { ...filter, before: previous }),
  next: next === null ? null : withQuery(path, { ...filter, after: next }),
});
