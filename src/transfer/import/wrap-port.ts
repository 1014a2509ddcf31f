/** Wraps the methods and listings of a port, for instance to retry them. */
import { pagesBy } from "#domain/paging/pages.ts";
import type { Listing, Page, PageRange } from "#domain/ports/listing.ts";

/** Makes a call, or several, or none. */
export type Around<Port> = (method: keyof Port, call: () => Promise<unknown>) => Promise<unknown>;

type AnyListing = Listing<unknown, unknown>;
const isListing = (method: unknown): method is AnyListing =>
  typeof method === "object" && method !== null && "page" in method;

const PAGE_SIZE = 500;

/** Each page is a call of its own. */
function wrapListing(
  listing: AnyListing,
  around: (call: () => Promise<unknown>) => Promise<unknown>,
): AnyListing {
  const page = async (args: unknown, range: PageRange) =>
    (await around(() => listing.page(args, range))) as Page<unknown>;
  return {
    page,
    pages: (args) => pagesBy(PAGE_SIZE, (range) => page(args, range)),
  };
}

export function wrapPort<Port extends object>(port: Port, around: Around<Port>): Port {
  const methods = Object.entries(port).map(([key, method]: [string, unknown]) => {
    const name = key as keyof Port;
    if (isListing(method)) return [key, wrapListing(method, (call) => around(name, call))];
    if (typeof method !== "function") return [key, method];
    return [key, (...args: unknown[]) => around(name, () => method(...args) as Promise<unknown>)];
  });
  return Object.fromEntries(methods) as Port;
}
