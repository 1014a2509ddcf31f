/** A request of somebody who is not signed in, or may not be. */
import type { Action } from "#admin/kit/action.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { Session } from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import type { Asked } from "./visit.ts";

export interface Guest extends Asked {
  /** Who is signed in already; null: nobody. */
  readonly user: User | null;
  readonly session: Session | null;
  /** Whether cookies of the console are sent over https only. */
  readonly isSecure: boolean;
  /** The browser is on the machine of the server. */
  readonly isLocal: boolean;
  /** The browser, see `client-program.ts`. */
  readonly program: string;
  /** For somebody whose password or link was just checked. Throws an AdminError. */
  readonly performAs: <Args extends object, Result>(
    actor: Actor,
    action: Action<Args, Result>,
    args: Args,
  ) => Promise<Result>;
}
