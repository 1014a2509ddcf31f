/**
 * What a page was searched for, in its address. A filter that contains values of people, such as an address
 * or a name, is posted. The page then redirects to itself with the filter encrypted in the query, so that it
 * can be reloaded, paged and bookmarked while its address, the history of the browser and the logs of a proxy
 * say nothing. The filter works only for its page and its account.
 */
import type { AccountId } from "#domain/account.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Cursors } from "#web/cursors.ts";
import {
  FormRefused,
  filterTooLong,
  PageFailure,
  unreadableFilter,
  unreadableFilterTitle,
} from "./failures.ts";

/** Values by their names. */
export type Filter = Readonly<Record<string, string>>;

/** The parameter that contains it. */
export const FILTER = "filter";

/** The longest filter that an address takes; what is typed into a search is far shorter. */
const MAX_LENGTH = 2000;

interface FilterPlace {
  /** The path of the page as it is declared. */
  readonly path: string;
  readonly account: AccountId | null;
}
const placeOf = ({ path, account }: FilterPlace) => ({ listing: `filter of ${path}`, account });

export class EncryptedQueries {
  readonly #cursors: Cursors;
  constructor(cursors: Cursors) {
    this.#cursors = cursors;
  }

  /** Values that are empty are left out. null: there are no others. Throws FormRefused. */
  async seal(place: FilterPlace, filter: Filter): Promise<string | null> {
    const given = Object.entries(filter).filter(([, value]) => value !== "");
    if (given.length === 0) return null;
    const text = JSON.stringify(Object.fromEntries(given));
    if (Buffer.byteLength(text) > MAX_LENGTH) throw new FormRefused({ message: filterTooLong });
    return await this.#cursors.encrypt(placeOf(place), text);
  }

  /** Empty if the address has none. Throws PageFailure. */
  async open(place: FilterPlace, query: URLSearchParams): Promise<Filter> {
    const sealed = query.get(FILTER);
    if (sealed === null) return {};
    try {
      return JSON.parse(await this.#cursors.decrypt(placeOf(place), sealed)) as Filter;
    } catch (error) {
      if (!(error instanceof InvalidCursor)) throw error;
      throw new PageFailure(400, unreadableFilterTitle, unreadableFilter);
    }
  }
}
