/** Where a change came from. */
import type { KeyId } from "./key.ts";

export type Origin =
  | { readonly kind: "key"; readonly key: KeyId }
  | { readonly kind: "link" | "bounce" | "import" | "operator" };

export const keyOf = (origin: Origin): KeyId | null => (origin.kind === "key" ? origin.key : null);
