/**
 * The row of a campaign event, encoded as text. Both databases store the names, the address and both times as
 * text in `campaign_event`, so a page needs no join.
 */
import type { EventSubscriber } from "../../domain/campaign.ts";
import type { RowForm } from "../../domain/paging/encoded-rows.ts";
import { type Concatenate, rowText } from "./row-text.ts";

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
