/**
 * Which requests may change something: those that a page of this console has sent. A browser says where a
 * request comes from in Sec-Fetch-Site; over plain http it may not, and then Origin must be this address.
 */
import type { FastifyRequest } from "fastify";
import { CrossSite } from "../failures.ts";

const safe = new Set(["GET", "HEAD"]);

/** `base` is the address of the service, as clients see it. Throws CrossSite. */
export function requireSameOrigin({ method, headers }: FastifyRequest, base: string): void {
  if (safe.has(method)) return;
  const site = headers["sec-fetch-site"];
  const isOwn = site === undefined ? isOwnOrigin(headers.origin, headers.host, base) : site === "same-origin";
  if (!isOwn) throw new CrossSite("the request was sent by another site");
}

/**
 * The address that the browser shows may differ from the configured one, but it is the one it asked. Over
 * plain http, anybody on the network can make a page of this host.
 */
function isOwnOrigin(origin: string | undefined, host: string | undefined, base: string): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  const [given, own] = [new URL(origin), new URL(base)];
  if (own.protocol === "https:" && given.protocol !== "https:") return false;
  return given.origin === own.origin || given.host === host?.toLowerCase();
}

/** Where to go after the sign-in: a page of the console; null: the address is something else. */
export function ownPath(given: string | null, base: string): string | null {
  const place = "http://console.invalid";
  if (given === null || !given.startsWith("/") || !URL.canParse(given, place)) return null;
  const { origin, pathname, search } = new URL(given, place);
  const isOwn = origin === place && (pathname === base || pathname.startsWith(`${base}/`));
  return isOwn ? `${pathname}${search}` : null;
}
