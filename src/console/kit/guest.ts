/** A request of somebody who is not signed in, or may not be. */
import type { Session } from "../../domain/session.ts";
import type { User } from "../../domain/user.ts";
import type { Asked } from "./visit.ts";

export interface Guest extends Asked {
  /** Who is signed in already; null: nobody. */
  readonly user: User | null;
  readonly session: Session | null;
  /** Whether cookies of the console are sent over https only. */
  readonly isSecure: boolean;
  /** The browser, see `client-program.ts`. */
  readonly program: string;
}
