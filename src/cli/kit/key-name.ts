/** The display name of an API key: its label, with the id that `key list` shows. */
import type { ApiKey, KeyId } from "../../domain/access/key.ts";

export function keyName(id: KeyId, keys: readonly ApiKey[]): string {
  const key = keys.find((one) => one.id === id);
  if (key === undefined) return `key ${id}`;
  return key.label === "" ? `key ${id} (${key.hint}…)` : `${key.label} (key ${id})`;
}
