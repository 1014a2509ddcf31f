/**
 * A bounded cache for values computed from headers and namespaces, which clients send again and again. A
 * client may send any number of different texts, so few are kept, and only short ones. A full cache is
 * cleared; texts in use return with the next call.
 */
import { detached } from "./request/detached.ts";

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
