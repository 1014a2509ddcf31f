/**
 * The address that a provider posts its events to. The secret in it names account and sender, so that one
 * lookup by key finds the webhook; only its hash is stored.
 */
import { createHash, randomBytes } from "node:crypto";
import type { AccountId } from "../account.ts";
import type { SenderId } from "./sender.ts";

export const WEBHOOK_PATH = "/hooks";
const RADIX = 36;
const RANDOM_BYTES = 24;
const SECRET = /^h-([1-9a-z][0-9a-z]{0,10})-([1-9a-z][0-9a-z]{0,10})-[\w-]{32}$/;

export const newWebhookSecret = (account: AccountId, sender: SenderId): string =>
  `h-${account.toString(RADIX)}-${sender.toString(RADIX)}-${randomBytes(RANDOM_BYTES).toString("base64url")}`;

/** Whose it would be; null: it is none. */
export function readWebhookSecret(text: string): { account: AccountId; id: SenderId } | null {
  const [, account, sender] = SECRET.exec(text) ?? [];
  if (account === undefined || sender === undefined) return null;
  return { account: Number.parseInt(account, RADIX), id: Number.parseInt(sender, RADIX) };
}
export const hashOfSecret = (text: string): Buffer => createHash("sha256").update(text).digest();

/** `base` is the base address of the service, without a slash at its end. */
export const webhookUrl = (base: string, secret: string): string => `${base}${WEBHOOK_PATH}/${secret}`;

/** Whether a path is that of a webhook, with the prefix of the base address or without. */
export const isWebhookPath =
  (prefix: string) =>
  (path: string): boolean =>
    path.startsWith(`${WEBHOOK_PATH}/`) || path.startsWith(`${prefix}${WEBHOOK_PATH}/`);
