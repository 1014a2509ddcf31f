/** Who asks for an action: an operator at the command line, or a user with a token or a session. */
import type { AccountId } from "../account.ts";
import type { Origin } from "./origin.ts";
import type { SessionId, TokenId } from "./session.ts";
import type { Role } from "./user.ts";

export interface Actor {
  /** Stored with every change that the actor makes. */
  readonly origin: Origin;
  /** The client's address; not on the command line. */
  readonly from?: string;
  /** The role in an account; of `null`, in the installation as a whole. Returns null if there is none. */
  readonly roleIn: (account: AccountId | null) => Role | null;
  /** The accounts in which the actor has a role; absent: all of them. */
  readonly accounts?: readonly AccountId[];
  /** What a user proves who they are with: a token, a session, or a password or link just checked. */
  readonly proof?: Proof;
}

export type Proof =
  | { readonly kind: "token"; readonly id: TokenId; readonly isLogIn: boolean }
  /** `linkAt`: when the user signed in with a link; null: with a password. */
  | { readonly kind: "session"; readonly id: SessionId; readonly linkAt: number | null }
  | { readonly kind: "password" | "link" };
