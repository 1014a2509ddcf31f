/**
 * The messages between a store and its threads. Errors are sent as text, with the class that the port
 * defines.
 */
import {
  DatabaseFileReplaced,
  IdempotencyKeyReused,
  ImportMoved,
  InvalidCursor,
  StoreRefused,
  StoreUnavailable,
  TestLimitReached,
  VersionConflict,
} from "../../domain/ports/errors.ts";

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
/** The id of a reply that may come before OPENED: opening takes long, for the reason in the reply. */
export const OPENING = -1;
/** Bytes are transferred, not copied: the sender does not need them any more. */
export const movable = (value: unknown): ArrayBuffer[] => {
  const bytes = (value as { readonly bytes?: unknown } | null)?.bytes;
  return bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : [];
};

export const sendable = ({ name, message, stack }: Error): SentError => ({ name, message, stack });

export function received({ name, message, stack }: SentError): Error {
  if (name === "DatabaseFileReplaced") return new DatabaseFileReplaced(message);
  if (name === "StoreUnavailable") return new StoreUnavailable(message);
  if (name === "StoreRefused") return new StoreRefused(message);
  if (name === "ImportMoved") return new ImportMoved(message);
  if (name === "InvalidCursor") return new InvalidCursor(message);
  if (name === "IdempotencyKeyReused") return new IdempotencyKeyReused(message);
  if (name === "VersionConflict") return new VersionConflict(message);
  if (name === "TestLimitReached") return new TestLimitReached(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
