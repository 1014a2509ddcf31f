/**
 * What PostgreSQL's and the network's errors mean: try later, try at once again, or a defect of ours. None of their
 * texts holds a password; of the address of the database, which does, only what is harmless is ever shown.
 */
import { StoreRefused, StoreUnavailable } from "../../domain/ports.ts";

/** Five characters from the server; the network's and the driver's own errors have none. */
const STATE = /^[0-9A-Z]{5}$/;
/**
 * Connection trouble, no resources, an operator or a time-out stepped in, the system below failed, damaged files; the
 * server refuses the session, or the tables or rights are gone that were there at the start.
 */
const UNAVAILABLE = /^(?:08|28|3D|3F|53|57|58|XX00[12]|55000|55P03|40001|40P01|42501|42P01|25006|25P0[234])/;
/**
 * The session is over or of no use: the server goes down, has become a standby that takes no writes, or has ended the
 * session for its time; or the session is in a transaction that was aborted, and nobody here knows why.
 */
const LOST = /^(?:08|57P0|25006|25P0[234])/;
/** Of the system's codes those about connections, not those by which Node finds fault with our code. */
const NETWORK = /^(?:E(?!RR_)[A-Z]+|ERR_(?:TLS|SSL)_\w+|\w*CERT\w*)$/;
/** The driver tells these by their text only. */
const DRIVER =
  /^(?:Connection terminated|timeout expired|timeout exceeded|Client has encountered a connection error|Client was closed|The server does not support SSL)/;

function codeOf(error: unknown): string | null {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : null;
}
const stateOf = (error: unknown): string | null => {
  const code = codeOf(error);
  return code !== null && STATE.test(code) && !NETWORK.test(code) ? code : null;
};

/** The connection cannot be used again. */
export function isLost(error: unknown): boolean {
  const state = stateOf(error);
  if (state !== null) return LOST.test(state);
  return NETWORK.test(codeOf(error) ?? "") || (error instanceof Error && DRIVER.test(error.message));
}

/** Two transactions got in each other's way; the server has undone this one, and it may be tried at once again. */
export function isConflict(error: unknown): boolean {
  const state = stateOf(error);
  return state === "40001" || state === "40P01";
}

const ABORTED = "25P02";
/** Refused only because another statement of the transaction has failed. */
export const isAborted = (error: unknown): boolean => stateOf(error) === ABORTED;

/** The error as the port knows it; a defect stays as it is. */
export function asStoreError(error: unknown): Error {
  const failure = error instanceof Error ? error : new Error(String(error));
  if (failure instanceof StoreUnavailable) return failure;
  const state = stateOf(error);
  const isUnavailable = state === null ? isLost(error) : UNAVAILABLE.test(state);
  return isUnavailable ? new StoreUnavailable(`the database does not answer: ${textOf(failure)}`) : failure;
}

/** Whatever the reason, a server with which there is no session does not answer. */
export function asConnectError(error: unknown): Error {
  const failure = asStoreError(error);
  return failure instanceof StoreUnavailable || isLost(error)
    ? (error as Error)
    : new StoreUnavailable(`the database does not answer: ${textOf(failure)}`, { cause: error });
}

/** Where a name has several addresses, the driver's error has no text of its own. */
const textOf = (failure: Error): string => failure.message || codeOf(failure) || failure.name;

/** The state by which the server refuses a session or a statement, for those who tell apart why. */
export const sqlState = stateOf;

/** Who may not log in, no such database, not allowed to make tables, somebody else's tables. */
const REFUSED = /^(?:28|3D|3F|42501|42P07)/;
/** The driver's own words where the address holds no password and the server wants one. */
const NO_PASSWORD = /^SASL: .*password/;

/** The address, but never what stands before its `@` or behind its `?`: the password may be in either. */
export function shownAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** For those who begin with the database, and can be told that it is the wrong one. */
export function asErrorAt(error: unknown, url: string): Error {
  const shown = shownAddress(url);
  const origin = error instanceof StoreUnavailable ? (error.cause ?? error) : error;
  const { message } = origin as Error;
  if (REFUSED.test(stateOf(origin) ?? "") || NO_PASSWORD.test(message))
    return new StoreRefused(`the database ${shown} cannot be used: ${message}`, { cause: error });
  const failure = asStoreError(error);
  return failure instanceof StoreUnavailable
    ? new StoreUnavailable(`${failure.message} (${shown})`, { cause: error })
    : failure;
}
