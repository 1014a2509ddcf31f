/** A request of a user who is signed in, as the pages see it. */
import type { Action } from "#admin/kit/action.ts";
import type { ParamsOf } from "#api/v2/kit/path.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { Role } from "#domain/access/role.ts";
import type { Session } from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import type { Account, AccountId } from "#domain/account.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { Filter } from "./addresses/sealed-query.ts";
import type { Formats } from "./formats.ts";
import type { Form, ShownForm } from "./forms/form.ts";

/** What pages for users and for everybody have in common. */
export interface Asked {
  /** The address of the console, such as `/console`; with the path of the service before it. */
  readonly base: string;
  /** The path of the page as it was asked for, with the base and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty for GET. */
  readonly form: Form;
  /** For showing the form of this name: with what was typed and what was wrong, if it was just refused. */
  readonly shown: (form: string) => ShownForm;
  readonly formats: Formats;
  readonly now: number;
  readonly client: string;
  /** The address of the service as clients see it, such as https://mail.example.org. */
  readonly serviceAddress: string;
}

type InAccount<Path extends string> = Path extends `/{account}${string}` ? true : false;

export interface Visit<Path extends string = string> extends Asked {
  readonly params: ParamsOf<Path>;
  readonly user: User;
  readonly actor: Actor;
  readonly session: Session;
  /** null: the page belongs to no account. */
  readonly account: InAccount<Path> extends true ? Account : null;
  /** Those in which the user has a role, in order of id; for the switcher. */
  readonly accounts: readonly Pick<Account, "id" | "name">[];
  /** In the account, or in the installation; null: the user has none there. */
  readonly role: Role | null;
  /** Whether the role is enough. Pages leave out what the user may not do; the action refuses it anyway. */
  readonly may: (needed: Role) => boolean;
  /** An address in the account, such as `visit.link("/lists")`. */
  readonly link: (path: string) => string;
  /**
   * Performs an action as the user. With a form that has a version, the thing must still have it. While a
   * page is shown, only actions that change nothing are performed. Throws an AdminError.
   */
  readonly perform: <Args extends object, Result>(
    action: Action<Args, Result>,
    args: Args,
  ) => Promise<Result>;
  /**
   * The same, but only once for this key: if the user repeats the request within a day, because something
   * after it has failed, the result is that of the first time. For one of several steps of a form.
   */
  readonly performOnce: <Args extends object, Result>(
    key: string,
    action: Action<Args, Result>,
    args: Args,
  ) => Promise<Result>;
  /** Whether the form was sent before, and what was performed now was answered from a record. */
  readonly isRepeat: () => boolean;
  /**
   * Performs an action that returns a page of a listing, by the cursors in the query (`after`, `before`). The
   * cursors that it returns are encrypted, because they contain values such as addresses.
   */
  readonly list: <Args extends object, Result extends Page<unknown>>(
    action: Action<Args, Result>,
    args: Omit<Args, "after" | "before">,
  ) => Promise<Result>;
  /**
   * A filter that contains values of people, encrypted for the address of this page: the form of a search
   * redirects to `withQuery(visit.path, { filter: await visit.seal({ … }) })`. null: nothing is given.
   * Another page: by its path as it is declared.
   */
  readonly seal: (filter: Filter, page?: string) => Promise<string | null>;
  /** What the filter in the address of this page contains; empty if there is none. */
  readonly filter: () => Promise<Filter>;
}

export interface AccountChoice {
  readonly id: AccountId;
  readonly name: string;
}
