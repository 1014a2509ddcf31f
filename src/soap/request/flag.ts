/** Boolean attributes: mustUnderstand, nil. */
import type { StartTag } from "#xml/start-tag.ts";
import { trimSpace } from "#xml/white-space.ts";

export function hasFlag(tag: StartTag, uri: string, local: string): boolean {
  const value = trimSpace(tag.attribute(uri, local) ?? "");
  return value === "1" || value === "true";
}
