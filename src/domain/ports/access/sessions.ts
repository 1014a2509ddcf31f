/** Sessions of the console, and links to sign in with. */
import type { Audited } from "../../access/audit.ts";
import type { BegunWith, LinkKind, Session, SessionId } from "../../access/session.ts";
import type { User, UserId } from "../../access/user.ts";
import type { Address } from "../../address.ts";

export interface NewSession extends Audited {
  readonly user: UserId;
  readonly hash: Uint8Array;
  readonly client: string;
  readonly program: string;
  /** Absent: a password. */
  readonly begunWith?: BegunWith;
  readonly expiresAt: number;
  readonly at: number;
  /** For a user who has chosen none. */
  readonly timeZone?: string | null;
}
interface OneLink {
  readonly hash: Uint8Array;
  readonly at: number;
}
export interface NewLink extends OneLink, Audited {
  /** null: for the first administrator. */
  readonly user: UserId | null;
  /** Absent: to sign in. */
  readonly kind?: LinkKind;
  readonly expiresAt: number;
}
/** Whom a link is for; null: for the first administrator. */
export interface SignInLink {
  readonly user: UserId | null;
  readonly kind: LinkKind;
}
export interface FirstAdministrator extends OneLink, Audited {
  readonly address: Address;
  readonly name: string;
  readonly passwordHash: string;
}

export interface Sessions {
  /** Ends the oldest sessions of the user if there are too many. */
  create(args: NewSession): Promise<Session>;
  /** Also if the session is over or the user is disabled. */
  byHash(args: {
    readonly hash: Uint8Array;
  }): Promise<{ readonly session: Session; readonly user: User } | null>;
  /** Sessions that have not expired, in order of id. */
  ofUser(args: { readonly user: UserId; readonly at: number }): Promise<readonly Session[]>;
  /** null: the user has no such session. */
  end(args: Audited & { readonly user: UserId; readonly id: SessionId }): Promise<Session | null>;
  /** Records when sessions were last used; the time never moves back. */
  touch(args: { readonly uses: readonly { readonly id: SessionId; readonly at: number }[] }): Promise<null>;

  /** A new invitation replaces the earlier one of the user. */
  createLink(args: NewLink): Promise<null>;
  /** null: there is no such link, or it was used, or it has expired. */
  link(args: OneLink): Promise<SignInLink | null>;
  /** As `link`, for a link to sign in; it does not work any more afterwards. */
  useLink(args: OneLink): Promise<SignInLink | null>;
  /** Uses the invitation, and sets the password of its user. null: it does not work, or not any more. */
  acceptInvitation(args: OneLink & Audited & { readonly passwordHash: string }): Promise<User | null>;
  /** Whether there was an invitation. */
  withdrawInvitation(args: Audited & { readonly user: UserId }): Promise<boolean>;
  /** Whether there is a user who can administer the installation. */
  hasAdministrator(): Promise<boolean>;
  /** Uses the link for it, unless it fails. */
  createFirstAdministrator(
    args: FirstAdministrator,
  ): Promise<User | "UnknownLink" | "HasAdministrator" | "AddressTaken">;
}
