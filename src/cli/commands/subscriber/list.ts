/** `mailroll subscriber list`: finds subscribers. */

import { inWords } from "#admin/kit/in-words.ts";
import { MAX_PAGE } from "#admin/kit/paging.ts";
import { type FoundSubscribers, findSubscribers, type SubscriberFilter } from "#admin/subscribers/search.ts";
import type { Cursor } from "#domain/ports/listing.ts";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import { subscriberOrders } from "#domain/subscriber/search.ts";
import { type State, states } from "#domain/subscriber/subscriber.ts";
import type { Command, Context, Option } from "../../kit/command.ts";
import { CONDITIONS, fieldsOf, readConditions } from "../../kit/conditions.ts";
import { choiceOf, parseId } from "../../kit/parse-call.ts";
import { toTable } from "../../kit/terminal/output.ts";
import { formatNumber } from "../../kit/terminal/text.ts";

/** Which subscribers a command means: its argument SEARCH and its options. */
export const filterOptions = {
  name: { value: "TEXT", doc: "Only subscribers whose first, last or full name begins with TEXT." },
  state: { value: states.join("|"), doc: "Only subscribers in this state." },
  list: { value: "ID", doc: "Only members of this list, including pending and suspended ones." },
  where: {
    value: "CONDITION",
    repeated: true,
    doc: "Only subscribers for whom this holds, such as 'country is DE'; repeat the option, then all must hold.",
  },
} satisfies Readonly<Record<string, Option>>;

/** `state`: instead of that in the option. */
export async function readFilter(
  context: Context,
  state: State | null = context.option("state", choiceOf(states)) ?? null,
): Promise<SubscriberFilter> {
  const { args, option, options, account } = context;
  const conditions = options("where");
  return {
    account: (await account()).id,
    search: args[0] ?? null,
    name: option("name") ?? null,
    state,
    list: option("list", parseId) ?? null,
    filter: conditions.length === 0 ? [] : readConditions(conditions, await fieldsOf(context)),
  };
}

export const subscriberRow = ({
  address,
  firstName,
  lastName,
  state,
  knownSince,
  lists,
}: FoundSubscriber) => ({
  ...{ email: address, firstName, lastName, state, createdAt: knownSince, lists },
});

const DEFAULT_LIMIT = 100;

/** A page visits a bounded number of rows, so it may find too few: the search goes on until it has enough. */
async function search(context: Context): Promise<void> {
  const { option, perform, out } = context;
  const limit = parseId(option("limit") ?? String(DEFAULT_LIMIT), "--limit");
  const sort = option("sort", choiceOf(subscriberOrders)) ?? null;
  const asked = { ...(await readFilter(context)), sort };
  const found: FoundSubscriber[] = [];
  let after: Cursor | null = option("after") ?? null;
  let [rest, searched] = [limit, 0];
  do {
    const page: FoundSubscribers = await perform(findSubscribers, { ...asked, limit: rest, after });
    found.push(...page.rows);
    after = page.next;
    rest = limit - found.length;
    searched += page.searched ?? 0;
    if (after !== null && rest > 0)
      out.progress(
        `searching; subscribers searched so far: ${formatNumber(searched)}, found: ${formatNumber(found.length)}`,
      );
  } while (after !== null && rest > 0);
  out.progress(null);
  const items = found.map((one) =>
    inWords(one, { address: "email", knownSince: "createdAt", lists: "listCount" }),
  );
  out.result({ items, next: after }, () =>
    [
      found.length === 0 ? "No subscriber was found." : toTable(found.map(subscriberRow)),
      ...(after === null
        ? []
        : ["", `There may be more. To continue, repeat the command with --after ${after}`]),
    ].join("\n"),
  );
}
export const subscriberList: Command = {
  name: "subscriber list",
  args: ["[SEARCH]"],
  options: {
    ...filterOptions,
    sort: {
      value: subscriberOrders.join("|"),
      doc: "The order: by address, or by when subscribers were added to the account.",
    },
    limit: {
      value: "N",
      doc: `Maximum number of subscribers to show, up to ${MAX_PAGE} (default: ${DEFAULT_LIMIT}).`,
    },
    after: {
      value: "CURSOR",
      doc: "Continue a search from the cursor in its last line of output, with the same SEARCH and options.",
    },
  },
  doc: "Finds subscribers by address, name, state, list or their data.",
  details: `SEARCH is an address (ada@example.org), a domain (@example.org), or the beginning of addresses (ada). Without it, all
addresses are searched. Letter case is ignored. Text in the middle of an address or of a name is not found.

Without --sort, subscribers are listed by address. With --list they are in the order in which they became subscribers, unless SEARCH
is an address or the beginning of addresses. A search for the beginning of addresses is instant, however many
subscribers there are. A search for a domain, a name or a state, or with --where, can take some seconds per million; without
--list, it is in the order that is quickest for the database.

--sort address and address-desc are not possible with --list, --where, a domain, a name or a state other than active;
oldest and newest are not possible with an address or the beginning of addresses.

${CONDITIONS}`,
  example: "subscriber list @example.org --state bounced",
  run: search,
};
