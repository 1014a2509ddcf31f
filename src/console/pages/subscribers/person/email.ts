/** The address of a subscriber, for the way back from a page about one. */
import { showSubscriber } from "#admin/subscribers/record.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { Account } from "#domain/account.ts";

/** Throws NotFound. */
export async function emailOf(
  { perform, account }: Pick<Visit, "perform"> & { readonly account: Account },
  id: number,
): Promise<string> {
  return (await perform(showSubscriber, { account: account.id, id })).record.address;
}
