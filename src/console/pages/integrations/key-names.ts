/** How a key is named, and in which state it is. */
import type { ApiKey } from "#domain/access/key.ts";
import { DAY_MS } from "#domain/calendar.ts";
import { badge } from "#html/components/badge.ts";
import { type Html, html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";

/** The first characters, as they are shown for the whole key. */
export const hintOf = ({ hint }: Pick<ApiKey, "hint">): string => `${hint}…`;

export const nameOf = (key: Pick<ApiKey, "label" | "hint">): string =>
  key.label === "" ? hintOf(key) : key.label;

const SOON_MS = 14 * DAY_MS;

export type KeyState = "revoked" | "expired" | "expiring" | "usable";
export function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): KeyState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "usable";
  if (expiresAt <= now) return "expired";
  return expiresAt - now < SOON_MS ? "expiring" : "usable";
}

/** null: there is nothing to say about a key that works. */
export function troubleBadge(key: ApiKey, now: number, formats: Formats): Html | null {
  const state = stateOf(key, now);
  if (state === "revoked") return badge("Revoked");
  if (state === "expired") return badge("Expired", "bad");
  if (state === "expiring") return badge(`Expires ${formats.ago(key.expiresAt ?? now, now)}`, "warning");
  return null;
}

export const keyBadge = (key: ApiKey, now: number, formats: Formats): Html =>
  troubleBadge(key, now, formats) ?? badge("Active", "good");

/** On the page of a key that has expired, or expires. */
export const validity = (key: ApiKey, formats: Formats): Html | string => {
  if (key.revokedAt !== null) return html`Revoked on ${formats.time(key.revokedAt)}`;
  return key.expiresAt === null ? "never" : formats.time(key.expiresAt);
};
