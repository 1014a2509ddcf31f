/** `mailroll job …`: long work, such as the deletion of a list, and what became of it. */
import { cancelJob, listJobs, showJob } from "#admin/jobs.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { type Command, type Context, UsageError } from "../kit/command.ts";
import { jobDocument } from "../kit/documents.ts";
import { parseId } from "../kit/parse-call.ts";
import { moment, toJson } from "../kit/terminal/output.ts";
import { formatNumber, oneLine } from "../kit/terminal/text.ts";

const DEFAULT_LIMIT = "50";

const allAccounts = {
  "all-accounts": { doc: "Include the jobs of all accounts, and those of the installation as a whole." },
};

/** null: of all accounts. */
async function scope({ has, option, account }: Context): Promise<number | null> {
  if (!has("all-accounts")) return (await account()).id;
  if (option("account") !== undefined)
    throw new UsageError("--account and --all-accounts contradict each other; give only one of them");
  return null;
}

const progressText = ({ done, total }: Job): string =>
  total === null ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`;
const beginnerOf = ({ by }: Job): string =>
  by === null ? "-" : oneLine([by.kind, by.name ?? by.id ?? ""].join(" ").trim());

function describe(job: Job, now: number): string {
  const state = stateOfJob(job, now);
  const isAsked = job.cancelledAt !== null && job.ending === null;
  return [
    `Job ${job.id}: ${oneLine(job.name)}`,
    "",
    `State      ${state}${isAsked ? "; it will be cancelled" : ""}`,
    `Begun      ${moment(job.createdAt)}, by ${beginnerOf(job)}`,
    ...(job.endedAt === null ? [] : [`Ended      ${moment(job.endedAt)}`]),
    `Done       ${progressText(job)}`,
    ...(job.result === null
      ? []
      : [`Result     ${toJson(job.result).replaceAll("\n", `\n${" ".repeat(11)}`)}`]),
    ...(job.lastError === null ? [] : [`Error      ${oneLine(job.lastError)}`]),
    ...(state === "waiting" && job.dueAt > now ? [`Due        ${moment(job.dueAt)}`] : []),
    ...(state === "retrying" ? [`Next try   ${moment(job.dueAt)}`] : []),
  ].join("\n");
}

const one = async (context: Context) => ({
  id: parseId(context.args[0], "ID"),
  account: await scope(context),
});

export const jobCommands: readonly Command[] = [
  {
    name: "job list",
    options: {
      limit: { value: "N", doc: `Maximum number of jobs to show, up to 500 (default: ${DEFAULT_LIMIT}).` },
      ...allAccounts,
    },
    doc: "Lists jobs that have not ended, and those that ended in the last 30 days, newest first.",
    details: `Work that does not fit into one transaction is a job: the deletion of a large list, a block of a large domain, a
change of many subscribers, the import of an upload. The command that began a job does it. If the command is interrupted, or
the job was begun over HTTP, a server does it.`,
    example: "job list --limit 10",
    run: async (context) => {
      const { option, perform, out, now } = context;
      const limit = parseId(option("limit") ?? DEFAULT_LIMIT, "--limit");
      const account = await scope(context);
      const { rows, next } = await perform(listJobs, { account, limit });
      if (next !== null) out.note(`these are the newest ${formatNumber(limit)}; for more, give --limit N`);
      out.table(
        rows,
        "There are no jobs.",
        (job) => ({
          id: job.id,
          name: job.name,
          state: stateOfJob(job, now),
          done: progressText(job),
          begun: moment(job.createdAt),
          by: beginnerOf(job),
          ended: job.endedAt === null ? null : moment(job.endedAt),
        }),
        (job) => jobDocument(job, now),
      );
    },
  },
  {
    name: "job show",
    args: ["ID"],
    options: allAccounts,
    doc: "Shows a job: its state, who began it, its progress and its result.",
    example: "job show 7",
    run: async (context) => {
      const job = await context.perform(showJob, await one(context));
      context.out.result(jobDocument(job, context.now), () => describe(job, context.now));
    },
  },
  {
    name: "job cancel",
    args: ["ID"],
    options: allAccounts,
    doc: "Ends a job before all of it is done.",
    details: `What the job has done is not undone; 'mailroll job show ID' shows it. A deletion that has begun, and a block, cannot be
cancelled.`,
    example: "job cancel 7",
    run: async (context) => {
      const job = await context.perform(cancelJob, await one(context));
      context.out.result(jobDocument(job, context.now), () =>
        job.ending === null
          ? `Job ${job.id} will end after its current step. Done so far: ${progressText(job)}.`
          : `Job ${job.id} was cancelled. Done: ${progressText(job)}.`,
      );
    },
  },
];
