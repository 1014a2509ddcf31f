/** The target of a GET, from its URL and headers. */

/** Path and query. A proxy may send the whole address (RFC 9112 §3.2.2). */
export function targetOf(url: string): readonly [path: string, query: string] {
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  return mark === -1 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}
