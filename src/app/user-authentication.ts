/** How users prove who they are to this process: with a token, a session, or a password to get one. */
import type { BruteForceGuard } from "#auth/brute-force-guard.ts";
import { LogIn } from "#auth/users/log-in.ts";
import { SessionAuthenticator, TokenAuthenticator } from "#auth/users/token-authenticator.ts";
import type { Clocks } from "#domain/clocks.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Log } from "./log/log.ts";

interface Options {
  readonly store: Store;
  readonly clocks: Clocks;
  /** Of all failed authentications, whatever they were tried with. */
  readonly guard: BruteForceGuard;
  readonly log: Log;
}

export interface UserAuthentication {
  readonly tokens: TokenAuthenticator;
  readonly logIn: LogIn;
  readonly sessions: SessionAuthenticator;
}

export const authenticateUsers = ({ store, clocks, guard, log }: Options): UserAuthentication => ({
  tokens: new TokenAuthenticator({
    store,
    clocks,
    guard,
    onLoadFailed: (error) => log.warn("read of recently used tokens failed", {}, error),
  }),
  logIn: new LogIn({
    store,
    clocks,
    guard,
    onRefused: (user) => log.warn("log-ins of a user rate-limited: too many failures", { user }),
  }),
  sessions: new SessionAuthenticator(store, clocks.wall),
});

/** What API and console ask of them. */
export const userChecks = ({ logIn, sessions }: UserAuthentication) => ({
  logIn: logIn.authenticate.bind(logIn),
  givePassword: logIn.givePassword.bind(logIn),
  giveCode: logIn.giveCode.bind(logIn),
  useLink: logIn.useLink.bind(logIn),
  passwordCheck: logIn.isPasswordOf.bind(logIn),
  codeCheck: logIn.isCodeRight.bind(logIn),
  findSession: sessions.find.bind(sessions),
});
