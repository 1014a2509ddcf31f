/**
 * Classifies errors of PostgreSQL and the network: unavailable, retry at once, or a defect of ours. None of
 * their texts contains a password. The database URL may contain one, so only its harmless parts are shown.
 */
import { DiskFailed, StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";

/** SQLSTATE: five characters from the server. Errors of the network and the driver have none. */
const STATE = /^[0-9A-Z]{5}$/;
/**
 * Connection errors, insufficient resources, operator intervention or a timeout, a system error, damaged
 * files; a refused session; tables or rights that are gone since the start.
 */
const UNAVAILABLE = /^(?:08|28|3D|3F|53|57|58|XX00[12]|55000|55P03|40001|40P01|42501|42P01|25006|25P0[234])/;
/** The disk of the server is full, or fails. */
const OF_DISK = /^(?:53100|58030)$/;
/**
 * The session cannot be used any more: the server shuts down, has become a read-only standby, or has ended
 * the session for a timeout; or its transaction was aborted for an unknown reason.
 */
const LOST = /^(?:08|57P0|25006|25P0[234])/;
/** System error codes about connections, not the ones with which Node reports a defect in our code. */
const isOfNetwork = (code: string): boolean =>
  /^(?:E[A-Z]+|ERR_(?:TLS|SSL)_\w+)$/.test(code) || code.includes("CERT");
/** The driver reports these only by their text. */
const DRIVER =
  /^(?:Connection terminated|timeout expired|timeout exceeded|Client has encountered a connection error|Client was closed|The server does not support SSL)/;

function codeOf(error: unknown): string | null {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : null;
}
/** The SQLSTATE. */
export const sqlState = (error: unknown): string | null => {
  const code = codeOf(error);
  return code !== null && STATE.test(code) && !isOfNetwork(code) ? code : null;
};

/** Of a command that has waited too long for its turn: no work is done for it. */
export const LATE = {
  ok: false,
  error: new StoreUnavailable(
    "the command waited too long for other commands and was not executed; try again later",
  ),
} as const;

/** A lock was not granted within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = "55P03";

/** The connection cannot be reused. */
export function isLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return LOST.test(state);
  return isOfNetwork(codeOf(error) ?? "") || (error instanceof Error && DRIVER.test(error.message));
}

/** The server is starting, does not run yet, or did not answer in time. */
const STARTING =
  /^(?:57P03|08...|53300|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT)$/;
const NOT_IN_TIME = /^(?:Connection terminated|timeout expired)/;
/** Whether a session may be granted a moment later. A wrong password, name or certificate stays wrong. */
export function isStarting(error: unknown): boolean {
  const origin = error instanceof StoreUnavailable ? (error.cause ?? error) : error;
  const code = codeOf(origin);
  return code === null ? NOT_IN_TIME.test((origin as Error).message) : STARTING.test(code);
}

/** What a transaction has read is no longer true, as we have noticed ourselves. */
export class Conflict extends Error {}

/**
 * Two transactions conflicted. This one has changed nothing and can be retried at once: the server has rolled
 * it back, we have noticed it, or both have added the same new address.
 */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return error instanceof Conflict || state === "40001" || state === "40P01" || isAddressTaken(error, state);
}
const isAddressTaken = (error: unknown, state: string | null): boolean =>
  state === "23505" &&
  (error as { readonly constraint?: unknown }).constraint === "subscriber_account_id_address_key_key";

const ABORTED = "25P02";
/** Rejected only because another statement of the transaction has failed. */
export const isAborted = (error: unknown): boolean => sqlState(error) === ABORTED;

/** The error as the port defines it; a defect is returned unchanged. */
export function asStoreError(error: unknown): Error {
  const failure = error instanceof Error ? error : new Error(String(error));
  if (failure instanceof StoreUnavailable) return failure;
  const state = sqlState(error);
  const isUnavailable = state === null ? isLost(error) : UNAVAILABLE.test(state);
  if (!isUnavailable) return failure;
  const Kind = OF_DISK.test(state ?? "") ? DiskFailed : StoreUnavailable;
  return new Kind(`the database does not answer: ${textOf(failure)}`);
}

/** Without a session the server counts as unavailable, whatever the reason. */
export function asConnectError(error: unknown): Error {
  const failure = asStoreError(error);
  return failure instanceof StoreUnavailable || isLost(error)
    ? (error as Error)
    : new StoreUnavailable(`the database does not answer: ${textOf(failure)}`, { cause: error });
}

/** If a host name has several addresses, the driver's error has no text of its own. */
const textOf = (failure: Error): string => failure.message || codeOf(failure) || failure.name;

/** Login refused, no such database, no right to create tables, tables of another program. */
const REFUSED = /^(?:28|3D|3F|42501|42P07)/;
/** The driver's message if the server asks for a password and the URL contains none. */
const NO_PASSWORD = /^SASL: .*password/;

/** The URL without the part before `@` and the part after `?`: either may contain the password. */
export function shownAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** For commands that start with opening the database, and can report that it is the wrong one. */
export function asErrorAt(error: unknown, url: string): Error {
  const shown = shownAddress(url);
  const origin = error instanceof StoreUnavailable ? (error.cause ?? error) : error;
  const { message } = origin as Error;
  if (REFUSED.test(sqlState(origin) ?? "") || NO_PASSWORD.test(message))
    return new StoreRefused(`the database ${shown} cannot be used: ${message}`, { cause: error });
  const failure = asStoreError(error);
  return failure instanceof StoreUnavailable
    ? new StoreUnavailable(`${failure.message} (${shown})`, { cause: error })
    : failure;
}
