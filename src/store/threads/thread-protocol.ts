/**
 * The messages between a store and its threads. Errors are sent as text, with the class that the port
 * defines.
 */
import {
  DatabaseFileReplaced,
  DiskFailed,
  IdempotencyKeyReused,
  ImportMoved,
  ImportUndone,
  InvalidCursor,
  OlderSchema,
  ResultErased,
  StoreRefused,
  StoreUnavailable,
  TestLimitReached,
  VersionConflict,
} from "#domain/ports/errors.ts";

export interface Question {
  readonly id: number;
  /** null means: close the database and end. */
  readonly call: unknown;
}
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}
export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError };

/** The id of a reply without a request: the thread has opened its database. */
export const OPENED = 0;
/** Bytes are transferred, not copied: the sender does not need them any more. */
export const movable = (value: unknown): ArrayBuffer[] => {
  const bytes = (value as { readonly bytes?: unknown } | null)?.bytes;
  return bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : [];
};

/** The errors that the port defines. Where in the code they were thrown does not matter. */
const PORT_ERRORS: Readonly<Record<string, new (message: string) => Error>> = {
  DatabaseFileReplaced,
  DiskFailed,
  IdempotencyKeyReused,
  ResultErased,
  ImportMoved,
  ImportUndone,
  InvalidCursor,
  OlderSchema,
  StoreRefused,
  StoreUnavailable,
  TestLimitReached,
  VersionConflict,
};

/** The stack of a refusal is not even made: that would cost more than the refused command. */
export function sendable(error: Error): SentError {
  const { name, message } = error;
  return { name, message, stack: Object.hasOwn(PORT_ERRORS, name) ? undefined : error.stack };
}

export function received({ name, message, stack }: SentError): Error {
  const PortError = Object.hasOwn(PORT_ERRORS, name) ? PORT_ERRORS[name] : undefined;
  if (PortError !== undefined) return new PortError(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
