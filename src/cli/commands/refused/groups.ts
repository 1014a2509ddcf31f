/** `mailroll refused groups`, `replay-all` and `dismiss-all`: refused calls that have the same cause. */

import { listKeys } from "#admin/keys/keys.ts";
import { inWords } from "#admin/kit/in-words.ts";
import {
  dismissRefusalGroup,
  listRefusalGroups,
  type OneGroup,
  previewRefusalGroup,
  replayRefusalGroup,
} from "#admin/refused-calls.ts";
import type { Job } from "#domain/job/job.ts";
import type { Refusal } from "#domain/refused-call.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, Failure } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { jobDocument, keyName, requireFinished } from "../../kit/documents.ts";
import { everyPage } from "../../kit/every-page.ts";
import { byteOf } from "../../kit/outcome.ts";
import { parseId, parsePair } from "../../kit/parse-call.ts";
import { noteLines, toTable } from "../../kit/terminal/output.ts";
import { counted, formatNumber, shorten } from "../../kit/terminal/text.ts";

/** How many lists or fields that do not exist are shown. */
const MAX_NAMED = 20;
/** The arguments of a refused call, as text. */
const ARGUMENTS_WIDTH = 60;

type Arguments = Readonly<Record<string, unknown>>;
export const argumentsOf = ({ args }: Refusal): Arguments => JSON.parse(args) as Arguments;

export const shortArguments = (refusal: Refusal): string =>
  shorten(
    Object.entries(argumentsOf(refusal))
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" "),
    ARGUMENTS_WIDTH,
  );

const groupOptions = {
  key: { value: "ID", doc: "Only calls with this key." },
  ...yesOption,
};

interface Verbs {
  readonly verb: string;
  readonly done: string;
  readonly consequence: string;
}

/** Shows what is meant, asks, and performs the action. */
async function withGroup(
  context: Context,
  act: (group: OneGroup) => Promise<{ readonly job: Job | null }>,
  verbs: Verbs,
): Promise<Job | null> {
  const { args, option, account, perform, out } = context;
  const group = {
    account: (await account()).id,
    operation: args[0] ?? "",
    outcome: args[1] ?? "",
    key: option("key", parseId) ?? null,
  };
  const { count, isMore, sample, unknown } = await perform(previewRefusalGroup, group);
  if (count === 0)
    throw new Failure(
      `there are no refused calls ${group.operation} with the outcome ${group.outcome}; see '${PROGRAM} refused groups'`,
      "NotFound",
    );
  const number = `${isMore ? "more than " : ""}${counted(count, "refused call")}`;
  const rows = sample.map((one) => ({ id: one.id, lastAt: one.lastAt, arguments: shortArguments(one) }));
  if (!context.has("yes")) {
    noteLines(out, "the newest:", toTable(rows));
    const named = [...unknown.lists, ...unknown.fields].slice(0, MAX_NAMED);
    const what = unknown.lists.length > 0 ? "lists" : "fields";
    if (named.length > 0)
      noteLines(out, `${what} that do not exist, as the calls name them:`, toTable(named));
  }
  const what = `${number} of ${group.operation} with the outcome ${group.outcome}`;
  await requireConfirmation(context, { ...verbs, what });
  return (await act(group)).job;
}

const wereCounted = (count: number, what: string): string =>
  `${counted(count, what)} ${count === 1 ? "was" : "were"}`;
const refusedText = (refused: unknown): string =>
  Object.entries((refused ?? {}) as Readonly<Record<string, number>>)
    .map(([outcome, count]) => `${outcome} (${byteOf(outcome) ?? "-"}): ${formatNumber(count)}`)
    .join(", ");

export const refusalGroupCommands: readonly Command[] = [
  {
    name: "refused groups",
    doc: "Counts the refused calls by operation, outcome and key, the largest groups first.",
    details: `The column 'different' counts calls with different arguments, as 'mailroll refused list' shows them. The column 'calls' also
counts repeats of the same call.`,
    example: "refused groups",
    run: async ({ performInAccount, out }) => {
      const keys = await everyPage((page) => performInAccount(listKeys, page));
      out.table(
        await performInAccount(listRefusalGroups, {}),
        "There are no refused calls.",
        (group) => ({
          operation: group.operation,
          outcome: group.outcome,
          byte: byteOf(group.outcome),
          key: group.key === null ? null : keyName(group.key, keys),
          different: group.rows,
          calls: group.calls,
          firstAt: group.firstAt,
          lastAt: group.lastAt,
        }),
        (group) => inWords(group, { key: "keyId", rows: "rowCount", calls: "callCount" }),
      );
    },
  },
  {
    name: "refused replay-all",
    args: ["OPERATION", "OUTCOME"],
    options: {
      list: {
        value: "ID=LIST",
        repeated: true,
        doc: "Where the calls name a list that does not exist: the one that is meant; repeat the option for each.",
      },
      field: {
        value: "ID=FIELD",
        repeated: true,
        doc: "Where the calls name a field that does not exist: the one that is meant; 'ID=' leaves the value out.",
      },
      ...groupOptions,
    },
    doc: "Executes all refused calls of an operation and outcome again, after confirmation.",
    details: `First remove the cause: create the missing list, raise the limit, remove a block; or say which list or field is meant. The calls
are executed in the order in which they were first refused, each once. Calls that succeed are removed from the list; one that is
refused for another reason is kept with that reason and the corrections. Calls that integrations make while the command runs, and
that are refused, are not replayed. If the command is interrupted, a server continues.`,
    example: "refused replay-all Subscriber.Add UnknownList --list 99=1 --yes",
    inputs: { lists: "list", fields: "field" },
    run: async (context) => {
      const { options, perform } = context;
      const lists = Object.fromEntries(
        options("list").map((text) => {
          const [id, list] = parsePair(text, "--list");
          return [id, parseId(list, "--list")];
        }),
      );
      const fields = Object.fromEntries(
        options("field").map((text) => {
          const [id, field] = parsePair(text, "--field");
          return [id, field.trim() === "" ? null : BigInt(parseId(field, "--field"))];
        }),
      );
      const act = (group: OneGroup) => perform(replayRefusalGroup, { ...group, lists, fields });
      const job = await withGroup(context, act, {
        verb: "Replay",
        done: "replayed",
        consequence: "They are executed as if they were made now.",
      });
      const { succeeded = 0, notReplayable = 0, refused = {} } = job?.result ?? {};
      context.out.result({ job: job && jobDocument(job, context.now) }, () => {
        const again = refusedText(refused);
        return [
          `${wereCounted(Number(succeeded), "call")} successful and removed from the list.`,
          ...(again === "" ? [] : [`Refused again: ${again}.`]),
          ...(notReplayable === 0
            ? []
            : [
                `Not replayable, because their arguments were not stored in full: ${formatNumber(Number(notReplayable))}.`,
              ]),
        ].join("\n");
      });
      requireFinished(job);
    },
  },
  {
    name: "refused dismiss-all",
    args: ["OPERATION", "OUTCOME"],
    options: groupOptions,
    doc: "Removes all refused calls of an operation and outcome from the list, after confirmation.",
    example: "refused dismiss-all Subscriber.Add InvalidEmail --yes",
    run: async (context) => {
      const act = (group: OneGroup) => context.perform(dismissRefusalGroup, group);
      const job = await withGroup(context, act, {
        verb: "Remove",
        done: "removed",
        consequence: "They cannot be replayed afterwards.",
      });
      context.out.result(
        { job: job && jobDocument(job, context.now) },
        () => `${wereCounted(job?.done ?? 0, "refused call")} removed from the list.`,
      );
      requireFinished(job);
    },
  },
];
