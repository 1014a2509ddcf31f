/** Attributes that say yes: mustUnderstand, nil. */
import type { StartTag } from "../xml/start-tag.ts";

export function hasFlag(tag: StartTag, uri: string, local: string): boolean {
  const value = tag.attribute(uri, local)?.trim();
  return value === "1" || value === "true";
}
