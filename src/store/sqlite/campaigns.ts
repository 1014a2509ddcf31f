/** Campaign events of one subscriber. */
import { campaignEvents } from "../../domain/campaign.ts";

/**
 * Constrains every column of the index before the subscriber, so that no other subscriber's rows are read.
 */
export const LOSSES_OF_PERSON = `campaign_id IN (SELECT id FROM campaign WHERE account_id = ?) AND event IN (${campaignEvents.map((event) => `'${event}'`).join(", ")}) AND subscriber_id = ?`;
