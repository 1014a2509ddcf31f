/**
 * A page of the console as data: its path, what it shows, and the forms on it. A page contains no rule: those
 * are in the actions that it performs.
 *
 * A form is posted to the address of its page. The field `do` says which form it is (`formOf` makes it). If
 * its handler throws an error of an action, the page is shown again with what was typed and what was wrong.
 */
import type { Role } from "#domain/access/role.ts";
import type { Html } from "#html/html.ts";
import type { Guest } from "./guest.ts";
import type { Visit } from "./visit.ts";

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
  /** An address of the console with its base, as `visit.link` makes it. */
  readonly to: string;
  /** A sentence that the next page shows once; null: nothing. */
  readonly notice: string | null;
  /** What proves a new session, for its cookie; null ends the session of the browser; undefined keeps it. */
  readonly session?: string | null;
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
}
export type Answer = Content | Redirect | Download | Framed;

export const content = (title: string, body: Html, scripts: readonly string[] = []): Content => ({
  kind: "content",
  title,
  body,
  scripts,
});
export const redirect = (to: string, notice: string | null = null): Redirect => ({
  kind: "redirect",
  to,
  notice,
});
export const framed = (document: string): Framed => ({ kind: "framed", document });
export const download = (file: Omit<Download, "kind">): Download => ({ kind: "download", ...file });

export interface FormHandler<Asker> {
  /**
   * Performs one action, then redirects. It may also return content, for a secret that is shown once. Throws
   * an AdminError.
   */
  readonly submit: (visit: Asker) => Promise<Answer>;
  /** The names in the form of the action's inputs whose names differ. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** The answer shows a secret, which is not stored: a form that was sent twice is refused instead. */
  readonly hasSecret?: true;
}

interface Common<Path extends string, Asker> {
  /** Below `/console`, such as `/{account}/lists/{list}`. The names of the ids are those of the API. */
  readonly path: Path;
  readonly show: (visit: Asker) => Promise<Answer>;
  /** By the value of the field `do`. */
  readonly forms?: Readonly<Record<string, FormHandler<Asker>>>;
  /** A form contains a file: its body may have the size that the service allows, not only 64 KiB. */
  readonly takesFile?: true;
}
/** For users who are signed in. */
export interface UserPage<Path extends string = string> extends Common<Path, Visit<Path>> {
  readonly kind: "user";
  /** The least role in the account (or in the installation) with which the page is of any use. */
  readonly role?: Role;
}
/** For everybody, such as the page to sign in. */
export interface GuestPage<Path extends string = string> extends Common<Path, Guest> {
  readonly kind: "guest";
}
/** Server-sent events, for live progress. */
export interface EventPage<Path extends string = string> {
  readonly kind: "events";
  readonly path: Path;
  readonly role?: Role;
  /** Ends when the client is gone, its session ends or the service stops: then `signal` is aborted. */
  readonly events: (visit: Visit<Path>, signal: AbortSignal) => AsyncIterable<ServerEvent>;
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
