/**
 * What a page was searched for, in its address. A filter that contains values of people, such as an address
 * or a name, is posted. The page then redirects to itself with the filter encrypted in the query, so that it
 * can be reloaded, paged and bookmarked while its address, the history of the browser and the logs of a proxy
 * say nothing. The filter works only for its page and its account.
 */
import type { AccountId } from "#domain/account.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Cursors } from "#web/cursors.ts";
import { FormRefused, PageFailure } from "./errors.ts";

/** Values by their names. */
export type Filter = Readonly<Record<string, string>>;

/** The parameter that contains it. */
export const FILTER = "filter";

/** The longest filter that an address takes; what is typed into a search is far shorter. */
const MAX_LENGTH = 2000;

interface FilterScope {
  /** The path of the page as it is declared. */
  readonly path: string;
  readonly account: AccountId | null;
}
const cursorScopeOf = ({ path, account }: FilterScope) => ({ listing: `filter of ${path}`, account });

export class EncryptedQueries {
  readonly #cursors: Cursors;
  constructor(cursors: Cursors) {
    this.#cursors = cursors;
  }

  /** Values that are empty are left out. null: there are no others. Throws FormRefused. */
  async encrypt(scope: FilterScope, filter: Filter): Promise<string | null> {
    const given = Object.entries(filter).filter(([, value]) => value !== "");
    if (given.length === 0) return null;
    const text = JSON.stringify(Object.fromEntries(given));
    if (Buffer.byteLength(text) > MAX_LENGTH)
      throw new FormRefused({ message: "This is too long to search for. Shorten it." });
    return await this.#cursors.encrypt(cursorScopeOf(scope), text);
  }

  /** Empty if the address has none. Throws PageFailure. */
  async decrypt(scope: FilterScope, query: URLSearchParams): Promise<Filter> {
    const encrypted = query.get(FILTER);
    if (encrypted === null) return {};
    try {
      return JSON.parse(await this.#cursors.decrypt(cursorScopeOf(scope), encrypted)) as Filter;
    } catch (error) {
      if (!(error instanceof InvalidCursor)) throw error;
      throw new PageFailure(
        400,
        "This search cannot be repeated",
        "The search in the address is not one of this page, or it was made by another installation. Open the page without it and search again.",
      );
    }
  }
}
