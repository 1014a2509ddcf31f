/**
 * Sessions of the console, and links to sign in with. Only a hash is stored of what proves them: it has 256
 * random bits, so a plain SHA-256 cannot be brute-forced.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Id } from "../id.ts";
import type { Role, User, UserId } from "./user.ts";

export type SessionId = Id<"SessionId">;

export interface Session {
  readonly id: SessionId;
  readonly user: UserId;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** Of the sign-in. */
  readonly client: string;
  /** The browser, see `client-program.ts`. */
  readonly program: string;
  readonly begunWith: BegunWith;
}
/** What the user signed in with. */
export const begunWith = ["password", "link"] as const;
export type BegunWith = (typeof begunWith)[number];

const HOUR_MS = 3_600_000;
/** A session that is not used ends sooner. */
export const SESSION_IDLE_MS = 24 * HOUR_MS;
export const SESSION_MS = 30 * 24 * HOUR_MS;
/** A further sign-in of the same user ends the oldest one. */
export const MAX_SESSIONS = 20;

export const isUsableSession = (
  { lastUsedAt, expiresAt }: Session,
  { disabledAt }: User,
  now: number,
): boolean => disabledAt === null && now < expiresAt && now < lastUsedAt + SESSION_IDLE_MS;

const SECRET = /^[\w-]{43}$/;

export const newSecret = (): string => randomBytes(32).toString("base64url");
export const isSecret = (given: string): boolean => SECRET.test(given);
export const hashSecret = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** A link to sign in, or one with which a new user sets a password. Each works once. */
export const linkKinds = ["sign-in", "invitation"] as const;
export type LinkKind = (typeof linkKinds)[number];

/** How long a link to sign in works. */
export const LINK_MS = 15 * 60_000;
/** How long an invitation works: a new user may be on holiday. */
export const INVITATION_DAYS = 7;
export const INVITATION_MS = INVITATION_DAYS * 24 * HOUR_MS;

/** How long a sign-in with a password waits for the code of the second factor. */
export const SIGN_IN_MS = 5 * 60_000;

/** After signing in with a link: how long the user can replace a forgotten password. */
export const PASSWORD_RESET_MS = 15 * 60_000;

/** `linkAt`: when the user signed in with a link; null: with a password. */
export const mayResetPassword = (linkAt: number | null, now: number): boolean =>
  linkAt !== null && now < linkAt + PASSWORD_RESET_MS;

/**
 * Tokens of users, for programs and for sessions. Only a token's hash is stored: it has 256 random bits, so a
 * plain SHA-256 cannot be brute-forced. A token limits the role of its user; it never raises it.
 */
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
/** What users set and change, and the audit log has. */
export const changeableToken = ["user", "name", "role", "expiresAt", "revokedAt"] as const;

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
/** Of revoked tokens, the newest are kept, to be looked at; the audit log has all of them. */
export const MAX_REVOKED_TOKENS = 100;
