/**
 * Tokens of users, for programs and for sessions. Only a token's hash is stored: it has 256 random bits, so a
 * plain SHA-256 cannot be brute-forced. A token limits the role of its user; it never raises it.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Id } from "../id.ts";
import type { Role } from "./role.ts";
import type { User, UserId } from "./user.ts";

export type TokenId = Id<"TokenId">;

export interface UserToken {
  readonly id: TokenId;
  readonly user: UserId;
  readonly name: string;
  /** The highest role that it can be used with; the user's own role may be lower by now. */
  readonly role: Role;
  /** It was given for a password, and ends soon. */
  readonly isLogIn: boolean;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

const PREFIX = "mrt_";
const TOKEN = /^mrt_[\w-]{43}$/;

export const newToken = (): string => PREFIX + randomBytes(32).toString("base64url");
export const isToken = (given: string): boolean => TOKEN.test(given);
export const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

export const isUsableToken = (
  { revokedAt, expiresAt }: UserToken,
  { disabledAt }: User,
  now: number,
): boolean => revokedAt === null && disabledAt === null && (expiresAt === null || expiresAt > now);

/** How long a user who logs in with a password stays logged in. */
export const LOG_IN_MS = 12 * 3_600_000;
/** More log-ins of one user end the oldest one. */
export const MAX_LOG_INS = 20;
/** Other tokens of one user that are not revoked. */
export const MAX_TOKENS = 100;
/** Of those that are revoked, the newest are kept, to be looked at; the audit log has all of them. */
export const MAX_REVOKED_TOKENS = 100;
