/** Looking at a tag: attributes by their expanded names, and names cut for people to read. */
import type { SaxesAttributeNS } from "saxes";

type Attributes = Readonly<Record<string, SaxesAttributeNS>>;
export function attribute(attributes: Attributes, uri: string, local: string): string | null {
  for (const name in attributes) {
    const found = attributes[name];
    if (found !== undefined && found.local === local && found.uri === uri) return found.value.trim();
  }
  return null;
}
export const isTrue = (value: string | null): boolean => value === "1" || value === "true";

export const cut = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}…` : name);
