/** The target of a GET, from its URL and headers. */

/** Path and query. A proxy may send the whole address (RFC 9112 §3.2.2). */
export function targetOf(url: string): readonly [path: string, query: string] {
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  return mark === -1 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}

export const takesGzip = (given: string | undefined): boolean =>
  given !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(given);

/** Whether the client already has this version. */
export function isCurrent(given: string | undefined, tag: string): boolean {
  if (given === undefined) return false;
  return given.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag);
}
