/** An API key as commands show it, in texts and in JSON. */
import type { ApiKey, KeyId } from "#domain/access/key.ts";

/** Its name, with the id that `key list` shows. */
export function keyName(id: KeyId, keys: readonly ApiKey[]): string {
  const key = keys.find((one) => one.id === id);
  if (key === undefined) return `key ${id}`;
  return key.label === "" ? `key ${id} (${key.hint}…)` : `${key.label} (key ${id})`;
}
