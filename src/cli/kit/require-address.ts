/** Parses an e-mail address given as an argument, also one copied with a display name. */
import type { Address } from "#domain/address/address.ts";
import { readMailbox } from "#transfer/values/mailbox.ts";
import { UsageError } from "./command.ts";

export function requireAddress(given: string | undefined): Address {
  const found = readMailbox(given ?? "");
  if (typeof found === "string") throw new UsageError(`'${given ?? ""}' is not an e-mail address: ${found}`);
  return found;
}
