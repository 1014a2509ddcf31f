/** `mailroll subscriber bulk`: one change to all subscribers that a search finds. */
import { changeSubscribers, dryRunChange, previewBulk } from "#admin/subscribers/bulk.ts";
import { findsEverybody } from "#admin/subscribers/search.ts";
import type { BulkChange, BulkResult } from "#domain/subscriber/bulk-change.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { jobDocument, requireFinished } from "../../kit/documents.ts";
import { byteOf } from "../../kit/outcome.ts";
import { parseId } from "../../kit/parse-call.ts";
import { noteLines, toTable } from "../../kit/terminal/output.ts";
import { counted, formatNumber } from "../../kit/terminal/text.ts";
import { filterOptions, readFilter, subscriberRow } from "./list.ts";

function readChange({ option, has }: Context): BulkChange {
  const [add, remove] = [option("add", parseId), option("remove", parseId)];
  const given: readonly BulkChange[] = [
    ...(add === undefined ? [] : [{ kind: "add", list: add } as const]),
    ...(remove === undefined ? [] : [{ kind: "remove", list: remove } as const]),
    ...(has("unsubscribe") ? [{ kind: "unsubscribe" } as const] : []),
  ];
  const [change, another] = given;
  if (change === undefined || another !== undefined)
    throw new UsageError("give one change: --add ID, --remove ID or --unsubscribe");
  return change;
}

/** `who` is how many subscribers. */
function question(change: BulkChange, who: string) {
  const done = "changed";
  if (change.kind === "unsubscribe")
    return {
      ...{ verb: "Unsubscribe", done, what: who },
      consequence: "They get no more mail from any list, and calls cannot add them again.",
    };
  if (change.kind === "add")
    return {
      ...{ verb: "Add", done, what: `${who} to list ${change.list}` },
      consequence: "Those who are unsubscribed, bounced, blocked or have complained are not added.",
    };
  return {
    ...{ verb: "Remove", done, what: `${who} from list ${change.list}` },
    consequence: "They stay subscribers of the account.",
  };
}

async function bulk(context: Context): Promise<void> {
  const { perform, out, has, now } = context;
  const change = readChange(context);
  const filter = await readFilter(context);
  const isAll = has("all");
  if (!isAll && findsEverybody(filter))
    throw new UsageError(
      "give a condition (SEARCH, --name, --state, --list or --where), or --all for all subscribers",
    );
  const { count, isMore, sample } = await perform(previewBulk, filter);
  if (count === 0 && !isMore) throw new Failure("no subscriber was found; nothing was changed", "NotFound");
  const isDryRun = has("dry-run");
  if (!isDryRun) {
    if (!has("yes")) noteLines(out, "the first of them:", toTable(sample.map(subscriberRow)));
    const who = `${isMore ? "at least " : ""}${counted(count, "subscriber")}`;
    if (isMore && !has("yes")) out.note("they are not all counted here; --dry-run gives the exact numbers");
    await requireConfirmation(context, question(change, who));
  }
  const { job } = isDryRun
    ? await perform(dryRunChange, { ...filter, change })
    : await perform(changeSubscribers, { ...filter, change, isAll });
  const { changed = 0, unchanged = 0, refused = {} } = (job?.result ?? {}) as Partial<BulkResult>;
  out.result({ job: job && jobDocument(job, now) }, () =>
    [
      isDryRun
        ? `${counted(changed, "subscriber")} would be changed, ${formatNumber(unchanged)} need no change. Nothing was changed.`
        : `${counted(changed, "subscriber")} changed, ${formatNumber(unchanged)} needed no change.`,
      ...Object.entries(refused).map(
        ([outcome, number]) => `Refused, ${outcome} (${byteOf(outcome) ?? "-"}): ${formatNumber(number)}`,
      ),
    ].join("\n"),
  );
  requireFinished(job);
}

export const subscriberBulk: Command = {
  name: "subscriber bulk",
  args: ["[SEARCH]"],
  options: {
    ...filterOptions,
    add: { value: "ID", doc: "Add them to this list." },
    remove: { value: "ID", doc: "Remove them from this list." },
    unsubscribe: { doc: "Unsubscribe them from all lists." },
    all: { doc: "Change all subscribers of the account; required if no condition is given." },
    "dry-run": { doc: "Count what would be changed, and change nothing." },
    ...yesOption,
  },
  doc: "Makes one change to all subscribers that a search finds, after confirmation.",
  details: `SEARCH, --name, --state, --list and --where find subscribers as 'mailroll subscriber list' does; try the search there first, and count with --dry-run what the change would do. Each change follows the rules of a call. In particular, nobody who has unsubscribed is added again.
Those who become subscribers while the command runs are not changed.

If the command is interrupted, a server continues the change. To end it, use 'mailroll job cancel'.`,
  example: "subscriber bulk @example.org --state active --add 3 --yes",
  inputs: { search: "search" },
  run: bulk,
};
