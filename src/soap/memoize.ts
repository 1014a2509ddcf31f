/**
 * Callers send the same few headers and namespaces again and again: what follows from them is computed once. A stranger
 * may send any number of others, so few are kept, and only short ones; when it is full, it starts from nothing, and those
 * that are in use are back with their next call.
 */
import { detached } from "./detached.ts";

export const MAX_ENTRIES = 64;
export const MAX_LENGTH = 300;

export function memoize<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    if (text.length > MAX_LENGTH) return compute(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const key = detached(text);
    const value = compute(key);
    if (known.size === MAX_ENTRIES) known.clear();
    known.set(key, value);
    return value;
  };
}
