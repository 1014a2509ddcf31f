/**
 * Checks who logs in: e-mail address and password, or a sign-in link, and, if the user has set it up, a code
 * of an authenticator app or a recovery code. A link travels through mail or chat, so it is no second factor.
 *
 * Who has a second factor is asked for the code whether the password was right or not, with the same answer
 * after the same work: only the code decides, and a wrong one says nothing about the password.
 *
 * Failures are counted per client, by the guard of the API keys, and per user. An unknown user is answered
 * like a wrong password, and takes as long. Guessing the password of a user from elsewhere does not lock that
 * user out: a client from which the user has logged in within the last 24 hours is not refused for it, and
 * its password is checked before those of others. Codes have few digits, so their failures are counted by
 * themselves, without an exception: those from where the user has logged in, and all others together. Only
 * codes that come with the right password can be right, so only they count: nobody else can use up the
 * attempts. A user whose codes are refused for that is answered like one with a wrong code, at once:
 * otherwise the refusal, or the delay before it, would tell that the password is right. A password that only
 * leads to the question for the code counts for the client.
 */
import { createHash, randomBytes } from "node:crypto";
import { Fault } from "#contract/faults.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { User, UserId } from "#domain/access/user.ts";
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
import { findLink, useSignInLink } from "./sign-in-links.ts";
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

/** "code needed": the user has a second factor. It does not say whether the password was right. */
export type LoggedIn = KnownUser | { readonly kind: "failed" | "code needed" };
interface KnownUser {
  readonly kind: "user";
  readonly actor: Actor;
}

/** What is kept of a password until the code is given. The client must neither read nor change it. */
export interface GivenPassword {
  readonly user: UserId;
  readonly isRight: boolean;
  /** Of the password that it was compared with. */
  readonly setAt: number | null;
}
interface CodeNeeded {
  readonly kind: "code needed";
  readonly given: GivenPassword;
}
interface Failed {
  readonly kind: "failed";
}
export type PasswordResult = KnownUser | Failed | CodeNeeded;

const FAILED: Failed = { kind: "failed" };
const isBlank = (code: string | null): code is null => code === null || code.trim() === "";

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
      // Such as "7" and "7 elsewhere"; others are unknown addresses.
      onRefused: (who: string) => onRefused(/^\d/.test(who) ? Number.parseInt(who, 10) : null),
    };
    this.#ofUser = new BruteForceGuard({ ...guard, limits: perUser });
    this.#ofCode = new BruteForceGuard({ ...guard, limits: perCode });
  }

  /** How many users and unknown addresses have recent failures. */
  get sizes(): { readonly users: number; readonly codes: number } {
    return { users: this.#ofUser.size, codes: this.#ofCode.size };
  }

  /** With everything at once. Throws Throttled. */
  async authenticate({ code, ...given }: GivenCredentials, client: string): Promise<LoggedIn> {
    return await this.#counted(client, async () => {
      const result = await this.#checkPassword(given, client);
      if (result.kind !== "code needed" || isBlank(code)) return result;
      const checked = await this.#checkCode(result.given, code, client);
      if (checked.kind === "user") await this.#renewHash(result.found, given.password, client);
      return checked;
    });
  }

  /** The first of two steps. Throws Throttled. */
  async givePassword(given: Omit<GivenCredentials, "code">, client: string): Promise<PasswordResult> {
    const result = await this.#counted(client, () => this.#checkPassword(given, client));
    if (result.kind === "code needed" && result.given.isRight)
      // Not waited for: that would tell that the password is right.
      this.#renewHash(result.found, given.password, client).catch(() => undefined);
    return result;
  }

  /** The second step. Throws Throttled. */
  giveCode(given: GivenPassword, code: string, client: string): Promise<LoggedIn> {
    return this.#counted(client, () => this.#checkCode(given, code, client));
  }

  /** null: the link does not work, or not any more. It works until the code was right. Throws Throttled. */
  async useLink(secret: string, code: string | null, client: string): Promise<LoggedIn | null> {
    const { store, clocks } = this.#options;
    const found = await findLink(store, secret, clocks.wall());
    if (found?.kind !== "sign-in") return null;
    const user = await store.users.credentials({ id: found.user.id });
    if (user === null) return null;
    const { totpSecret } = user;
    if (totpSecret !== null) {
      if (isBlank(code)) return { kind: "code needed" };
      const check = () => this.#use(found.user.id, totpSecret, code, true);
      const isRight = await this.#counted(client, () => this.isCodeRight(found.user.id, check));
      if (!isRight) return FAILED;
    }
    const actor = await useSignInLink(store, secret, clocks.wall(), client);
    return actor === null ? null : { kind: "user", actor };
  }

  /** Whether the password is that of a user who is logged in already. Throws Throttled. */
  isPasswordOf(id: UserId, password: string, client: string): Promise<boolean> {
    return this.#counted(client, async () => {
      const found = await this.#options.store.users.credentials({ id });
      return await this.#isPassword(found, null, password, client, { isLoggedIn: true, isCounted: true });
    });
  }

  /** The result of a check of a user's code; a failure counts for the user. Throws Throttled. */
  async isCodeRight(id: UserId, check: () => Promise<boolean>): Promise<boolean> {
    const who = String(id);
    const end = this.#ofCode.beginLookUp(who, "code");
    let isRight: boolean;
    try {
      isRight = await check();
    } finally {
      end();
    }
    if (!isRight) await this.#ofCode.failed(who, "code");
    return isRight;
  }

  /** What is not yet a success counts for the client; checks in progress count, too. */
  async #counted<Result extends boolean | LoggedIn>(
    client: string,
    check: () => Promise<Result>,
  ): Promise<Result> {
    const { guard } = this.#options;
    const end = guard.beginLookUp(client, "password");
    let result: Result;
    try {
      result = await check();
    } finally {
      end();
    }
    if (result === false || (typeof result === "object" && result.kind !== "user"))
      await guard.failed(client, "password");
    return result;
  }

  async #checkPassword(
    { email, password }: Omit<GivenCredentials, "code">,
    client: string,
  ): Promise<KnownUser | Failed | (CodeNeeded & { readonly found: Credentials })> {
    const address = parseAddress(email);
    const found = address === null ? null : await this.#options.store.users.credentials({ address });
    const needsCode = found !== null && found.totpSecret !== null && found.user.disabledAt === null;
    const isCounted = !needsCode;
    const isRight = await this.#isPassword(found, address, password, client, { isCounted });
    if (needsCode) {
      const { id, passwordSetAt } = found.user;
      return { kind: "code needed", given: { user: id, isRight, setAt: passwordSetAt }, found };
    }
    if (!isRight || found === null) return FAILED;
    const known = this.#loggedIn(found.user, client);
    await this.#renewHash(found, password, client);
    return known;
  }

  #loggedIn(user: User, client: string): KnownUser {
    this.#recent.used(String(user.id), client, this.#options.clocks.monotonic());
    return { kind: "user", actor: userActor(user, { kind: "password" }, "administrator", client) };
  }

  async #isPassword(
    found: Credentials | null,
    address: Address | null,
    password: string,
    client: string,
    { isLoggedIn = false, isCounted }: { readonly isLoggedIn?: boolean; readonly isCounted: boolean },
  ): Promise<boolean> {
    const who = found === null ? unknownUser(address) : String(found.user.id);
    const isKnownClient = this.#isKnown(who, client);
    const end = isKnownClient ? null : this.#ofUser.beginLookUp(who, "user");
    let isRight: boolean;
    try {
      const hash = found?.user.disabledAt === null ? found.passwordHash : null;
      isRight = await this.#passwords.check(password, hash, client, isLoggedIn || isKnownClient);
    } finally {
      end?.();
    }
    if (!isRight && isCounted && !isKnownClient) await this.#ofUser.failed(who, "user");
    return isRight;
  }

  #isKnown(who: string, client: string): boolean {
    return this.#recent.has(who, client, this.#options.clocks.monotonic());
  }

  /** With a wrong password, and while codes of the user are refused, it does the same work and fails. */
  async #checkCode(
    { user: id, isRight, setAt }: GivenPassword,
    code: string,
    client: string,
  ): Promise<LoggedIn> {
    const found = await this.#options.store.users.credentials({ id });
    const secret = found?.totpSecret ?? null;
    if (found === null || secret === null) return FAILED;
    const { user } = found;
    const isPassword = isRight && user.disabledAt === null && user.passwordSetAt === setAt;
    const who = this.#isKnown(String(id), client) ? String(id) : `${id} elsewhere`;
    const end = isPassword ? this.#beginCode(who) : null;
    let isCode: boolean;
    try {
      isCode = await this.#use(id, secret, code, end !== null);
    } finally {
      end?.();
    }
    // Not waited for: the delay would tell that the password is right.
    if (!isCode && end !== null) this.#ofCode.failed(who, "code").catch(() => undefined);
    return isCode ? this.#loggedIn(user, client) : FAILED;
  }

  /** null: refused. */
  #beginCode(who: string): (() => void) | null {
    try {
      return this.#ofCode.beginLookUp(who, "code");
    } catch (error) {
      if (error instanceof Fault && error.code === "Throttled") return null;
      throw error;
    }
  }

  /** Each code works once, whatever process it is given to. */
  async #use(id: UserId, secret: string, code: string, counts: boolean): Promise<boolean> {
    const { store, clocks } = this.#options;
    const step = totpStep(secret, code, clocks.wall());
    // No step is earlier than the first, and nobody has a random code.
    if (step !== null) return (await store.users.useTotpStep({ id, step: counts ? step : 0 })) && counts;
    const hash = hashRecoveryCode(code);
    if (hash === null) return false;
    return await store.users.useRecoveryCode({ id, hash: counts ? hash : randomBytes(hash.length) });
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
