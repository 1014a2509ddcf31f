/**
 * A page of the console as data: its path, what it shows, and the forms on it. A page contains no rule: rules
 * are in the actions that it performs.
 *
 * A form is posted to the address of its page. The field `do` says which form it is (`formOf` makes it). If
 * its handler throws an error of an action, the page is shown again with what was typed and what was wrong.
 */
import type { Action } from "#admin/kit/action.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { Session } from "#domain/access/session.ts";
import type { Role, User } from "#domain/access/user.ts";
import type { Account, AccountId } from "#domain/account.ts";
import type { Page } from "#domain/ports/listing.ts";
import { type PageHeader, pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import type { Theme } from "#html/served-assets.ts";
import type { ParamsOf } from "#web/path.ts";
import type { Filter } from "./encrypted-query.ts";
import type { Form, FormState } from "./form.ts";
import type { Formats } from "./formats.ts";

// A request of a user who is signed in, as the pages see it.

/** What pages for users and for everybody have in common. */
export interface RequestContext {
  /** The address of the console, such as `/console`; with the path of the service before it. */
  readonly base: string;
  /** The path of the page as it was asked for, with the base and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty for GET. */
  readonly form: Form;
  /** For showing the form of this name: with what was typed and what was wrong, if it was just refused. */
  readonly formState: (form: string) => FormState;
  readonly formats: Formats;
  readonly now: number;
  readonly client: string;
  /** The address of the service as clients see it, such as https://mail.example.org. */
  readonly serviceAddress: string;
}

/** Of each variant of arguments. */
export type Without<Args, Key extends string> = Args extends unknown ? Omit<Args, Key> : never;

type InAccount<Path extends string> = Path extends `/{account}${string}` ? true : false;

export interface PageContext<Path extends string = string> extends RequestContext {
  readonly params: ParamsOf<Path>;
  readonly user: User;
  readonly actor: Actor;
  readonly session: Session;
  /** null: the page belongs to no account. */
  readonly account: InAccount<Path> extends true ? Account : null;
  /** The accounts in which the user has a role, in order of id; for the switcher. */
  readonly accounts: readonly Pick<Account, "id" | "name">[];
  /** In the account, or in the installation; null: the user has none there. */
  readonly role: Role | null;
  /** Whether the role is enough. Pages leave out what the user may not do; the action refuses it anyway. */
  readonly may: (needed: Role) => boolean;
  /** An address in the account, such as `context.link("/lists")`. */
  readonly link: (path: string) => string;
  /**
   * Performs an action as the user. With a form that has a version, the thing must still have it. While a
   * page is shown, only actions that change nothing are performed. Throws an AdminError.
   */
  readonly perform: <Args extends object, Result>(
    action: Action<Args, Result>,
    args: Args,
  ) => Promise<Result>;
  /** The same, in the account of the page; on a page of the installation, the account is null. */
  readonly performHere: <Args extends { readonly account: AccountId | null }, Result>(
    action: Action<Args, Result>,
    args: Without<Args, "account">,
  ) => Promise<Result>;
  /**
   * The same as `performHere`, but only once for this key: if the user repeats the request within a day,
   * because something after it has failed, the result is that of the first time. For one of several steps of
   * a form.
   */
  readonly performIdempotent: <Args extends { readonly account: AccountId | null }, Result>(
    key: string,
    action: Action<Args, Result>,
    args: Without<Args, "account">,
  ) => Promise<Result>;
  /** Whether the form was sent before, and what was performed now was answered from a record. */
  readonly isRepeat: () => boolean;
  /**
   * Performs an action that returns a page of a listing, in the account of the page if there is one, and by
   * the cursors in the query (`after`, `before`). The cursors that it returns are encrypted, because they
   * contain values such as addresses.
   */
  readonly list: <Args extends object, Result extends Page<unknown>>(
    action: Action<Args, Result>,
    args: Omit<Args, "account" | "after" | "before">,
  ) => Promise<Result>;
  /**
   * A filter that contains values of people, encrypted for the address of this page: the form of a search
   * redirects to `withQuery(context.path, { filter: await context.encrypt({ … }) })`. null: nothing is given.
   * Another page: by its path as it is declared.
   */
  readonly encrypt: (filter: Filter, page?: string) => Promise<string | null>;
  /** What the filter in the address of this page contains; empty if there is none. */
  readonly filter: () => Promise<Filter>;
}

export interface AccountChoice {
  readonly id: AccountId;
  readonly name: string;
}

/** A request of a visitor, who may be signed in or not. */
export interface GuestContext extends RequestContext {
  /** The user who is signed in already, or null. */
  readonly user: User | null;
  readonly session: Session | null;
  /** Whether cookies of the console are sent over https only. */
  readonly isSecure: boolean;
  /** The browser is on the machine of the server. */
  readonly isLocal: boolean;
  /** The browser, see `client-program.ts`. */
  readonly program: string;
  /** What a sign-in that needs a code has kept in the browser (`Redirect.signIn`); null: nothing. */
  readonly signIn: string | null;
  /** For a user whose password or link was just checked. Throws an AdminError. */
  readonly performAs: <Args extends object, Result>(
    actor: Actor,
    action: Action<Args, Result>,
    args: Args,
  ) => Promise<Result>;
}

/** What is shown within the frame. */
export interface Content {
  readonly kind: "content";
  readonly title: string;
  /** With its heading, see `html/components/page-header.ts`. */
  readonly body: Html;
  /** What was searched for, in the field at the top. */
  readonly searched?: string;
  /** Further scripts of this page, by the names that `serveScript` returned. */
  readonly scripts?: readonly string[];
}
export interface Redirect {
  readonly kind: "redirect";
  /** An address of the console with its base, as `context.link` makes it. */
  readonly to: string;
  /** A sentence that the next page shows once; null: nothing. */
  readonly notice: string | null;
  /** What proves a new session, for its cookie; null ends the session of the browser; undefined keeps it. */
  readonly session?: string | null;
  /** What the browser keeps until a code is given, for a few minutes; null ends that. */
  readonly signIn?: string | null;
  readonly theme?: Theme;
}
/** A file that is sent while it is produced. */
export interface Download {
  readonly kind: "download";
  readonly fileName: string;
  readonly contentType: string;
  readonly chunks: AsyncIterable<string | Uint8Array>;
}
/**
 * A document that is shown in a sandboxed frame of another page, such as the preview of a message. It may
 * contain anything: no script runs, and nothing is loaded.
 */
export interface Framed {
  readonly kind: "framed";
  readonly document: string;
  /** The user wants to see its pictures, and its author may learn that. */
  readonly showsPictures?: boolean;
}
export type Answer = Content | Redirect | Download | Framed;

export const content = (title: string, body: Html, scripts: readonly string[] = []): Content => ({
  kind: "content",
  title,
  body,
  scripts,
});
/** The same, with its title as the heading. */
export const titled = (header: PageHeader, body: Html | null, scripts?: readonly string[]): Content =>
  content(
    header.title,
    html`${pageHeader(header)}
${body}`,
    scripts,
  );
export const redirect = (to: string, notice: string | null = null): Redirect => ({
  kind: "redirect",
  to,
  notice,
});
export const framed = (document: string, options: Pick<Framed, "showsPictures"> = {}): Framed => ({
  ...{ kind: "framed", document },
  ...options,
});
export const download = (file: Omit<Download, "kind">): Download => ({ kind: "download", ...file });

/**
 * Performs one action, then redirects. It may also return content, for a secret that is shown once. Throws an
 * AdminError.
 */
type Submit<Asker> = (context: Asker) => Promise<Answer>;
export interface FormHandler<Asker> {
  readonly submit: Submit<Asker>;
  /** The names in the form of the action's inputs whose names differ. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** The answer shows a secret, which is not stored: a form that was sent twice is refused instead. */
  readonly hasSecret?: true;
}
/** By the value of the field `do`. */
export type Forms<Asker> = Readonly<Record<string, FormHandler<Asker> | Submit<Asker>>>;

interface Common<Path extends string, Asker> {
  /** Below `/console`, such as `/{account}/lists/{list}`. The ids have the names of the API. */
  readonly path: Path;
  readonly show: (context: Asker) => Promise<Answer>;
  readonly forms?: Forms<Asker>;
  /** A form contains a file: its body may have the size that the service allows, not only 64 KiB. */
  readonly takesFile?: true;
}
/** For users who are signed in. */
export interface UserPage<Path extends string = string> extends Common<Path, PageContext<Path>> {
  readonly kind: "user";
  /** The least role in the account (or in the installation) with which the page is of any use. */
  readonly role?: Role;
}
/** For everybody, such as the page to sign in. */
export interface GuestPage<Path extends string = string> extends Common<Path, GuestContext> {
  readonly kind: "guest";
}
/** Server-sent events, for live progress. */
export interface EventPage<Path extends string = string> {
  readonly kind: "events";
  readonly path: Path;
  readonly role?: Role;
  /** Ends when the client is gone, its session ends or the service stops: then `signal` is aborted. */
  readonly events: (context: PageContext<Path>, signal: AbortSignal) => AsyncIterable<ServerEvent>;
}
export interface ServerEvent {
  readonly event?: string;
  readonly data: string;
}
export type AnyPage = UserPage | GuestPage | EventPage;

/** Declares a page; checks that it uses only the ids that its path has. */
export const page = <const Path extends string>(declared: Omit<UserPage<Path>, "kind">): AnyPage =>
  ({ kind: "user", ...declared }) as unknown as UserPage;
export const guestPage = <const Path extends string>(declared: Omit<GuestPage<Path>, "kind">): AnyPage => ({
  kind: "guest",
  ...declared,
});
export const eventPage = <const Path extends string>(declared: Omit<EventPage<Path>, "kind">): AnyPage =>
  ({ kind: "events", ...declared }) as unknown as EventPage;
