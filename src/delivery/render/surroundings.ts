/** What the templates of a campaign see of it, the same for everybody. */
import type { Sender } from "../../domain/sending/sender.ts";

/** What templates may use besides the data of a person. */
export interface MergeSurroundings {
  /** The names of the account's custom fields. */
  readonly fields: readonly string[];
  readonly campaignName: string;
  /** null: not chosen yet. Then nothing checks for its postal address. */
  readonly sender: Pick<Sender, "fromName" | "postalAddress"> | null;
}
