/**
 * Users: people who work with Mailroll under their own name. A user has a role in each of some accounts, or
 * administers the whole installation. Users are disabled, not deleted: the history and the audit log refer to
 * them.
 */
import type { AccountId } from "../account.ts";
import type { Id } from "../id.ts";

/** Roles, from the least to the most; each may do everything that the ones before it may. */
export const roles = ["viewer", "editor", "owner", "administrator"] as const;
/** The first three are held in an account; an administrator has the whole installation. */
export type Role = (typeof roles)[number];

/** The roles that a user can have in an account. */
export const accountRoles = ["viewer", "editor", "owner"] as const satisfies readonly Role[];
export type AccountRole = (typeof accountRoles)[number];

export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
/** The lesser of two roles. */
export const atMost = (role: Role, most: Role): Role => (isAtLeast(role, most) ? most : role);

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
  /** When the invitation of a user without a password ends, or has ended lately; null: there is none. */
  readonly invitationExpiresAt: number | null;
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
