/** Shows how far the sending of a campaign got. */
import { action } from "../../kit/action.ts";
import type { OfCampaign } from "../campaigns.ts";
import { findComposed } from "./find.ts";
import { type Sending, withProgress } from "./with-progress.ts";

export type { Sending };

/** Cheap enough to be repeated every second. */
export const showSending = action(
  "campaign.sending",
  "viewer",
  "nothing",
  async (admin, one: OfCampaign): Promise<Sending> => {
    const { mailing } = await findComposed(admin, one);
    return await withProgress(admin.store, mailing, admin.clock());
  },
);
