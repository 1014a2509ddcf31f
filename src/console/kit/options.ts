/** What the pages of the console are served with. */
import type { FastifyRequest } from "fastify";
import type { CodeCheck, PasswordCheck } from "#admin/kit/action.ts";
import type { MailTools } from "#admin/kit/mail-tools.ts";
import type { Admission } from "#admission/admission.ts";
import type { GivenCredentials, GivenPassword, LoggedIn, PasswordResult } from "#auth/users/log-in.ts";
import type { Session } from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import type { Store } from "#domain/ports/store.ts";
import type { SettingValue } from "#domain/setting-value.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import type { OnDefect } from "#web/json-errors.ts";

/** A user whose session was found. */
export interface SignedIn {
  readonly user: User;
  readonly session: Session;
  /** What the cookie contains. */
  readonly secret: string;
}

/** Of the service as a whole. */
export interface Trouble {
  readonly reason: string;
  readonly todo: string;
}

export interface ConsoleOptions {
  readonly store: Store;
  /** null: unknown, ended, expired, or its user is disabled. */
  readonly findSession: (secret: string) => Promise<Omit<SignedIn, "secret"> | null>;
  readonly passwordCheck: PasswordCheck;
  readonly codeCheck: CodeCheck;
  /** Of this process. */
  readonly settings: readonly SettingValue[];
  readonly mail?: MailTools;
  /** The two steps of a sign-in, see `auth/users/log-in.ts`. Each throws Throttled. */
  readonly givePassword: (given: Omit<GivenCredentials, "code">, client: string) => Promise<PasswordResult>;
  readonly giveCode: (given: GivenPassword, code: string, client: string) => Promise<LoggedIn>;
  /** With a link; null: it does not work, or not any more. Throws Throttled. */
  readonly useLink: (secret: string, code: string | null, client: string) => Promise<LoggedIn | null>;
  readonly admission: Admission;
  readonly clients: ClientAddresses;
  readonly clock: () => number;
  readonly onDefect: OnDefect;
  /** Makes this process look for jobs that it can do. */
  readonly wakeJobs: () => void;
  /** What keeps the service from serving calls, now or soon; empty: nothing. */
  readonly troubles: () => Promise<readonly Trouble[]>;
  readonly version: string;
  /** The path of the service's base address. */
  readonly prefix: string;
  /** The address of the service, as the client sees it. */
  readonly baseOf: (request: FastifyRequest) => string;
  /** Aborted when the service stops. */
  readonly closing: AbortSignal;
  /** Of live progress; 15 seconds unless given. */
  readonly heartbeatMs?: number;
}
