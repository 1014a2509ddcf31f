/**
 * A form that creates something or starts a job has a random number. If it is sent twice, by a double click
 * or after a reply that was lost, it is executed once, and answered alike.
 */
import { createHash, randomBytes } from "node:crypto";
import type { UserId } from "#domain/access/user.ts";
import type { IdempotentRequest } from "#domain/idempotency.ts";
import type { Form } from "./form.ts";

export const ONCE = "once";
export const newOnce = (): string => randomBytes(16).toString("base64url");

/** null: the form may be executed as often as it is sent. */
export function requestOf(form: Form, path: string, owner: UserId, at: number): IdempotentRequest | null {
  // What was typed is a part of the key, too: a form that was changed and sent again is another one.
  return form.has(ONCE) ? requestFor([path, ...form.entries()], owner, at) : null;
}

/** The same request each time that the same things are given. */
export function requestFor(things: readonly unknown[], owner: UserId, at: number): IdempotentRequest {
  const fingerprint = createHash("sha256").update(JSON.stringify(things)).digest();
  return { owner, key: fingerprint.toString("hex"), fingerprint, at };
}
