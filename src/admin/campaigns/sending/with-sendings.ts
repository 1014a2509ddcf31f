/** Adds to campaigns how far their sending got. */
import type { AccountId } from "#domain/account.ts";
import type { Campaign } from "#domain/campaign.ts";
import type { Admin } from "../../kit/action.ts";
import { allWithProgress, type Sending } from "./with-progress.ts";

/** `sending` is null if another tool sends it. */
export type WithSending<Row extends Campaign = Campaign> = Row & { readonly sending: Sending | null };

export async function withSendings<Row extends Campaign>(
  { store, clock }: Pick<Admin, "store" | "clock">,
  account: AccountId,
  rows: readonly Row[],
): Promise<readonly WithSending<Row>[]> {
  const campaigns = rows.map(({ id }) => id);
  const mailings = campaigns.length === 0 ? [] : await store.mailings.ofCampaigns({ account, campaigns });
  const sendings = new Map(
    (await allWithProgress(store, account, mailings, clock())).map((one) => [one.campaign, one]),
  );
  return rows.map((row) => ({ ...row, sending: sendings.get(row.id) ?? null }));
}
