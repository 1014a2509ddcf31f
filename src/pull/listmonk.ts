/**
 * What listmonk has, read from its API page by page. It knows the shapes of the answers, and which values
 * listmonk itself understands; what becomes of them here is decided elsewhere.
 */
import { PullFailed, type Remote } from "./remote.ts";

export interface ListmonkList {
  readonly id: number;
  readonly name: string;
  /** Nobody gets mail of the list before they have confirmed it. */
  readonly isDoubleOptIn: boolean;
}
export interface ListmonkSubscription {
  readonly list: number;
  /** "unconfirmed", "confirmed" or "unsubscribed". */
  readonly status: string;
  /** null: listmonk did not say it; versions before 3 do not. */
  readonly createdAt: number | null;
  readonly changedAt: number | null;
}
export interface ListmonkPerson {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  /** "enabled", "disabled" or "blocklisted". */
  readonly status: string;
  readonly createdAt: number | null;
  /** By name. */
  readonly attributes: readonly (readonly [name: string, value: unknown])[];
  readonly subscriptions: readonly ListmonkSubscription[];
}
export interface ListmonkCampaign {
  readonly id: number;
  readonly name: string;
  readonly isSent: boolean;
  readonly createdAt: number | null;
  readonly startedAt: number | null;
  /** Without those that were deleted. */
  readonly lists: readonly number[];
}

/** Where a pull from listmonk reads. */
export interface ListmonkSource {
  /** Of the server, such as "lists.example.org". */
  readonly host: string;
  lists(): Promise<readonly ListmonkList[]>;
  /** In the order of their ids, those with a higher id than `after`; with the number of all. */
  people(after: number): AsyncIterable<{
    readonly people: readonly ListmonkPerson[];
    readonly total: number;
  }>;
  campaigns(): Promise<readonly ListmonkCampaign[]>;
}

/** listmonk has no larger pages. */
const PER_PAGE = 50;
/** Pages in a row with nobody new: after people were deleted, a few. */
const MOST_STALE = 100;
const MOST_PAGES = 2 ** 24;
/** More lists or campaigns than anybody has. */
const MOST_THINGS = 100_000;

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const timeOf = (value: unknown): number | null => {
  const time = typeof value === "string" && value.length < 50 ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
};

interface Page {
  readonly rows: readonly Json[];
  readonly total: number;
}

export class Listmonk implements ListmonkSource {
  readonly #remote: Remote;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(remote: Remote, base: URL, user: string, token: string) {
    this.#remote = remote;
    this.#base = base;
    const credentials = Buffer.from(`${user}:${token}`).toString("base64");
    this.#headers = { Accept: "application/json", Authorization: `Basic ${credentials}` };
  }

  get host(): string {
    return this.#base.host;
  }

  async lists(): Promise<readonly ListmonkList[]> {
    const rows = await this.#all("lists");
    return rows.map((row) => ({
      id: idOf(row),
      name: textOf(row.name),
      isDoubleOptIn: row.optin === "double",
    }));
  }

  async campaigns(): Promise<readonly ListmonkCampaign[]> {
    const rows = await this.#all("campaigns", { no_body: "true" });
    return rows.map((row) => ({
      id: idOf(row),
      name: textOf(row.name),
      isSent: (row.status === "finished" || row.status === "cancelled") && row.type !== "optin",
      createdAt: timeOf(row.created_at),
      startedAt: timeOf(row.started_at),
      lists: jsonsIn(row.lists)
        .map(({ id }) => id)
        .filter((id): id is number => typeof id === "number" && id > 0),
    }));
  }

  async *people(after: number): ReturnType<ListmonkSource["people"]> {
    let [last, lowest] = [after, Infinity];
    let stale = 0;
    let page = after === 0 ? 1 : await this.#pageAfter(after);
    let next = this.#peoplePage(page);
    for (;;) {
      const { rows, total } = await next;
      const deleted = lowest === Infinity ? 0 : Math.max(0, lowest - total);
      lowest = Math.min(lowest, total);
      // The people of this page have moved to earlier ones. Who was read already is skipped.
      page = deleted > 0 ? Math.max(1, page - Math.ceil(deleted / PER_PAGE)) : page + 1;
      if (rows.length === 0 && deleted === 0) return;
      next = this.#peoplePage(page);
      if (deleted > 0) continue;
      // It is read while this one is saved; if it fails before anybody waits for it, the next turn throws.
      next.catch(() => {});
      const people = rows.map(personOf).filter(({ id }) => id > last);
      stale = people.length === 0 ? stale + 1 : 0;
      if (stale > MOST_STALE) throw new PullFailed(`${this.host} sends the same subscribers again and again`);
      last = people.at(-1)?.id ?? last;
      yield { people, total };
    }
  }

  /** The first page with an id above this one, or one that is empty. */
  async #pageAfter(id: number): Promise<number> {
    const isAfter = async (page: number): Promise<boolean> => {
      const { rows } = await this.#peoplePage(page);
      const lastRow = rows.at(-1);
      return lastRow === undefined || idOf(lastRow) > id;
    };
    let [low, high] = [0, 1];
    while (!(await isAfter(high))) {
      [low, high] = [high, high * 2];
      if (high > MOST_PAGES) throw new PullFailed(`${this.host} sends the same subscribers again and again`);
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (await isAfter(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  async #peoplePage(page: number): Promise<Page> {
    const found = await this.#page("subscribers", page, { order_by: "id", order: "asc" });
    const ids = found.rows.map(idOf);
    if (ids.some((id, index) => id <= (ids[index - 1] ?? 0)))
      throw new PullFailed(
        `${this.host} does not sort subscribers by their id, so nobody could say whether one is missing; is it listmonk 2 or later?`,
      );
    return found;
  }

  async #all(what: string, more: Readonly<Record<string, string>> = {}): Promise<readonly Json[]> {
    const rows = new Map<number, Json>();
    for (let page = 1; rows.size < MOST_THINGS; page += 1) {
      const found = await this.#page(what, page, more);
      const before = rows.size;
      for (const row of found.rows) rows.set(idOf(row), row);
      // The last page, or a service that knows no pages.
      if (rows.size === before) break;
    }
    return [...rows.values()];
  }

  async #page(what: string, page: number, more: Readonly<Record<string, string>>): Promise<Page> {
    const url = new URL(this.#base);
    const folders = url.pathname.split("/").filter((name) => name !== "");
    url.pathname = ["", ...folders, "api", what].join("/");
    url.search = new URLSearchParams({ page: String(page), per_page: String(PER_PAGE), ...more }).toString();
    const { body } = await this.#remote.send(url, { headers: this.#headers });
    let data: unknown;
    try {
      ({ data } = JSON.parse(body.toString()) as { readonly data?: unknown });
    } catch {
      throw this.#unexpected(url);
    }
    if (!isJson(data) || (!Array.isArray(data.results) && data.results !== null)) throw this.#unexpected(url);
    return { rows: jsonsIn(data.results), total: typeof data.total === "number" ? data.total : 0 };
  }

  #unexpected = ({ origin, pathname }: URL): PullFailed =>
    new PullFailed(`${origin}${pathname} does not answer as listmonk does; is this the address of listmonk?`);
}

const jsonsIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

function idOf({ id }: Json): number {
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1)
    throw new PullFailed("listmonk has answered with something that has no id");
  return id;
}

function personOf(row: Json): ListmonkPerson {
  return {
    id: idOf(row),
    email: textOf(row.email),
    name: textOf(row.name),
    status: textOf(row.status),
    createdAt: timeOf(row.created_at),
    attributes: isJson(row.attribs) ? Object.entries(row.attribs) : [],
    subscriptions: jsonsIn(row.lists).map((list) => ({
      list: idOf(list),
      status: textOf(list.subscription_status),
      createdAt: timeOf(list.subscription_created_at),
      changedAt: timeOf(list.subscription_updated_at),
    })),
  };
}
