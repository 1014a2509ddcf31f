/** The conditions of a filter in a form: of the recipients of a campaign, and of a search for subscribers. */
import { briefCampaign, listCampaigns } from "#admin/campaigns/campaigns.ts";
import { listFields } from "#admin/fields.ts";
import { MAX_PAGE } from "#admin/kit/paging.ts";
import type { Campaign } from "#domain/campaign.ts";
import type { Field } from "#domain/field/field.ts";
import {
  basicSubjects,
  type Condition,
  conditionText,
  type Filter,
  type FilterTest,
  filterTests,
  MAX_COMPARED,
  MAX_CONDITIONS,
  namedBy,
  needsValue,
} from "#domain/subscriber/filter.ts";
import { type OptionGroup, selectField, textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused, goneAsNull } from "../../kit/errors.ts";
import type { Form, FormState } from "../../kit/form.ts";
import { allRows } from "../../kit/listing.ts";
import type { PageContext } from "../../kit/page.ts";

type Here = Pick<PageContext<"/{account}">, "performHere">;

type Named = Pick<Campaign, "id" | "name">;
export interface FilterChoices {
  readonly fields: readonly Field[];
  readonly campaigns: readonly Named[];
  /** Not offered, but stored conditions are about them. */
  readonly others: readonly Named[];
}

const subjectOf = ({ about }: Condition): string =>
  typeof about === "string"
    ? about
    : "field" in about
      ? `field ${about.field}`
      : `campaign ${about.campaign}`;
function aboutOf(subject: string): Condition["about"] | null {
  const basic = basicSubjects.find((one) => one === subject);
  if (basic !== undefined) return basic;
  const [, kind, id = ""] = /^(field|campaign) (\d{1,19})$/.exec(subject) ?? [];
  if (kind === undefined) return null;
  return kind === "field" ? { field: id } : { campaign: Number(id) };
}

const basicNames = {
  "first name": "First name",
  "last name": "Last name",
  country: "Country",
  joined: "Joined",
};
/** What a stored condition is about is offered even if it is gone: it must be seen to be removed. */
function subjectOptions({ fields, campaigns, others }: FilterChoices, chosen: string) {
  const campaignOption = ({ id, name }: Named) => ({ value: `campaign ${id}`, label: name });
  const groups: readonly OptionGroup[] = [
    { group: "Person", options: basicSubjects.map((value) => ({ value, label: basicNames[value] })) },
    {
      group: "Custom fields",
      options: fields.map(({ id, name }) => ({ value: `field ${id}`, label: name })),
    },
    {
      group: "Campaigns",
      options: campaigns.map(campaignOption),
    },
  ];
  const other = others.map(campaignOption).find(({ value }) => value === chosen);
  const isOffered =
    chosen === "" || groups.some(({ options }) => options.some(({ value }) => value === chosen));
  return [
    { value: "", label: "–" },
    ...(isOffered ? [] : [other ?? { value: chosen, label: chosen }]),
    ...groups.filter(({ options }) => options.length > 0),
  ];
}

/** What is wrong with a condition is a problem of this field. */
const WHAT = "filter";
const TEST = "filter-test";
const VALUE = "filter-value";
/** Empty rows below those that are filled; a script adds more. */
const SPARE = 1;

/** The rows as they were sent, or as they are stored. */
function rowsOf(
  form: FormState,
  stored: Filter,
): readonly (readonly [what: string, test: string, value: string])[] {
  const [whats, tests, values] = [form.values(WHAT), form.values(TEST), form.values(VALUE)];
  const rows =
    form.isRefused && whats.length > 0
      ? whats.map((what, index) => [what, tests[index] ?? "", values[index] ?? ""] as const)
      : stored.map((one) => [subjectOf(one), one.test, one.value] as const);
  const filled = rows.filter(([what, , value]) => what !== "" || value !== "");
  const empty = ["", "is", ""] as const;
  return [...filled, ...Array.from({ length: Math.min(SPARE, MAX_CONDITIONS - filled.length) }, () => empty)];
}

const testNames: Readonly<Record<FilterTest, string>> = {
  is: "is",
  "is not": "is not",
  contains: "contains",
  "starts with": "starts with",
  "is less than": "is less than",
  "is at least": "is at least",
  "is before": "is before",
  "is on or after": "is on or after",
  "is empty": "is empty",
  "is not empty": "is not empty",
  received: "was received",
  "not received": "was not received",
};

export function filterFields(
  form: FormState,
  stored: Filter,
  choices: FilterChoices,
  { label, hint }: { readonly label: string; readonly hint: string },
): Html {
  const rows = rowsOf(form, stored);
  const problem = form.problem(WHAT);
  const isOpen = stored.length > 0 || rows.length > SPARE || problem !== null;
  return html`<details class="samples" id="field-filter"${isOpen ? html` open` : null}><summary>${label}${
    stored.length === 0 ? null : html` <span class="optional">${stored.length}</span>`
  }</summary>
<p>${hint}<noscript> Each time there is room for one condition more.</noscript></p>
${problem === null ? null : html`<p class="field-error">${problem}</p>`}
<div class="conditions" data-most="${MAX_CONDITIONS}">${rows.map(
    ([what, test, value], index) =>
      html`<div class="condition" role="group" aria-label="Condition ${index + 1}">${selectField({
        ...{
          name: WHAT,
          id: `${WHAT}-${index}`,
          label: `What condition ${index + 1} is about`,
          hidesLabel: true,
        },
        ...{ value: what, options: subjectOptions(choices, what), isOptional: true },
      })}${selectField({
        ...{ name: TEST, id: `${TEST}-${index}`, label: `Test of condition ${index + 1}`, hidesLabel: true },
        ...{
          value: test,
          options: filterTests.map((one) => ({ value: one, label: testNames[one] })),
          isOptional: true,
        },
      })}${textField({
        ...{
          name: VALUE,
          id: `${VALUE}-${index}`,
          label: `Value of condition ${index + 1}`,
          hidesLabel: true,
        },
        ...{ value, maxLength: MAX_COMPARED, isOptional: true },
      })}</div>`,
  )}</div></details>`;
}

/** Throws FormRefused. */
export function filterIn(form: Form): Filter {
  const [whats, tests, values] = [form.texts(WHAT), form.texts(TEST), form.texts(VALUE)];
  return whats.flatMap((what, index): Filter => {
    const value = values[index] ?? "";
    if (what === "" && value.trim() === "") return [];
    const about = aboutOf(what);
    const test = filterTests.find((one) => one === tests[index]);
    if (about === null || test === undefined)
      throw new FormRefused({ fields: { [WHAT]: `Choose what condition ${index + 1} is about.` } });
    return [{ about, test, value: needsValue(test) ? value : "" }];
  });
}

/** For the page of a campaign. */
export function filterWords(filter: Filter, { fields, campaigns, others }: FilterChoices): Html {
  const names = new Map([...campaigns, ...others].map(({ id, name }) => [id, name]));
  return html`<ul>${filter.map((condition) => {
    const { about, test } = condition;
    const text =
      typeof about === "object" && "campaign" in about
        ? `campaign ${names.get(about.campaign) ?? about.campaign} ${test}`
        : conditionText(condition, fields);
    return html`<li>${text}</li>`;
  })}</ul>`;
}

/** Of campaigns: the latest ones whose recipients are stored, and those that stored conditions are about. */
export async function filterChoices(context: Here, stored: Filter): Promise<FilterChoices> {
  const { rows } = await context.performHere(listCampaigns, { limit: MAX_PAGE });
  const campaigns = rows.filter(
    ({ sending }) => sending !== null && sending.startedAt !== null && sending.purgedAt === null,
  );
  const others: Named[] = [];
  for (const campaign of namedBy(stored).campaigns) {
    if (campaigns.some(({ id }) => id === campaign)) continue;
    const found = await context.performHere(briefCampaign, { campaign }).catch(goneAsNull);
    if (found !== null) others.push(found);
  }
  return { fields: await allRows(context, listFields), campaigns, others };
}
