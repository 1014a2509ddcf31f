/** The trace id of a request (W3C Trace Context §3.2). Nothing else of the header is used. */

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** undefined if the header is missing or invalid, which is not an error. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  const [, version, id, more] = TRACEPARENT.exec(header) ?? [];
  // Later versions may append parts; version 00 may not.
  return version === "00" && more !== undefined ? undefined : id;
}
