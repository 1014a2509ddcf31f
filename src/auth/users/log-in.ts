/**
 * Checks who logs in: e-mail address and password and, if the user has set it up, a code of an authenticator
 * app or a recovery code.
 *
 * Failures are counted per client, by the guard of the API keys, and per user. An unknown user is answered
 * like a wrong password, and takes as long. Guessing the password of a user from elsewhere does not lock that
 * user out: a client from which the user has logged in within the last 24 hours is not refused for it. Codes
 * have few digits, so their failures are counted by themselves, without an exception; only somebody who has
 * the password, or may change the second factor, can cause them.
 */
import { createHash } from "node:crypto";
import type { Actor } from "../../domain/access/actor.ts";
import type { UserId } from "../../domain/access/user.ts";
import { type Address, parseAddress } from "../../domain/address/address.ts";
import type { Clocks } from "../../domain/clocks.ts";
import type { Credentials } from "../../domain/ports/access/users.ts";
import type { Store } from "../../domain/ports/store.ts";
import { BruteForceGuard, type FailureLimits } from "../brute-force-guard.ts";
import { RecentKeys } from "../recent-keys.ts";
import { userActor } from "./actor.ts";
import { passwords as ofProcess, type Passwords } from "./passwords.ts";
import { hashRecoveryCode } from "./recovery-codes.ts";
import { totpStep } from "./totp.ts";

const QUARTER_HOUR_MS = 900_000;
const perUser: FailureLimits = { free: 10, slow: 10, periodMs: QUARTER_HOUR_MS };
/** Three codes of a million are right at a time: ten guesses a quarter of an hour find one in a year. */
const perCode: FailureLimits = { free: 5, slow: 5, periodMs: QUARTER_HOUR_MS };

export interface LogInOptions {
  readonly store: Pick<Store, "users">;
  readonly clocks: Clocks;
  /** Per client. */
  readonly guard: BruteForceGuard;
  /** Log-ins of a user are refused from now on; null: of somebody who is no user. */
  readonly onRefused: (user: UserId | null) => void;
  readonly passwords?: Passwords;
}

export interface GivenCredentials {
  readonly email: string;
  readonly password: string;
  /** Of an authenticator app, or a recovery code; null if none was given. */
  readonly code: string | null;
}

/** "code needed": the password is right, and a code is missing. */
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
    return await this.#counted(client, async () => {
      const address = parseAddress(email);
      const found = address === null ? null : await this.#options.store.users.credentials({ address });
      const user = await this.#check(found, address, password, client);
      if (user === null) return { kind: "failed" };
      const isConfirmed = await this.#checkCode(user, code);
      if (isConfirmed === null) return { kind: "code needed" };
      if (!isConfirmed) return { kind: "failed" };
      this.#recent.used(String(user.user.id), client, this.#options.clocks.monotonic());
      await this.#renewHash(user, password);
      const actor = userActor(user.user, { kind: "password" }, "administrator", client);
      return { kind: "user", actor };
    });
  }

  /** Whether the password is that of a user who is logged in already. Throws Throttled. */
  async isPasswordOf(id: UserId, password: string, client: string): Promise<boolean> {
    const { kind } = await this.#counted(client, async () => {
      const found = await this.#options.store.users.credentials({ id });
      const user = await this.#check(found, null, password, client);
      return { kind: user === null ? "failed" : "code needed" };
    });
    return kind !== "failed";
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
  async #counted(client: string, check: () => Promise<LoggedIn>): Promise<LoggedIn> {
    const { guard } = this.#options;
    const end = guard.beginLookUp(client, "password");
    let result: LoggedIn;
    try {
      result = await check();
    } finally {
      end();
    }
    if (result.kind === "failed") await guard.failed(client, "password");
    return result;
  }

  async #check(
    found: Credentials | null,
    address: Address | null,
    password: string,
    client: string,
  ): Promise<Credentials | null> {
    const who = found === null ? unknownUser(address) : String(found.user.id);
    const isKnownClient = this.#recent.has(who, client, this.#options.clocks.monotonic());
    const end = isKnownClient ? null : this.#ofUser.beginLookUp(who, "user");
    let isRight: boolean;
    try {
      const hash = found?.user.disabledAt === null ? found.passwordHash : null;
      isRight = await this.#passwords.check(password, hash);
    } finally {
      end?.();
    }
    if (isRight) return found;
    if (!isKnownClient) await this.#ofUser.failed(who, "user");
    return null;
  }

  /** null: a code is needed. Each code works once, whatever process it is given to. */
  async #checkCode({ user: { id }, totpSecret }: Credentials, code: string | null): Promise<boolean | null> {
    if (totpSecret === null) return true;
    if (code === null || code.trim() === "") return null;
    return await this.isCodeRight(id, () => this.#use(id, totpSecret, code));
  }

  async #use(id: UserId, secret: string, code: string): Promise<boolean> {
    const { store, clocks } = this.#options;
    const step = totpStep(secret, code, clocks.wall());
    if (step !== null) return await store.users.useTotpStep({ id, step });
    const hash = hashRecoveryCode(code);
    return hash !== null && (await store.users.useRecoveryCode({ id, hash }));
  }

  /** After the parameters of new hashes have changed. A log-in does not fail because of it. */
  async #renewHash({ user: { id }, passwordHash: old }: Credentials, password: string): Promise<void> {
    if (old === null || !this.#passwords.isOutdated(old)) return;
    try {
      const hash = await this.#passwords.hash(password);
      await this.#options.store.users.rehash({ id, old, hash });
    } catch {
      // The next log-in tries again.
    }
  }
}

/** Counted without keeping what was typed. */
const unknownUser = (address: Address | null): string =>
  `unknown ${createHash("sha256")
    .update(address?.key ?? "")
    .digest("base64url")}`;
