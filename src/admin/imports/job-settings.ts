/**
 * What an import was asked for, kept in the result of its job: an import follows a dry run with the same
 * settings, and a form shows them again. Headings of a table are nothing about one person. If the table has
 * no header, they are the data of the first one: one of them is the address, and nothing is kept.
 */
import type { PlannedNames, TableContents, TableFormat } from "#domain/import/job.ts";
import type { Job } from "#domain/job/job.ts";
import { type JobResult, membersOf } from "#domain/job/result.ts";
import { type SuppressionKind, suppressionKinds } from "#domain/subscriber/subscriber.ts";

export interface ImportSettings {
  readonly format: TableFormat;
  readonly contents: TableContents;
}

/** Of a table with very many mapped columns, nothing is kept. */
const MAX_CHARACTERS = 20_000;

type Stored = JobResult[string];

export function storedSettings({ format, contents }: ImportSettings): Stored {
  const { separator, encoding, dates } = format;
  if (contents.kind === "subscribers" && contents.map.some(({ heading }) => heading.includes("@")))
    return null;
  const stored = {
    separator,
    encoding,
    dates: Object.fromEntries(dates.map(({ heading, order }) => [heading ?? "", order])),
    ...(contents.kind === "suppressions"
      ? { as: contents.as }
      : {
          list: contents.list,
          overwrite: contents.overwrite,
          ignoresUnknown: contents.ignoresUnknown,
          map: Object.fromEntries(contents.map.map(({ heading, column }) => [heading, column])),
          ...(contents.planned === undefined ? {} : { planned: storedPlan(contents.planned) }),
        }),
  };
  return JSON.stringify(stored).length > MAX_CHARACTERS ? null : stored;
}

const textOrNull = (value: Stored | undefined): string | null => (typeof value === "string" ? value : null);
const pairs = (value: Stored | undefined): readonly (readonly [string, string])[] =>
  Object.entries(membersOf(value)).flatMap(([name, one]) =>
    typeof one === "string" ? [[name, one] as const] : [],
  );

const storedPlan = ({ list, fields }: PlannedNames) => ({
  list,
  fields: Object.fromEntries(fields.map((name) => [name, "STRING"])),
});
const planIn = ({ list, fields }: JobResult): PlannedNames => ({
  list: textOrNull(list),
  fields: pairs(fields).map(([name]) => name),
});

/** null: they were not kept, or the job is of an older version. */
export function settingsOf({ result }: Pick<Job, "result">): ImportSettings | null {
  const given = membersOf(result?.settings);
  if (given.separator === undefined) return null;
  const format = {
    separator: textOrNull(given.separator),
    encoding: textOrNull(given.encoding),
    dates: pairs(given.dates).map(([heading, order]) => ({
      heading: heading === "" ? null : heading,
      order: order === "mdy" ? ("mdy" as const) : ("dmy" as const),
    })),
  };
  if (typeof given.list !== "number") {
    const as = suppressionKinds.find((kind): kind is SuppressionKind => kind === given.as) ?? null;
    return { format, contents: { kind: "suppressions", as } };
  }
  const map = pairs(given.map).map(([heading, column]) => ({ heading, column }));
  const [overwrite, ignoresUnknown] = [given.overwrite === true, given.ignoresUnknown === true];
  const { list } = given;
  const planned = given.planned === undefined ? {} : { planned: planIn(membersOf(given.planned)) };
  return { format, contents: { kind: "subscribers", list, overwrite, ignoresUnknown, map, ...planned } };
}
