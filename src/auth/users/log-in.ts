/**
 * Checks who logs in: e-mail address and password, or a sign-in link, and, if the user has set it up, a code
 * of an authenticator app or a recovery code. A link travels through mail or chat, so it is no second factor.
 *
 * Failures are counted per client, by the guard of the API keys, and per user. An unknown user is answered
 * like a wrong password, and takes as long. Guessing the password of a user from elsewhere does not lock that
 * user out: a client from which the user has logged in within the last 24 hours is not refused for it, and
 * its password is checked before those of others. Codes have few digits, so their failures are counted by
 * themselves, without an exception; only a client that has the password or a link, or may change the second
 * factor, can cause them.
 */
import { createHash } from "node:crypto";
import type { Actor } from "#domain/access/actor.ts";
import type { UserId } from "#domain/access/user.ts";
import { type Address, parseAddress } from "#domain/address.ts";
import type { Clocks } from "#domain/clocks.ts";
import type { Credentials } from "#domain/ports/access/users.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { BruteForceGuard, type FailureLimits } from "../brute-force-guard.ts";
import { RecentKeys } from "../recent-keys.ts";
import { userActor } from "./actor.ts";
import { passwords as ofProcess, type Passwords } from "./passwords.ts";
import { hashRecoveryCode } from "./recovery-codes.ts";
import { findSignInLink, useSignInLink } from "./sign-in-links.ts";
import { totpStep } from "./totp.ts";

const QUARTER_HOUR_MS = 900_000;
const perUser: FailureLimits = { free: 10, slow: 10, periodMs: QUARTER_HOUR_MS };
/** Three codes of a million are right at a time: ten guesses a quarter of an hour find one in a year. */
const perCode: FailureLimits = { free: 5, slow: 5, periodMs: QUARTER_HOUR_MS };

export interface LogInOptions {
  readonly store: Pick<Store, "users" | "sessions">;
  readonly clocks: Clocks;
  /** Per client. */
  readonly guard: BruteForceGuard;
  /** Log-ins of a user are refused from now on; null: the name is not that of a user. */
  readonly onRefused: (user: UserId | null) => void;
  readonly passwords?: Passwords;
}

export interface GivenCredentials {
  readonly email: string;
  readonly password: string;
  /** Of an authenticator app, or a recovery code; null if none was given. */
  readonly code: string | null;
}

/** "code needed": the password or the link is right, and a code is missing. */
export type LoggedIn =
  | { readonly kind: "user"; readonly actor: Actor }
  | { readonly kind: "failed" | "code needed" };

export class LogIn {
  readonly #options: LogInOptions;
  readonly #passwords: Passwords;
  readonly #ofUser: BruteForceGuard;
  readonly #ofCode: BruteForceGuard;
  /** From which clients each user has logged in; by the text of the id. */
  readonly #recent = new RecentKeys();

  constructor(options: LogInOptions) {
    const { clocks, onRefused } = options;
    this.#options = options;
    this.#passwords = options.passwords ?? ofProcess;
    const guard = {
      clock: clocks.monotonic,
      pause: clocks.pause,
      onRefused: (user: string) => onRefused(/^\d+$/.test(user) ? Number(user) : null),
    };
    this.#ofUser = new BruteForceGuard({ ...guard, limits: perUser });
    this.#ofCode = new BruteForceGuard({ ...guard, limits: perCode });
  }

  /** How many users and unknown addresses have recent failures. */
  get sizes(): { readonly users: number; readonly codes: number } {
    return { users: this.#ofUser.size, codes: this.#ofCode.size };
  }

  /** Throws Throttled. */
  async authenticate({ email, password, code }: GivenCredentials, client: string): Promise<LoggedIn> {
    const result = await this.#counted(client, async () => {
      const address = parseAddress(email);
      const found = address === null ? null : await this.#options.store.users.credentials({ address });
      const user = await this.#check(found, address, password, client);
      if (user === null) return "failed";
      const checked = await this.#checkCode(user, code);
      if (checked !== "right") return checked;
      this.#recent.used(String(user.user.id), client, this.#options.clocks.monotonic());
      await this.#renewHash(user, password, client);
      return userActor(user.user, { kind: "password" }, "administrator", client);
    });
    return typeof result === "string" ? { kind: result } : { kind: "user", actor: result };
  }

  /** null: the link does not work, or not any more. It works until the code was right. Throws Throttled. */
  async useLink(secret: string, code: string | null, client: string): Promise<LoggedIn | null> {
    const { store, clocks } = this.#options;
    const found = await findSignInLink(store, secret, clocks.wall());
    if (found === null || found === "first") return null;
    const user = await store.users.credentials({ id: found.id });
    if (user === null) return null;
    const kind =
      user.totpSecret === null ? "right" : await this.#counted(client, () => this.#checkCode(user, code));
    if (kind !== "right") return { kind };
    const actor = await useSignInLink(store, secret, clocks.wall(), client);
    return actor === null ? null : { kind: "user", actor };
  }

  /** Whether the password is that of a user who is logged in already. Throws Throttled. */
  async isPasswordOf(id: UserId, password: string, client: string): Promise<boolean> {
    const result = await this.#counted(client, async () => {
      const found = await this.#options.store.users.credentials({ id });
      return (await this.#check(found, null, password, client, true)) === null ? "failed" : "right";
    });
    return result === "right";
  }

  /** The result of a check of a user's code; a failure counts for the user. Throws Throttled. */
  async isCodeRight(id: UserId, check: () => Promise<boolean>): Promise<boolean> {
    const end = this.#ofCode.beginLookUp(String(id), "code");
    let isRight: boolean;
    try {
      isRight = await check();
    } finally {
      end();
    }
    if (!isRight) await this.#ofCode.failed(String(id), "code");
    return isRight;
  }

  /** A failure counts for the client; checks in progress count, too. */
  async #counted<Result>(
    client: string,
    check: () => Promise<Result | "failed">,
  ): Promise<Result | "failed"> {
    const { guard } = this.#options;
    const end = guard.beginLookUp(client, "password");
    let result: Result | "failed";
    try {
      result = await check();
    } finally {
      end();
    }
    if (result === "failed") await guard.failed(client, "password");
    return result;
  }

  async #check(
    found: Credentials | null,
    address: Address | null,
    password: string,
    client: string,
    isLoggedIn = false,
  ): Promise<Credentials | null> {
    const who = found === null ? unknownUser(address) : String(found.user.id);
    const isKnownClient = this.#recent.has(who, client, this.#options.clocks.monotonic());
    const end = isKnownClient ? null : this.#ofUser.beginLookUp(who, "user");
    let isRight: boolean;
    try {
      const hash = found?.user.disabledAt === null ? found.passwordHash : null;
      isRight = await this.#passwords.check(password, hash, client, isLoggedIn || isKnownClient);
    } finally {
      end?.();
    }
    if (isRight) return found;
    if (!isKnownClient) await this.#ofUser.failed(who, "user");
    return null;
  }

  /** Each code works once, whatever process it is given to. Without a second factor, any is right. */
  async #checkCode(
    { user: { id }, totpSecret }: Credentials,
    code: string | null,
  ): Promise<"right" | "failed" | "code needed"> {
    if (totpSecret === null) return "right";
    if (code === null || code.trim() === "") return "code needed";
    return (await this.isCodeRight(id, () => this.#use(id, totpSecret, code))) ? "right" : "failed";
  }

  async #use(id: UserId, secret: string, code: string): Promise<boolean> {
    const { store, clocks } = this.#options;
    const step = totpStep(secret, code, clocks.wall());
    if (step !== null) return await store.users.useTotpStep({ id, step });
    const hash = hashRecoveryCode(code);
    return hash !== null && (await store.users.useRecoveryCode({ id, hash }));
  }

  /**
   * After the parameters of new hashes have changed. A log-in does not fail because of it, unless the
   * database is unavailable: the log-in would only wait as long again to store its session.
   */
  async #renewHash(
    { user: { id }, passwordHash: old }: Credentials,
    password: string,
    client: string,
  ): Promise<void> {
    if (old === null || !this.#passwords.isOutdated(old)) return;
    try {
      const hash = await this.#passwords.hash(password, client);
      await this.#options.store.users.rehash({ id, old, hash });
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // The next log-in tries again.
    }
  }
}

/** Counted without keeping what was typed. */
const unknownUser = (address: Address | null): string =>
  `unknown ${createHash("sha256")
    .update(address?.key ?? "")
    .digest("base64url")}`;
