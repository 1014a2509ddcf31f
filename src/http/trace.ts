/** Which trace a request belongs to, by W3C Trace Context §3.2. Nothing else of the header is looked at, or kept. */

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace's id; undefined where the header is missing or not one, which is no error. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  const [, version, id, more] = TRACEPARENT.exec(header) ?? [];
  // A later version may say more after what this one knows; the first may not.
  return version === "00" && more !== undefined ? undefined : id;
}
