/** What the arguments of the ports have in common. */
import type { Origin } from "../access/origin.ts";
import type { AccountId } from "../account.ts";
import type { Address } from "../address.ts";
import type { RecordedCall } from "../refused-call.ts";

export interface OfAccount {
  readonly account: AccountId;
}
/**
 * Every command of a caller has an account, a time and an origin. `recordedCall` is stored if the command is
 * refused.
 */
export interface Command extends OfAccount {
  readonly at: number;
  readonly origin: Origin;
  readonly recordedCall: RecordedCall | null;
}
export interface AddressCommand extends Command {
  readonly address: Address | null;
}

/** The beginning of a name; the text is not empty. */
export interface Beginning extends OfAccount {
  readonly text: string;
  readonly limit: number;
}
