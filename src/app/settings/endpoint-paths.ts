/**
 * The further paths that an operator has the endpoint served at: how they may be written, and which ones the
 * service needs for itself. Where they lead is not known here.
 */

import { CONSOLE_PATH } from "#console/console-path.ts";
import { METRICS_PATH } from "#metrics/registry.ts";
import { UNSUBSCRIBE_PATH } from "#unsubscribe/path.ts";
import { API_PATH } from "#web/api-path.ts";

/** Each has documents of its own in memory. */
export const MAX_PATHS = 8;
const MAX_PATH_LENGTH = 200;
const PATH = /^(?:\/[A-Za-z0-9._~-]+)+\/?$/;
const EXAMPLE = "/api/service.asmx";

/** These, and everything below them. */
const RESERVED: readonly string[] = [
  ...["/api/v1", API_PATH, CONSOLE_PATH, UNSUBSCRIBE_PATH, "/schemas"],
  ...[METRICS_PATH, "/healthz", "/readyz"],
];

export const EXPECTED_PATHS = `at most ${MAX_PATHS} paths separated by commas, such as ${EXAMPLE}`;

/** What is wrong with a list of paths, for a person; null where nothing is. */
export function problemOfPaths(paths: readonly string[]): string | null {
  if (paths.length > MAX_PATHS) return `${paths.length} paths are given; at most ${MAX_PATHS} can be served`;
  for (const path of paths) {
    const problem = problemOf(path);
    if (problem !== null) return `"${path.slice(0, MAX_PATH_LENGTH)}" ${problem}`;
  }
  return null;
}

function problemOf(path: string): string | null {
  if (/^https?:/i.test(path))
    return `is an address; write its path only, such as ${EXAMPLE}, and the address in MAILROLL_BASE_URL`;
  if (!path.startsWith("/")) return `does not begin with a slash; write it like ${EXAMPLE}`;
  if (/[?#]/.test(path)) return "has a query or a fragment; leave that out, any query is accepted";
  if (path.length > MAX_PATH_LENGTH) return `is longer than ${MAX_PATH_LENGTH} characters`;
  if (path === "/") return `names nothing; write a path like ${EXAMPLE}`;
  if (!PATH.test(path)) return "may only have letters, digits and - . _ ~ between single slashes";
  if (/\/\.{1,2}(?:\/|$)/.test(path)) return 'has a segment "." or ".."; write the path without it';
  return null;
}

/**
 * A path below the base address, whose path is `prefix`. An operator may have written the whole path, as the
 * programs call it.
 */
export function belowPrefix(path: string, prefix: string): string {
  const isWhole =
    path.toLowerCase().startsWith(`${prefix.toLowerCase()}/`) && path.length > prefix.length + 1;
  return isWhole ? path.slice(prefix.length) : path;
}

/** The first of the paths that the service needs for itself; `prefix` is the path of its base address. */
export function reservedAmong(paths: readonly string[], prefix: string): string | null {
  const reserved = [...RESERVED, ...RESERVED.map((path) => prefix + path)].map((path) => path.toLowerCase());
  const isReserved = (path: string): boolean =>
    reserved.some((one) => path === one || path.startsWith(`${one}/`));
  // Every path is also served behind the prefix.
  const spellings = (path: string): readonly string[] => [path, prefix + path];
  const isTaken = (path: string): boolean =>
    spellings(belowPrefix(path, prefix)).some((one) => isReserved(one.toLowerCase()));
  return paths.find(isTaken) ?? null;
}

export const RESERVED_ADVICE = `is a path of the service itself; choose one that is not at or below ${RESERVED.join(", ")}`;
