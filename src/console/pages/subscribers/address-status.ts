/** An address that is no subscriber: whether it could be added, and if not, why. */
import { type AddressStatus, showAddress } from "#admin/subscribers/address-status.ts";
import { parseAddressSearch } from "#domain/subscriber/search.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { notice } from "#html/components/feedback.ts";
import { type Html, html } from "#html/html.ts";
import { byActor, linkTo, objectLinks } from "../../kit/addresses/object-links.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./subscribers.texts.ts";

/** null: the search is not for one address, or the address is a subscriber. */
export async function addressNotice(
  visit: Visit<"/{account}/subscribers">,
  search: string | null,
): Promise<Html | null> {
  const parsed = search === null ? null : parseAddressSearch(search);
  if (search === null || parsed === null || !("is" in parsed)) return null;
  const status = await visit.perform(showAddress, { account: visit.account.id, email: search });
  if (status.subscriber !== null) return null;
  const reasons = reasonsOf(visit, status);
  const title = texts.notSubscriber(status.address);
  return reasons.length === 0
    ? notice("info", title, texts.canBeAdded)
    : notice(
        "warning",
        title,
        html`<p>${texts.cannotBeAdded}</p><ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`,
      );
}

function reasonsOf(visit: Visit, { blocks, kept }: AddressStatus): readonly Html[] {
  const { formats } = visit;
  const links = objectLinks(visit);
  const blocked = blocks.map(
    ({ pattern, createdAt, by }) =>
      html`${texts.blockedBy} <code>${linkTo(links.blocks, pattern)}</code> ${texts.blockedSince} ${formats.time(createdAt)}${
        by === null ? null : html`, ${byActor(by, links)}`
      }.`,
  );
  const held = suppressionKinds.flatMap((kind) => {
    const since = kept?.[kind] ?? null;
    return since === null ? [] : [html`${texts.stillHolds[kind]} ${formats.time(since)}.`];
  });
  return [...blocked, ...held];
}
