/** `mailroll pull …`: takes what another service has, over its API. */
import { type Pulled, type PulledField, pullListmonk } from "#admin/imports/pull-listmonk.ts";
import { type PulledFromSoap, pullSoap } from "#admin/imports/pull-soap.ts";
import type { PulledCounts } from "#admin/imports/pulled-imports.ts";
import { type CountedAs, countsOfRows, type ImportCounts } from "#domain/import/batch.ts";
import { ImportMoved, StoreUnavailable } from "#domain/ports/errors.ts";
import { Listmonk } from "#pull/listmonk.ts";
import { PullFailed, parseAddress, Remote } from "#pull/remote.ts";
import { SoapService } from "#pull/soap.ts";
import { ListGone } from "#transfer/import/batcher.ts";
import { type Command, type Context, Failure, type Option, UsageError } from "../../kit/command.ts";
import { firstLine, openInput } from "../../kit/files.ts";
import { interruptible } from "../../kit/signals.ts";
import { counted, formatNumber, oneLine, progressText } from "../../kit/terminal/text.ts";
import { importRetries } from "./import.ts";
import { firstOf } from "./import-summary.ts";

const pullOptions: Readonly<Record<string, Option>> = {
  "dry-run": { doc: "Read everything and report what the pull would do; change nothing." },
  "insecure-http": {
    doc: "Use an http address of another machine: everybody on the way can read the secret and the addresses.",
  },
};

const MAX_SECRET = 4096;

/** The first line of the file, or of standard input for `-`. */
async function readSecret(file: string, option: string): Promise<string> {
  const secret = (file === "-" ? await firstLine() : await firstLineOf(file)).trim();
  if (secret === "" || secret.length > MAX_SECRET || /\p{Cc}/u.test(secret))
    throw new Failure(
      `${file === "-" ? "standard input" : file} must have the secret of ${option} in its first line, of at most ${MAX_SECRET} characters`,
    );
  return secret;
}

async function firstLineOf(file: string): Promise<string> {
  const { stream } = await openInput(file);
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.includes("\n") || text.length > MAX_SECRET) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? "";
}

/** Calls `work` with what requests are sent by. Saved people stay; the same command continues. */
async function pulling<Result>(
  { out, args, has, account }: Context,
  work: (given: {
    readonly remote: Remote;
    readonly address: URL;
    readonly account: number;
    readonly retries: ReturnType<typeof importRetries>["retries"];
    /** A line that the progress does not overwrite. */
    readonly onNote: (note: string) => void;
  }) => Promise<Result>,
): Promise<Result> {
  const address = parseAddress(args[0] ?? "", has("insecure-http"));
  if (typeof address === "string") throw new UsageError(`URL '${args[0] ?? ""}' ${address}`);
  const { retries, onInterrupt } = importRetries(out);
  const { id } = await retries.run(account);
  const onNote = (note: string): void => {
    out.progress(null);
    out.note(note);
  };
  try {
    return await interruptible(new Failure("interrupted; the same command continues"), (signal) => {
      signal.addEventListener("abort", onInterrupt);
      const onRetry = (problem: string, pauseMs: number): void =>
        onNote(`${problem}; trying again in ${pauseMs / 1000} s`);
      return work({ remote: new Remote({ signal, onRetry }), address, account: id, retries, onNote });
    });
  } catch (error) {
    if (error instanceof PullFailed) throw new Failure(error.message);
    if (error instanceof ImportMoved)
      throw new Failure("another pull from there is running; wait until it has ended");
    if (error instanceof ListGone || error instanceof StoreUnavailable)
      throw new Failure(`${error.message}; the same command continues`);
    throw error;
  } finally {
    out.progress(null);
  }
}

type Line = readonly [number, string];

/** Why rows are rejected is said by reason. */
const rowTexts: Readonly<Record<Exclude<CountedAs, "rejected">, string>> = {
  added: "added to the list",
  alreadyThere: "already on the list",
  pending: "on the list, but not mailed until they confirm",
  unsubscribed: "unsubscribed; they are not mailed",
  bounced: "bounced; they are not mailed",
  complained: "complained; they are not mailed",
  blocked: "blocked; they are not mailed",
  erased: "erased here earlier; not stored",
  leftSince: "left the list",
  duplicates: "there twice; the last one counts",
};

function countLines(counts: ImportCounts): readonly Line[] {
  if ("recorded" in counts) return [[counts.recorded + counts.newBlocks + counts.noOps, "stored"]];
  const { updated, keptNewer } = counts;
  return [
    ...countsOfRows(counts).flatMap(([as, rows]): readonly Line[] =>
      as === "rejected" ? [] : [[rows, rowTexts[as]]],
    ),
    [updated.subscribers, `updated: ${counted(updated.values, "value")} filled or replaced`],
    [keptNewer.subscribers, `with values that were set here: ${counted(keptNewer.values, "value")} kept`],
  ];
}

/** `what`: whose number the rows have. What is zero is not shown. */
function countsText(
  heading: string,
  what: "subscriber" | "campaign",
  { counts, rejections }: PulledCounts,
): string {
  const why = (one: Parameters<typeof rejections.exampleOf>[0]): string =>
    `left out: ${oneLine(one.reason)}${firstOf(rejections.exampleOf(one), `of ${what}`)}`;
  const lines: readonly Line[] = [
    ...countLines(counts),
    ...rejections.reasons.map(([reason, rows]): Line => [rows, why({ reason })]),
    ...rejections.leftOut.map(
      (one): Line => [
        one.values,
        `${one.values === 1 ? "value" : "values"} of '${oneLine(one.heading)}' ${why(one)}`,
      ],
    ),
  ];
  const shown = lines.filter(([n]) => n > 0);
  const width = Math.max(0, ...shown.map(([n]) => formatNumber(n).length));
  return [
    shown.length === 0 ? `${heading} nobody` : heading,
    ...shown.map(([n, text]) => `  ${formatNumber(n).padStart(width)}  ${text}`),
  ].join("\n");
}

const fieldText = ({ name, type, isNew }: PulledField): string =>
  `  ${oneLine(name)} (${type}${isNew ? "" : ", exists"})`;

function pulledText({ people, lists, others, fields, campaigns, notes }: Pulled, isDryRun: boolean): string {
  const { recorded, alreadyThere, notSent, withoutList } = campaigns;
  const without = [
    ...(alreadyThere > 0 ? [`${formatNumber(alreadyThere)} already recorded`] : []),
    ...(notSent > 0 ? [`${formatNumber(notSent)} left out that were not sent`] : []),
    ...(withoutList > 0 ? [`${formatNumber(withoutList)} left out without a list that still exists`] : []),
  ];
  return [
    `${isDryRun ? "Would take" : "Took"} ${counted(people, "person", "people")}.`,
    ...(fields.length === 0 ? [] : ["Fields:", ...fields.map(fieldText)]),
    ...lists.map(({ name, list, isNew, import: imported }) => {
      const named = `List '${oneLine(name)}'${list === null ? "" : ` (${list})`}, ${isNew ? "new" : "exists"}`;
      return imported === null ? `${named}: nobody` : countsText(`${named}:`, "subscriber", imported);
    }),
    countsText("People on no list, and those that cannot be imported:", "subscriber", others),
    `Campaigns: ${formatNumber(recorded)} ${isDryRun ? "would be recorded" : "recorded"}${without.map((one) => `, ${one}`).join("")}`,
    ...notes.map((note) => `Note: ${oneLine(note)}`),
  ].join("\n");
}

const countsDocument = ({ import: importId, counts, rejections }: PulledCounts) => ({
  importId,
  counts,
  rejected: rejections.reasons.map(([reason, rowCount]) => ({ reason, rowCount })),
  leftOutValues: rejections.leftOut.map(({ heading, reason, values }) => ({
    heading,
    reason,
    valueCount: values,
  })),
});

async function runListmonk(context: Context): Promise<void> {
  const { option, has, perform, out } = context;
  const isDryRun = has("dry-run");
  const user = option("user") ?? "";
  const pulled = await pulling(context, async ({ remote, address, account, retries, onNote }) => {
    const token = await readSecret(option("token") ?? "-", "--token");
    let began = { pass: 0, at: 0 };
    const onProgress = (pass: 1 | 2, done: number, total: number | null): void => {
      if (began.pass !== pass) began = { pass, at: performance.now() };
      const what = `${pass} of 2: ${pass === 1 ? "checked" : "imported"} ${formatNumber(done)} people`;
      const part = total === null || total === 0 ? null : Math.min(1, done / total);
      out.progress(progressText({ what, part, rows: done, elapsedMs: performance.now() - began.at }));
    };
    const source = new Listmonk(remote, address, user, token);
    return await perform(pullListmonk, {
      ...{ account, source, isDryRun, retries },
      events: { onProgress, onNote },
    });
  });
  const { people, lists, others, fields, campaigns, notes } = pulled;
  out.result(
    {
      ...{ isDryRun, peopleCount: people },
      fields,
      lists: lists.map(({ id, name, list, isNew, import: imported }) => ({
        ...{ listmonkId: id, name, listId: list, isNew },
        ...(imported === null ? {} : countsDocument(imported)),
      })),
      others: countsDocument(others),
      campaigns,
      notes,
    },
    () => pulledText(pulled, isDryRun),
  );
}

const UNREADABLE =
  "No operation says who is on a list, who has unsubscribed without a campaign, who has complained, or who is blocked: import these from files";

function soapText(pulled: PulledFromSoap, isDryRun: boolean): string {
  const { lists, fields, campaigns, unsubscribed, bounced, people, notes } = pulled;
  const did = (what: string, things: readonly { readonly isNew: boolean }[]): string => {
    const made = things.filter(({ isNew }) => isNew).length;
    return `${what} ${formatNumber(made)} ${isDryRun ? "would be created" : "created"}, ${formatNumber(things.length - made)} already there`;
  };
  return [
    did("Lists:    ", lists),
    did("Fields:   ", fields),
    ...fields.filter(({ isNew }) => isNew).map(({ id, name, type }) => `  ${id} ${oneLine(name)} (${type})`),
    did("Campaigns:", campaigns),
    `Opt-outs:  ${formatNumber(unsubscribed)} read, bounces: ${formatNumber(bounced)}`,
    countsText("People of these:", "campaign", people),
    ...[UNREADABLE, ...notes].map((note) => `Note: ${oneLine(note)}.`),
  ].join("\n");
}

async function runSoap(context: Context): Promise<void> {
  const { option, has, perform, out } = context;
  const isDryRun = has("dry-run");
  const pulled = await pulling(context, async ({ remote, address, account, retries, onNote }) => {
    const source = new SoapService(remote, address, await readSecret(option("key") ?? "-", "--key"));
    const began = performance.now();
    const onProgress = (done: number, total: number): void => {
      const what = `${formatNumber(done)} of ${counted(total, "campaign")}`;
      const elapsedMs = performance.now() - began;
      out.progress(progressText({ what, part: total === 0 ? null : done / total, rows: done, elapsedMs }));
    };
    return await perform(pullSoap, {
      ...{ account, source, isDryRun, retries },
      events: { onProgress, onNote },
    });
  });
  const { people, lists, fields, campaigns, notes, ...more } = pulled;
  out.result(
    {
      ...{ isDryRun, lists, fields: fields.map(({ id, ...field }) => ({ id: String(id), ...field })) },
      ...{ campaigns, ...more, people: countsDocument(people), notes: [UNREADABLE, ...notes] },
    },
    () => soapText(pulled, isDryRun),
  );
}

export const pullCommands: readonly Command[] = [
  {
    name: "pull listmonk",
    args: ["URL"],
    options: {
      user: { value: "NAME", required: true, doc: "The API user of listmonk." },
      token: {
        value: "FILE",
        required: true,
        doc: "A file with the token of the API user; - reads it from standard input.",
      },
      ...pullOptions,
    },
    doc: "Takes lists, fields, people and sent campaigns from a listmonk server.",
    details: `URL is the address of listmonk, such as https://lists.example.org. Create an API user there (Admin, Users) with the
permissions lists:get_all, subscribers:get_all and campaigns:get_all.

Lists are found by their names, and created if there is none. An attribute becomes a custom field of the same name,
with a type that fits all its values, or fills the country, gender or birthday. Names are split at the last space.

Enabled people are active, disabled ones unsubscribed, blocklisted ones blocked. Who has unsubscribed from a list leaves
it here, unless they joined it here later. Who has not confirmed a double opt-in list is not added to it.

Everything goes through the rules of an import: nobody who is suppressed here becomes active, and values that were set
here stay. So a second pull only takes what is new: do one when the programs have changed to Mailroll.

If a pull is interrupted, give the same command again within a day: it continues.`,
    example: "pull listmonk https://lists.example.org --user mailroll --token token.txt --dry-run",
    hasThreads: true,
    run: runListmonk,
  },
  {
    name: "pull soap",
    args: ["URL"],
    options: {
      key: {
        value: "FILE",
        required: true,
        doc: "A file with an API key of the old service; - reads it from standard input.",
      },
      ...pullOptions,
    },
    doc: "Takes lists, fields, campaigns and their results from an old service with the thirteen operations.",
    details: `URL is the address that programs call, such as https://old.example.org/default.asmx.

Lists, fields and campaigns keep their ids. Nothing is taken if an id means something else here. Who unsubscribed or
bounced because of a campaign does so here, with the date and the campaign. A time without a time zone is read as UTC.

No operation says who is on a list, who has unsubscribed without a campaign, who has complained, or who is blocked: import
these from files with 'import suppressions' and 'import subscribers'.

A second pull takes what is new and changes nothing else. If a pull is interrupted, give the same command again.`,
    example: "pull soap https://old.example.org/default.asmx --key old-key.txt --dry-run",
    hasThreads: true,
    run: runSoap,
  },
];
