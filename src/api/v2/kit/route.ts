/**
 * A route of the API as data: which action it performs, and the schemas of what it takes and returns. Types,
 * validation, serialisation, the OpenAPI document and the reference page are derived from it. A route
 * contains no rule: rules are in the action.
 */

import type { Static, TObject, TSchema } from "typebox";
import type { Action, Actor, CodeCheck, PasswordCheck } from "#admin/kit/action.ts";
import type { MailTools } from "#admin/kit/mail-tools.ts";
import type { Admission } from "#admission/admission.ts";
import type { GivenCredentials, LoggedIn } from "#auth/users/log-in.ts";
import type { Store } from "#domain/ports/store.ts";
import type { SettingValue } from "#domain/setting-value.ts";
import type { VersionedThing } from "#domain/version.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import type { OnDefect } from "#web/json-errors.ts";
import type { ParamsOf } from "#web/path.ts";

/** What the routes of the API are served with. */
export interface RouteOptions {
  readonly store: Store;
  /** From the header Authorization; null: it contains no valid token. Throws the fault Throttled. */
  readonly authenticate: (authorization: string | undefined, client: string) => Promise<Actor | null>;
  /** With a password, for routes that need no token. */
  readonly logIn?: (given: GivenCredentials, client: string) => Promise<LoggedIn>;
  readonly passwordCheck?: PasswordCheck;
  readonly codeCheck?: CodeCheck;
  readonly settings?: readonly SettingValue[];
  readonly mail?: MailTools;
  readonly admission: Admission;
  readonly clients: ClientAddresses;
  readonly clock: () => number;
  readonly onDefect: OnDefect;
  /** Makes this process look for jobs that it can do. */
  readonly wakeJobs: () => void;
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
type Status = 200 | 201 | 202 | 204;

/** The request after validation. */
export interface Given<Path extends string, Query extends TSchema, Body extends TSchema> {
  readonly params: ParamsOf<Path>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  readonly now: number;
  /** The path of the API, as clients see it. */
  readonly base: string;
}

/** A reply that is sent while it is produced. */
interface Streamed {
  /** The name under which a browser saves it. */
  readonly fileName: string;
  readonly chunks: AsyncIterable<string | Uint8Array>;
}

interface Common<
  Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  Args extends object,
  Result,
> {
  /** A sentence without a full stop, such as "Create a list". */
  readonly summary: string;
  readonly description?: string;
  readonly action: Action<Args, Result>;
  /** The name in the OpenAPI document, if another route has that of the action. */
  readonly id?: string;
  /** The same as another route, but of the whole installation: its name ends in `.installation`. */
  readonly isOfInstallation?: true;
  readonly query?: Query;
  readonly body?: Body;
  /** In bytes, if it is more than usual. */
  readonly bodyLimit?: number;
  /** The body is any bytes, as a Buffer; undefined if there are none. Without a schema. */
  readonly takesBytes?: true;
  /** If it is not given: the ids in the path (`idsOf`), and the members of the body. */
  readonly args?: (given: Given<Path, Query, Body>) => Args;
  /** A GET that the present state may not allow, so that the reply is 409. Every other method may get one. */
  readonly mayConflict?: true;
  /** Whether the body contains a password: nothing that is computed from it may be stored. */
  readonly takesPassword?: true | ((body: Static<Body>) => boolean);
  /** What the body says to prove who asks: such a route needs no token. */
  readonly logsIn?: (given: Given<Path, Query, Body>) => GivenCredentials;
  /**
   * The names in the request of the action's inputs whose names differ; below a member of the body as a path,
   * such as `filter/search`.
   */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** A route whose reply is JSON, or has no body. */
export interface JsonRoute<
  Path extends string = string,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
  Args extends object = never,
  Result = unknown,
> extends Common<Path, Query, Body, Args, Result> {
  /**
   * If it is not given: 200. 202: the reply has a member `job`; if that is null, everything is done, and the
   * status is 200.
   */
  readonly status?: Status;
  /** Not for 204. */
  readonly reply?: Reply;
  readonly answer: (result: Result, given: Given<Path, Query, Body>) => Static<Reply>;
  /** The reply contains a secret that is not stored, such as a new key. */
  readonly hasSecret?: true;
  /**
   * What the reply describes, and the request may change: the reply has an ETag, and If-Match is compared.
   */
  readonly thing?: VersionedThing;
  /**
   * The thing in the result of the action, if that is not the thing itself; null: it is not in the result, so
   * the reply has no ETag.
   */
  readonly versioned?: (result: Result, given: Given<Path, Query, Body>) => object | null;
}

/** A route whose reply is a file. */
export interface StreamRoute<
  Path extends string = string,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Args extends object = never,
  Result = unknown,
> extends Common<Path, Query, Body, Args, Result> {
  readonly contentType: string;
  readonly stream: (result: Result, given: Given<Path, Query, Body>) => Streamed;
}

/** With what a declaration may leave out, and what its request line says. */
interface Complete {
  readonly method: Method;
  /** Below `/api/v2`, such as `/accounts/{account}/lists`. */
  readonly path: string;
  readonly args: (given: Given<string, never, never>) => never;
}
export type Route = ((JsonRoute & { readonly status: Status }) | StreamRoute) & Complete;
export type TaggedRoute = Route & {
  /** The heading under which the reference lists it. */
  readonly tag: string;
};

/** An action takes the id of its thing as `id`; these ids it takes by their names. */
const byName = ["account", "campaign", "session", "token"] as const;
type IdsOf<Params> = {
  readonly [Name in keyof Params as Name extends (typeof byName)[number] ? Name : "id"]: Params[Name];
};
/** The parameters of a path as actions take them, such as `{ account, id }` for `{ account, list }`. */
export const idsOf = <Params extends object>(params: Params): IdsOf<Params> =>
  Object.fromEntries(
    Object.entries(params).map(([name, id]: [string, unknown]) => [
      byName.some((one) => one === name) ? name : "id",
      id,
    ]),
  ) as IdsOf<Params>;

const argsOfRequest = ({ params, body }: Given<string, TSchema, TSchema>) => ({
  ...idsOf(params),
  ...(body as object | undefined),
});
/** Without `args`, the action must take the ids in the path and the members of the body. */
type NeedsArgs<Path extends string, Body extends TSchema, Args> = IdsOf<ParamsOf<Path>> &
  Static<Body> extends Args
  ? unknown
  : { readonly args: unknown };

const complete = (line: string, declared: object): Route => {
  const [method, path] = line.split(" ");
  return { method, path, args: argsOfRequest, ...declared } as unknown as Route;
};

/** Declares a route; checks that the action gets its arguments, and the reply what the schema says. */
export const route = <
  const Path extends string,
  Args extends object,
  Result,
  Query extends TSchema = TObject<Record<never, never>>,
  Body extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
>(
  line: `${Method} ${Path}`,
  declared: JsonRoute<Path, Query, Body, Reply, Args, Result> & NeedsArgs<Path, Body, Args>,
): Route => complete(line, { status: 200, ...declared });

export const streamRoute = <
  const Path extends string,
  Args extends object,
  Result,
  Query extends TSchema = TObject<Record<never, never>>,
  Body extends TSchema = TSchema,
>(
  line: `${Method} ${Path}`,
  declared: StreamRoute<Path, Query, Body, Args, Result> & NeedsArgs<Path, Body, Args>,
): Route => complete(line, declared);

export const isStream = (one: Route): one is StreamRoute & Complete => "stream" in one;

const PREFIX = "/accounts/{account}";
/** The same as a route of an account, but in the whole installation. */
export const ofInstallation = (
  one: Route,
  texts: { readonly summary: string; readonly description?: string },
): Route => ({
  ...one,
  ...texts,
  isOfInstallation: true,
  path: one.path.slice(PREFIX.length),
  args: (given) => ({ ...(one.args(given) as object), account: null }) as never,
});

/** The path of what a route creates; null: none shows it. */
export function createdPath(route: Route, routes: readonly Route[]): string | null {
  if (isStream(route) || route.status !== 201) return null;
  const start = `${route.path.split(":")[0]}/{`;
  const shows = routes.filter(
    (other) =>
      !isStream(other) &&
      other.method === "GET" &&
      other.path.startsWith(start) &&
      other.thing === route.thing,
  );
  return shows[0]?.path ?? null;
}

/** Whether its reply is a page. */
export function isCollection(route: Route): boolean {
  if (isStream(route)) return false;
  const { properties = {} } = (route.reply ?? {}) as { readonly properties?: object };
  return "next" in properties && "previous" in properties;
}
