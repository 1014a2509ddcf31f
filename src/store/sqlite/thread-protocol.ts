/** What the store and its threads say to each other. Errors cross as text, with the class that the port knows. */
import { DatabaseFileReplaced, StoreRefused, StoreUnavailable } from "../../domain/ports.ts";
import type { Retention } from "../../domain/refusal.ts";
import type { FileIdentities } from "./file-place.ts";

export interface ThreadData {
  readonly file: string;
  readonly retention: Retention;
  readonly mayMigrate: boolean;
  /** Which files these are, once the first thread has opened them; every other one is to open the same. */
  files: FileIdentities | null;
}
export interface Question {
  readonly id: number;
  /** null: close the database and end. */
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

/** The reply to nothing: the thread has opened its database. */
export const OPENED = 0;
/** Its value. */
export interface OpenedDatabase {
  readonly schemaVersion: number;
  readonly files: FileIdentities;
}

/** Bytes change hands: what was found is not needed where it was found. */
export const movable = (value: unknown): ArrayBuffer[] => {
  const bytes = (value as { readonly bytes?: unknown } | null)?.bytes;
  return bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : [];
};

export const sendable = ({ name, message, stack }: Error): SentError => ({ name, message, stack });

export function received({ name, message, stack }: SentError): Error {
  if (name === "DatabaseFileReplaced") return new DatabaseFileReplaced(message);
  if (name === "StoreUnavailable") return new StoreUnavailable(message);
  if (name === "StoreRefused") return new StoreRefused(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
