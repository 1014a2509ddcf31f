/**
 * The cookies of the console: the session, and a notice for the next page. Where the public address is https,
 * the browser sends them over https only, and no other host can set them (`__Host-`).
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isSecret, SESSION_MS, SIGN_IN_MS } from "#domain/access/session.ts";
import { type Theme, themes } from "#html/served-assets.ts";
import { CrossSite } from "../errors.ts";

/**
 * Which requests may change something: only requests that a page of this console has sent. A browser says
 * where a request comes from in Sec-Fetch-Site; over plain http it may not, and then Origin must be this
 * address.
 */
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
 * plain http, any machine on the network can make a page of this host.
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

const SESSION = "mailroll-session";
const NOTICE = "mailroll-notice";
const THEME = "mailroll-theme";
const YEAR_S = 365 * 24 * 3600;
const SIGN_IN = "mailroll-sign-in";
/** The next page is shown at once. */
const NOTICE_S = 60;
const MAX_NOTICE = 1000;

const nameOf = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

function read({ server, headers }: FastifyRequest, name: string): string | null {
  return server.parseCookie(headers.cookie ?? "")[name] ?? null;
}

function set(reply: FastifyReply, name: string, value: string, isSecure: boolean, maxAge: number): void {
  const cookie = reply.server.serializeCookie(nameOf(name, isSecure), value, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure,
    maxAge,
  });
  const before = reply.getHeader("Set-Cookie");
  const others = before === undefined ? [] : Array.isArray(before) ? before : [String(before)];
  reply.removeHeader("Set-Cookie").header("Set-Cookie", [...others, cookie]);
}

/** Light or dark, in this browser. */
export function themeOf(request: FastifyRequest, isSecure: boolean): Theme {
  const given = read(request, nameOf(THEME, isSecure));
  return themes.find((theme) => theme === given) ?? "auto";
}
export const setTheme = (reply: FastifyReply, theme: Theme, isSecure: boolean): void =>
  set(reply, THEME, theme, isSecure, theme === "auto" ? 0 : YEAR_S);

/** What proves the session; null: there is none, or it does not look like one. */
export function sessionSecret(request: FastifyRequest, isSecure: boolean): string | null {
  const given = read(request, nameOf(SESSION, isSecure));
  return given !== null && isSecret(given) ? given : null;
}
export const setSession = (reply: FastifyReply, secret: string, isSecure: boolean): void =>
  set(reply, SESSION, secret, isSecure, SESSION_MS / 1000);
export const clearSession = (reply: FastifyReply, isSecure: boolean): void =>
  set(reply, SESSION, "", isSecure, 0);

/** Between the password and the code. */
export const signInOf = (request: FastifyRequest, isSecure: boolean): string | null =>
  read(request, nameOf(SIGN_IN, isSecure));
export const setSignIn = (reply: FastifyReply, given: string | null, isSecure: boolean): void =>
  set(reply, SIGN_IN, given ?? "", isSecure, given === null ? 0 : SIGN_IN_MS / 1000);

/** Only this session can make it: other hosts of the same domain may be able to set a cookie. */
const signature = (text: string, secret: string): string =>
  createHmac("sha256", secret).update(text).digest("base64url");

export function setNotice(reply: FastifyReply, notice: string, secret: string, isSecure: boolean): void {
  const text = Buffer.from(notice.slice(0, MAX_NOTICE)).toString("base64url");
  set(reply, NOTICE, `${text}.${signature(text, secret)}`, isSecure, NOTICE_S);
}

/** Takes the notice of the page before, which is shown once; null: there is none. */
export function takeNotice(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  isSecure: boolean,
): string | null {
  const given = read(request, nameOf(NOTICE, isSecure));
  if (given === null) return null;
  set(reply, NOTICE, "", isSecure, 0);
  const [text = "", proof = ""] = given.split(".");
  const [expected, found] = [Buffer.from(signature(text, secret)), Buffer.from(proof)];
  if (expected.length !== found.length || !timingSafeEqual(expected, found)) return null;
  return Buffer.from(text, "base64url").toString();
}
