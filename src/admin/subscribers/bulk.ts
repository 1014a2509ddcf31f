/** One change to all subscribers that a search finds: a preview, a dry run, and the change as a job. */
import { randomBytes } from "node:crypto";
import { changeSubscribersJob } from "#domain/job/kinds.ts";
import type { ListId } from "#domain/list.ts";
import type { Store } from "#domain/ports/store.ts";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import type { BulkChange } from "#domain/subscriber/bulk-change.ts";
import type { SubscriberSearch } from "#domain/subscriber/search.ts";
import { audited, type InAccount, type Performing, query } from "../kit/action.ts";
import { InvalidInput } from "../kit/errors.ts";
import { type CountedRows, countRows, SAMPLE } from "../kit/paging.ts";
import { startJob } from "../kit/start-job.ts";
import { requireList } from "../lists.ts";
import { findsEverybody, requireFilter, type SubscriberFilter } from "./search.ts";

/** The most pages that a preview reads; each visits many more rows than it finds. */
const MAX_PAGES = 30;

/**
 * Counts as far as that is cheap: subscribers in a state, or all, however many; others among the first ones.
 */
export async function countFound(
  store: Store,
  search: InAccount & SubscriberSearch,
): Promise<CountedRows<FoundSubscriber>> {
  const { account, address, name, state, list, filter } = search;
  const isOfState = (address ?? name ?? list) === null && filter.length === 0;
  const counts = isOfState ? await store.subscribers.countStates({ account }) : null;
  if (counts !== null) {
    const { rows } = await store.subscribers.search.page(search, { after: null, limit: SAMPLE });
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { count: state === null ? all : counts[state], isMore: false, sample: rows };
  }
  return await countRows(store.subscribers.search, search, MAX_PAGES);
}

/** Whom a change with this filter would concern. */
export const previewBulk = query(
  "subscriber.bulkPreview",
  "viewer",
  async (admin, filter: SubscriberFilter): Promise<CountedRows<FoundSubscriber>> =>
    countFound(admin.store, { account: filter.account, ...(await requireFilter(admin, filter)) }),
);

interface ChangeSubscribers extends SubscriberFilter {
  /** `list`: of an addition or a removal. */
  readonly change: { readonly kind: BulkChange["kind"]; readonly list?: ListId | undefined };
}

/**
 * Adds the subscribers to a list, removes them from one, or unsubscribes them from all. Each change follows
 * the rules of a call: an opt-out is never undone. Later subscribers are not changed. `isAll` says that a
 * filter without any condition is meant: it finds all subscribers.
 */
export const changeSubscribers = audited(
  "subscriber.bulk",
  "editor",
  async (admin, { isAll, ...given }: ChangeSubscribers & { readonly isAll: boolean }) => {
    if (!isAll && findsEverybody(given))
      throw new InvalidInput(
        "search",
        "has no condition, so all subscribers would be changed; give a condition, or set all to true",
      );
    return startChange(admin, "change-subscribers", given);
  },
);

/** Counts what the change would do to everybody it concerns, and changes nothing: `job.result` says it. */
export const dryRunChange = audited("subscriber.bulkDryRun", "editor", (admin, given: ChangeSubscribers) =>
  startChange(admin, "dry-run-change", given),
);

async function startChange(
  admin: Performing,
  kind: "change-subscribers" | "dry-run-change",
  { change: asked, ...filter }: ChangeSubscribers,
) {
  const { account } = filter;
  const change = requireChange(asked);
  const search = await requireFilter(admin, filter);
  if (change.kind !== "unsubscribe") await requireList(admin, { account, id: change.list }, "changeList");
  const job = await startJob(admin, {
    account,
    kind,
    name: changeSubscribersJob(account, change.kind, randomBytes(4).toString("hex"), kind),
    args: { search, change, at: admin.clock(), origin: admin.actor.origin },
    total: null,
    // Not the address, the name or the values that were searched for: they are about a person.
    audited: {
      change: change.kind,
      list: change.kind === "unsubscribe" ? null : change.list,
      ofState: search.state,
      ofList: search.list,
    },
  });
  return { job };
}

function requireChange({ kind, list }: ChangeSubscribers["change"]): BulkChange {
  if (kind !== "unsubscribe") {
    if (list === undefined) throw new InvalidInput("changeList", "is missing");
    return { kind, list };
  }
  if (list !== undefined)
    throw new InvalidInput("changeList", "is not allowed here: an unsubscribe is from all lists");
  return { kind };
}
