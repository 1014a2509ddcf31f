/** A subscriber with everything that happened, from all pages of it. */
import { mergeNames, type Names } from "#admin/subscribers/names.ts";
import { listCampaignResults, listHistory, showSubscriber } from "#admin/subscribers/record.ts";
import type { AccountId } from "#domain/account.ts";
import type { SubscriberRecord } from "#domain/ports/subscribers.ts";
import type { Context } from "../../kit/command.ts";
import { everyPage } from "../../kit/every-page.ts";

interface Whole {
  readonly record: SubscriberRecord;
  readonly names: Names;
}

export async function wholeRecord(
  { perform }: Pick<Context, "perform">,
  account: AccountId,
  email: string,
): Promise<Whole> {
  const shown = await perform(showSubscriber, { account, email });
  const { record } = shown;
  const one = { account, id: record.id };
  let { names } = shown;
  const history = shown.hasMoreHistory
    ? await everyPage(async (range) => {
        const { names: further, ...page } = await perform(listHistory, { ...one, ...range });
        names = mergeNames(names, further);
        return page;
      })
    : record.history;
  const losses = shown.hasMoreCampaignResults
    ? await everyPage((range) => perform(listCampaignResults, { ...one, ...range }))
    : record.losses;
  return {
    record: { ...record, history: oldestFirst(history), losses: oldestFirst(losses) },
    names,
  };
}

/** Pages are in the order of recording, the newest first. Entries of one time stay in that order. */
const oldestFirst = <Row extends { readonly at: number }>(rows: readonly Row[]): readonly Row[] =>
  rows.toReversed().sort((one, other) => one.at - other.at);
