/** Users, their credentials and their tokens. */
import type { Audited } from "../../access/audit.ts";
import type { SessionId, TokenId, UserToken } from "../../access/session.ts";
import type { AccountRole, Role, User, UserId, UserRole } from "../../access/user.ts";
import type { AccountId } from "../../account.ts";
import type { Address } from "../../address.ts";
import type { Listing } from "../listing.ts";

interface OneUser {
  readonly id: UserId;
}
/** A change of a user. Its entry in the audit log belongs to an account; null: to the installation. */
export interface ChangeUser extends OneUser, Audited {
  readonly within: AccountId | null;
}
export interface NewUser extends Audited {
  readonly address: Address;
  readonly name: string;
  readonly isAdministrator: boolean;
  readonly role: UserRole | null;
  readonly at: number;
}
/** undefined keeps a value. */
export interface UserSettings {
  readonly name?: string | undefined;
  readonly isAdministrator?: boolean | undefined;
  /** null: no role in the account any more. */
  readonly role?: { readonly account: AccountId; readonly role: AccountRole | null } | undefined;
  /** When the user was disabled; null enables. A user who is disabled already keeps the date. */
  readonly disabledAt?: number | null | undefined;
  /** null: UTC. */
  readonly timeZone?: string | null | undefined;
}
export interface SetUser extends ChangeUser {
  readonly settings: UserSettings;
  /** Refuses to take away or to disable the last administrator who is enabled. */
  readonly keepsAdministrator: boolean;
}

/** What a log-in is checked against. */
export interface Credentials {
  readonly user: User;
  readonly passwordHash: string | null;
  readonly totpSecret: string | null;
  readonly totpPending: string | null;
}

/** In which account's log a change of a token is recorded; absent: only in that of the installation. */
interface WithinAccount {
  readonly within?: AccountId | null | undefined;
}

export interface NewToken extends Audited, WithinAccount {
  readonly user: UserId;
  readonly hash: Uint8Array;
  readonly name: string;
  readonly role: Role;
  readonly isLogIn: boolean;
  readonly expiresAt: number | null;
  readonly at: number;
}

export interface Users {
  /** Users with a role in an account, in order of id. */
  readonly all: Listing<{ readonly account: AccountId }, User>;
  /** In order of id. */
  readonly ofInstallation: Listing<Record<never, never>, User>;
  byId(args: OneUser): Promise<User | null>;
  byAddress(args: { readonly address: Address }): Promise<User | null>;
  /** The addresses of some users, for display. */
  addresses(args: {
    readonly ids: readonly UserId[];
  }): Promise<readonly { readonly id: UserId; readonly email: string }[]>;
  create(args: NewUser): Promise<User | "AddressTaken" | "UnknownAccount">;
  set(args: SetUser): Promise<User | "UnknownUser" | "UnknownAccount" | "LastAdministrator">;

  /** By the address or by the id. */
  credentials(
    args: { readonly address: Address; readonly id?: never } | (OneUser & { readonly address?: never }),
  ): Promise<Credentials | null>;
  /** Ends the user's log-ins and sessions, except the token `keeps` and the session `keepsSession`. */
  setPassword(
    args: ChangeUser & {
      readonly hash: string;
      readonly at: number;
      readonly keeps: TokenId | null;
      readonly keepsSession?: SessionId | null;
    },
  ): Promise<User | null>;
  /** Replaces a hash by one of the same password with other parameters; not if it has changed meanwhile. */
  rehash(args: OneUser & { readonly old: string; readonly hash: string }): Promise<null>;
  /** Stores a secret that is not in effect until it is confirmed. */
  enrolTotp(args: ChangeUser & { readonly secret: string }): Promise<User | null>;
  /**
   * Puts the pending secret into effect, with recovery codes that replace all earlier ones. null: the secret
   * is not pending any more.
   */
  confirmTotp(
    args: ChangeUser & {
      readonly secret: string;
      readonly step: number;
      readonly recoveryHashes: readonly Uint8Array[];
      readonly at: number;
    },
  ): Promise<User | null>;
  removeTotp(args: ChangeUser): Promise<User | null>;
  /** Whether the time step is later than the last one used, which it becomes. */
  useTotpStep(args: OneUser & { readonly step: number }): Promise<boolean>;
  /** Whether there is such a code; it is deleted. */
  useRecoveryCode(args: OneUser & { readonly hash: Uint8Array }): Promise<boolean>;

  /** In order of id, with expired tokens, and with the newest revoked ones. */
  tokens(args: { readonly user: UserId }): Promise<readonly UserToken[]>;
  /** null: the user has too many. A log-in ends the oldest one instead. */
  createToken(args: NewToken): Promise<UserToken | null>;
  /** A token that is already revoked keeps its first date. */
  revokeToken(
    args: Audited & WithinAccount & { readonly user: UserId; readonly id: TokenId; readonly at: number },
  ): Promise<UserToken | null>;
  /** Also if the token or the user does not work any more. */
  byToken(args: {
    readonly hash: Uint8Array;
  }): Promise<{ readonly token: UserToken; readonly user: User } | null>;
  /** The hashes and times of unrevoked tokens that were used or created since then; the latest ones. */
  recentTokens(args: {
    readonly since: number;
    readonly limit: number;
  }): Promise<readonly { readonly hash: Uint8Array; readonly at: number }[]>;
  /** Records when tokens were last used; the time never moves back. */
  touchTokens(args: {
    readonly uses: readonly { readonly id: TokenId; readonly at: number }[];
  }): Promise<null>;
}
