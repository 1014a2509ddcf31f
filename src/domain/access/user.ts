/**
 * Users: people who work with Mailroll under their own name. A user has a role in each of some accounts, or
 * administers the whole installation. Users are disabled, not deleted: the history and the audit log refer to
 * them.
 */
import type { AccountId } from "../account.ts";
import type { Id } from "../id.ts";
import { type AccountRole, isAtLeast, type Role } from "./role.ts";

export type UserId = Id<"UserId">;

export interface UserRole {
  readonly account: AccountId;
  readonly role: AccountRole;
}

export interface User {
  readonly id: UserId;
  /** As first given. */
  readonly email: string;
  /** Empty if none was given. */
  readonly name: string;
  readonly isAdministrator: boolean;
  /** In order of account. */
  readonly roles: readonly UserRole[];
  readonly createdAt: number;
  readonly disabledAt: number | null;
  /** null: the user cannot log in with a password. */
  readonly passwordSetAt: number | null;
  /** Since when a log-in also needs a code; null: it does not. */
  readonly totpSince: number | null;
  /** A secret for codes was given to the user, who has not confirmed it yet. */
  readonly isTotpPending: boolean;
  /** In which the console shows times, such as Europe/Berlin; null: UTC. */
  readonly timeZone: string | null;
}

/** The role in an account; of `null`, in the installation as a whole. */
export function roleOf(user: User, account: AccountId | null): Role | null {
  if (user.isAdministrator) return "administrator";
  return user.roles.find((one) => one.account === account)?.role ?? null;
}

/** The highest role that the user has anywhere; null: none at all. */
export function highestRole(user: User): Role | null {
  if (user.isAdministrator) return "administrator";
  return user.roles.reduce<Role | null>(
    (highest, { role }) => (highest !== null && isAtLeast(highest, role) ? highest : role),
    null,
  );
}
