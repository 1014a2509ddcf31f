/**
 * `/console/{account}/subscribers/change`: one change to all subscribers that match, as a job, or to those
 * that were selected. Shows first how many they are, and some of them. A dry run counts exactly what a change
 * of all that match would do.
 */

import { refusalText, sentence } from "#admin/error-texts.ts";
import { showJob } from "#admin/jobs.ts";
import { Refused } from "#admin/kit/errors.ts";
import { listLists } from "#admin/lists.ts";
import { changeSubscribers as changeSelected, MAX_BATCH } from "#admin/subscribers/batch.ts";
import { changeSubscribers as changeMatching, dryRunChange, previewBulk } from "#admin/subscribers/bulk.ts";
import { showSubscriber } from "#admin/subscribers/record.ts";
import { findsEverybody } from "#admin/subscribers/search.ts";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import { isNoOp } from "#domain/refused-call.ts";
import { type BulkChange, bulkKinds } from "#domain/subscriber/bulk-change.ts";
import { stateBadge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState, notice } from "#html/components/feedback.ts";
import { checkbox, radioGroup, selectField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { card, pageHeader, section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused, goneAsNull, NoSuchPage } from "../../kit/errors.ts";
import { idsIn } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import { allRows } from "../../kit/listing.ts";
import { objectLinks } from "../../kit/object-links.ts";
import { type Answer, content, type PageContext, page, redirect } from "../../kit/page.ts";
import { resultRows } from "../jobs/job.ts";
import { jobLink, jobProgress } from "../jobs/job-progress.ts";
import { addressFor, CHANGE_PATH, countText, wantedIn } from "./filter.ts";

const kinds: Readonly<Record<BulkChange["kind"], readonly [label: string, hint: string]>> = {
  add: ["Add to a list", "People who have unsubscribed, bounced, complained or are blocked are not added."],
  remove: ["Remove from a list", "They stay in the account and can be added again."],
  unsubscribe: [
    "Unsubscribe from all lists",
    "They get no more mail. They can only be reactivated one by one, with a reason.",
  ],
};
const changeTexts = {
  title: "Change many subscribers",
  startedElsewhere: "The change has started and continues in the background.",
};

type Here = PageContext<typeof CHANGE_PATH>;

type Concerned = Awaited<ReturnType<typeof concerned>>;
const SAMPLE = 10;

/** null: all subscribers who match, not selected ones. */
function selectedIn(query: URLSearchParams): readonly number[] | null {
  const given = query.get("ids");
  if (given === null) return null;
  const ids = given.split("-");
  const read = ids.flatMap(idsIn);
  if (ids.length > MAX_BATCH || read.length < ids.length) throw new NoSuchPage();
  return [...new Set(read)];
}

/** `isEverybody`: there is no condition at all. */
async function concerned(context: Here) {
  const ids = selectedIn(context.query);
  if (ids !== null) {
    const found = await Promise.all(
      ids.slice(0, SAMPLE).map((id) => context.performHere(showSubscriber, { id }).catch(goneAsNull)),
    );
    // Without those who were erased since they were selected.
    const sample = found.flatMap((one) => one?.record ?? []);
    return { count: ids.length, isMore: false, sample, isEverybody: false };
  }
  const wanted = await wantedIn(context);
  const preview = await context.performHere(previewBulk, { ...wanted });
  return { ...preview, isEverybody: findsEverybody(wanted) };
}

export const changePage = page({
  path: CHANGE_PATH,
  role: "editor",
  show: async (context) => {
    const whom = await concerned(context);
    const back = await addressFor(context, "/{account}/subscribers", await wantedIn(context));
    const header = pageHeader({ title: changeTexts.title, parent: { label: "Subscribers", href: back } });
    if (whom.count === 0 && !whom.isMore)
      return content(
        changeTexts.title,
        html`${header}${emptyState({ title: "Nobody is left to change", text: "The search finds nobody any more, or the people were erased.", icon: "people" })}`,
      );
    return content(
      changeTexts.title,
      html`${header}${await dryRun(context)}<div class="columns">${card(preview(context, whom))}${card(await changeForm(context, whom, back))}</div>`,
    );
  },
  forms: {
    change: async (context) => {
      const kind = bulkKinds.find((one) => one === context.form.text("kind"));
      if (kind === undefined) throw new FormRefused({ fields: { kind: "Choose what to do." } });
      const list = context.form.id("changeList") ?? undefined;
      if (kind !== "unsubscribe" && list === undefined)
        throw new FormRefused({ fields: { changeList: "Choose a list." } });
      const change = { kind, list: kind === "unsubscribe" ? undefined : list };
      if (context.form.has("dryRun")) return await startDryRun(context, change);
      const ids = selectedIn(context.query);
      return ids === null ? await changeAll(context, change) : await changeSome(context, ids, change);
    },
  },
});

interface Change {
  readonly kind: BulkChange["kind"];
  readonly list: number | undefined;
}

/** The page is shown again with the dry run and the same choices. */
async function startDryRun(context: Here, change: Change): Promise<Answer> {
  const wanted = await wantedIn(context);
  const { job } = await context.performHere(dryRunChange, { ...wanted, change });
  if (job === null) return redirect(context.link("/subscribers"), changeTexts.startedElsewhere);
  return redirect(
    await addressFor(context, CHANGE_PATH, wanted, {
      ...{ dryRun: String(job.id), kind: change.kind },
      changeList: change.list === undefined ? null : String(change.list),
    }),
  );
}

async function dryRun(context: Here): Promise<Html | null> {
  const [id] = idsIn(context.query.get("dryRun") ?? "");
  if (id === undefined) return null;
  const job = await context.performHere(showJob, { id });
  if (job.kind !== "dry-run-change") throw new NoSuchPage();
  if (job.ending === null)
    return section("Dry run", jobProgress(context, job, `${context.path}?${context.query.toString()}`));
  const { formats } = context;
  return section(
    "Dry run",
    job.ending === "finished"
      ? html`<p>${formats.number(job.done)} match. Nothing was changed; if the numbers are right, start the change below.</p>${definitions(resultRows(job, formats))}`
      : notice("warning", "The dry run has ended without a result. Start it again.", job.lastError),
  );
}

async function changeAll(context: Here, change: Change): Promise<Answer> {
  const wanted = await wantedIn(context);
  const isAll = context.form.has("all");
  if (findsEverybody(wanted) && !isAll)
    throw new FormRefused({
      fields: { all: "Confirm that you mean every subscriber, or go back and search first." },
    });
  const { job } = await context.performHere(changeMatching, { ...wanted, change, isAll });
  if (job === null) return redirect(context.link("/subscribers"), changeTexts.startedElsewhere);
  return redirect(jobLink(context, job), "The change has started. This page shows its progress.");
}

async function changeSome(context: Here, ids: readonly number[], { kind, list }: Change): Promise<Answer> {
  const results = await context.performHere(changeSelected, {
    items: ids.map((id) => ({ action: kind, id, ...(list === undefined ? {} : { list }) })),
  });
  const number = (count: number): string => context.formats.number(count);
  const errors = results.flatMap(({ error }) => (error === null ? [] : [error]));
  const noOps = errors.filter((error) => error instanceof Refused && isNoOp(error.outcome));
  const reasons = new Map<string, number>();
  for (const error of errors.filter((one) => !noOps.includes(one))) {
    const why = error instanceof Refused ? refusalText(error) : sentence(error.message);
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  const said = [
    `${number(results.length - errors.length)} changed`,
    ...(noOps.length === 0 ? [] : [`${number(noOps.length)} needed no change`]),
    ...[...reasons].map(([why, count]) => `${number(count)} refused: ${why}`),
  ];
  return redirect(context.link("/subscribers"), sentence(said.join("; ")));
}

async function changeForm(context: Here, whom: Concerned, back: string): Promise<Html> {
  const shown = context.formState("change");
  const lists = await allRows(context, listLists);
  return formOf("change", {
    state: shown,
    isIdempotent: true,
    body: html`${radioGroup({
      ...shown.field("kind", context.query.get("kind") ?? ""),
      label: "What to do",
      options: bulkKinds.map((value) => {
        const [label, hint] = kinds[value];
        return { value, label, hint };
      }),
    })}${selectField({
      ...shown.field("changeList", context.query.get("changeList") ?? ""),
      label: "List",
      hint: "To add to or remove from.",
      options: [
        { value: "", label: "Choose…" },
        ...lists.map(({ id, name }) => ({ value: String(id), label: name })),
      ],
      isOptional: true,
    })}${
      whom.isEverybody
        ? checkbox({
            name: "all",
            label: "Yes, I mean every subscriber of the account.",
            isChecked: shown.isChecked("all"),
            error: shown.problem("all"),
          })
        : null
    }${buttonRow(
      button({ label: "Change them", emphasis: "danger" }),
      ...(selectedIn(context.query) === null
        ? [button({ label: "Dry run", name: "dryRun", value: "true" })]
        : []),
      buttonLink({ label: "Cancel", href: back, emphasis: "quiet" }),
    )}`,
  });
}

function preview(context: Here, { count, isMore, sample, isEverybody: isAll }: Concerned): Html {
  const links = objectLinks(context);
  return html`<h2>${countText(context.formats.number(count), isMore)}</h2>
${isAll ? notice("warning", "No filter is set: this is every subscriber of the account.") : null}${table<
  Pick<FoundSubscriber, "id" | "address" | "state">
>({
  caption: "Some of them",
  rows: sample,
  href: ({ id }) => links.subscriber(id),
  columns: [
    { label: "Address", cell: ({ address }) => address },
    { label: "State", cell: ({ state }) => stateBadge(state) },
  ],
})}${isMore || count > sample.length ? html`<p class="hint">The first ${context.formats.number(sample.length)} are shown.</p>` : null}`;
}
