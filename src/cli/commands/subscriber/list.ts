/** `mailroll subscriber list`: finds subscribers. */
import { findSubscribers, MAX_PAGE } from "../../../admin/subscribers/search.ts";
import type { Cursor, Page } from "../../../domain/ports/listing.ts";
import type { FoundSubscriber } from "../../../domain/ports/subscribers.ts";
import { states } from "../../../domain/subscriber.ts";
import { parseChoice, parseId } from "../../kit/arguments/arguments.ts";
import type { Command, Context } from "../../kit/command.ts";
import { formatNumber } from "../../kit/terminal/numbers.ts";
import { toTable } from "../../kit/terminal/output.ts";

const DEFAULT_LIMIT = 100;

/** A page visits a bounded number of rows, so it may find too few: the search goes on until it has enough. */
async function search({ args, option, account, perform, out }: Context): Promise<void> {
  const [state, list] = [option("state"), option("list")];
  const limit = parseId(option("limit") ?? String(DEFAULT_LIMIT), "--limit");
  const asked = {
    account: (await account()).id,
    search: args[0] ?? null,
    name: option("name") ?? null,
    state: state === undefined ? null : parseChoice(state, "--state", states),
    list: list === undefined ? null : parseId(list, "--list"),
  };
  const found: FoundSubscriber[] = [];
  let after: Cursor | null = option("after") ?? null;
  let rest = limit;
  do {
    const page: Page<FoundSubscriber> = await perform(findSubscribers, { ...asked, limit: rest, after });
    found.push(...page.rows);
    after = page.next;
    rest = limit - found.length;
    if (after !== null && rest > 0) out.progress(`searching; found so far: ${formatNumber(found.length)}`);
  } while (after !== null && rest > 0);
  out.progress(null);
  out.result({ subscribers: found, next: after }, () =>
    [
      found.length === 0 ? "No subscriber was found." : toTable(found.map(tableRow)),
      ...(after === null
        ? []
        : ["", `There may be more. To continue, repeat the command with --after ${after}`]),
    ].join("\n"),
  );
}
const tableRow = ({ address, firstName, lastName, state, knownSince, lists }: FoundSubscriber) => ({
  address,
  firstName,
  lastName,
  state,
  knownSince,
  lists,
});

export const subscriberList: Command = {
  name: "subscriber list",
  args: ["[SEARCH]"],
  options: {
    name: { value: "TEXT", doc: "Only those whose first, last or full name begins with it." },
    state: { value: states.join("|"), doc: "Only those in this state." },
    list: { value: "ID", doc: "Only those on this list, also if pending or suspended." },
    limit: {
      value: "N",
      doc: `Maximum number of subscribers to show, up to ${MAX_PAGE} (default: ${DEFAULT_LIMIT}).`,
    },
    after: { value: "CURSOR", doc: "Continue a search; the cursor is at the end of its last page." },
  },
  doc: "Finds subscribers by address, name, state or list.",
  details: `SEARCH is an address (ada@example.org), a domain (@example.org), or the beginning of addresses (ada). Without it, all
addresses are searched. Letter case is ignored. What a text contains further on is not searched.

Subscribers are listed by address. With --list they are in the order in which they became subscribers, unless SEARCH
is an address or the beginning of addresses. The beginning of an address is found at once in any number of
subscribers. A domain, a name or a state can take some seconds per million.`,
  example: "subscriber list @example.org --state bounced",
  inAccount: true,
  run: search,
};
