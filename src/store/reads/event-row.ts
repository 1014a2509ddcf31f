/**
 * The row of a campaign event: the words of its kinds, and the row encoded as text. Both databases store the
 * names, the address and both times as text in `campaign_event`, so a page needs no join.
 */
import { type CampaignEvent, campaignEvents, type EventSubscriber } from "#domain/campaign.ts";
import type { RowForm } from "#domain/paging/encoded-rows.ts";
import { oneOf } from "../cold/kit/statement.ts";
import { type Concatenate, rowText } from "./row-text.ts";

/** Databases have other words for events than for the suppressions that follow from them. */
export const storedEvent: Readonly<Record<CampaignEvent, string>> = {
  bounced: "hard-bounce",
  unsubscribed: "unsubscribe",
  complained: "complaint",
};
export const eventColumn = oneOf(campaignEvents, (event) => storedEvent[event]);

/** The SQL expression of an encoded row of `campaign_event AS e`. */
export const eventRow = (form: RowForm<EventSubscriber>, concatenate: Concatenate): string =>
  rowText(
    form,
    {
      firstName: { text: "e.first_name" },
      lastName: { text: "e.last_name" },
      address: { text: "e.address" },
      joinedAt: { moment: "e.joined_text" },
      at: { moment: "e.at_text" },
    },
    "e.needs_escape",
    concatenate,
  );
