/** What a job has done, by kind. */
import { meaningOf } from "#admin/error-texts.ts";
import type { Job } from "#domain/job/job.ts";
import { type JobResult, membersOf } from "#domain/job/result.ts";
import type { Insert } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import { newBlocks, noOps, outcomes } from "../imports/outcomes.texts.ts";
import * as texts from "./job.texts.ts";

type Row = readonly [name: string, value: Insert];

const numbers = (result: JobResult): readonly (readonly [string, number])[] =>
  Object.entries(result).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : []));

/** Such as "Already on list" for `alreadyOnList`. */
function words(name: string): string {
  const spaced = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`;
}

const labels: Readonly<Record<string, string>> = {
  changed: texts.changed,
  unchanged: texts.unchanged,
  succeeded: texts.succeeded,
  notReplayable: texts.notReplayable,
  newBlocks,
  noOps,
};

const ofDryRun: Readonly<Record<string, string>> = {
  people: texts.peopleOnLists,
  recipients: texts.recipients,
};

/** As the page of the import says it. */
const importLabel = (name: string): string =>
  new Map(Object.entries(outcomes)).get(name)?.label ?? labels[name] ?? words(name);

/** Empty: the kind has no result beyond how many it has dealt with, or there is none yet. */
export function resultRows({ kind, result }: Job, { number }: Formats): readonly Row[] {
  if (result === null) return [];
  if (kind === "import")
    return numbers(membersOf(result.counts)).map(([name, count]) => [importLabel(name), number(count)]);
  // The rest has a page of its own.
  if (kind === "dry-run-campaign")
    return numbers(result).flatMap(([name, count]): readonly Row[] =>
      Object.hasOwn(ofDryRun, name) ? [[ofDryRun[name] ?? name, number(count)]] : [],
    );
  return [
    ...numbers(result).map(([name, count]): Row => [labels[name] ?? words(name), number(count)]),
    ...numbers(membersOf(result.refused)).map(
      ([outcome, count]): Row => [texts.refused(meaningOf(outcome)), number(count)],
    ),
  ];
}
