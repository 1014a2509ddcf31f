/**
 * To whom a campaign goes: the lists and the filter in the form of a draft, and the number of people, which
 * is counted while somebody chooses.
 */
import { type AudienceSize, countRecipients } from "#admin/campaigns/audience.ts";
import { sentence } from "#admin/error-texts.ts";
import { InvalidInput } from "#admin/kit/errors.ts";
import type { List } from "#domain/list.ts";
import type { Audience } from "#domain/sending/mailing.ts";
import { needsValue } from "#domain/subscriber/filter.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { type Html, html } from "#html/html.ts";
import type { Form, FormState } from "../../kit/form.ts";
import type { Formats } from "../../kit/formats.ts";
import { type AnyPage, content, type PageContext, page, redirect } from "../../kit/page.ts";
import { filterChoices, filterFields, filterIn } from "../subscribers/conditions.ts";
import { chosenLists, listChoice } from "./campaigns.ts";

type AccountContext = PageContext<"/{account}">;
type Here = Pick<AccountContext, "formats" | "link" | "performHere">;

/** A page takes no longer because people are counted; what is not counted then is asked for by a script. */
export const SHOWN_WITHIN_MS = 100;

export const isCounted = ({ precision }: AudienceSize): boolean => precision === "exact";
/** Such as "about 1,200 people". */
export function sizeWords(size: AudienceSize, formats: Formats, one = "person", several = "people"): string {
  const { count, precision } = size;
  if (isCounted(size)) return formats.count(count, one, several);
  return count === 0
    ? `an unknown number of ${several}`
    : `${precision} ${formats.count(count, one, several)}`;
}

/** What the script replaces. `isDone` false: it asks at once. */
export const counted = (inner: Html, isDone: boolean): Html =>
  isDone ? html`<div data-counted>${inner}</div>` : html`<div data-counted="later">${inner}</div>`;

const sizeLine = (size: AudienceSize, formats: Formats): Html =>
  counted(
    html`<p class="audience-size" role="status"><strong>${sizeWords(size, formats)}</strong> ${size.count === 1 ? "gets" : "get"} it, if it is sent now.</p>`,
    isCounted(size),
  );

/** Throws FormRefused. */
export const audienceIn = (form: Form): Audience => ({
  lists: chosenLists(form, "lists"),
  excludedLists: chosenLists(form, "excludedLists"),
  filter: filterIn(form),
});

export async function audienceFields(
  context: Here,
  form: FormState,
  lists: readonly List[],
  { lists: chosen, excludedLists, filter }: Audience,
): Promise<Html> {
  const { formats, link } = context;
  if (lists.length === 0)
    return html`<p>This account has no list yet. Create one, then choose it here.</p>${buttonLink({ label: "Go to the lists", href: link("/lists") })}`;
  const size = await context
    .performHere(countRecipients, { lists: chosen, excludedLists, filter, ms: SHOWN_WITHIN_MS })
    .catch(unknownSize);
  return html`<div class="stack" data-counts="${link(COUNT_PATH)}">${listChoice(form, lists, context, {
    name: "lists",
    label: "Lists",
    hint: "Active subscribers of these lists get it, each of them once.",
    stored: chosen,
    isOptional: true,
  })}${listChoice(form, lists, context, {
    name: "excludedLists",
    label: "Excluded lists",
    hint: "Subscribers of these lists do not get it, whatever other lists they are on.",
    stored: excludedLists,
    isOptional: true,
  })}${filterFields(form, filter, await filterChoices(context, filter), {
    label: "Filter",
    hint: "Only subscribers for whom all of this holds. It is looked at when the campaign starts, and once more before each message.",
  })}${sizeLine(size, formats)}</div>`;
}

/** A stored condition may be about something that is gone: the checks say so. */
function unknownSize(error: unknown): AudienceSize {
  if (error instanceof InvalidInput) return { count: 0, precision: "exact" };
  throw error;
}

const COUNT_PATH = "/campaigns/count-recipients";
/** For the script: the fields of the form above, and in its answer the number of people. */
export const countPage: AnyPage = page({
  path: `/{account}${COUNT_PATH}`,
  role: "editor",
  show: async ({ link }) => redirect(link("/campaigns")),
  forms: {
    submit: {
      submit: async ({ performHere, form, formats }) => {
        const { filter, ...lists } = audienceIn(form);
        const complete = filter.filter(({ test, value }) => !needsValue(test) || value.trim() !== "");
        try {
          const size = await performHere(countRecipients, { ...lists, filter: complete });
          return content("Recipients", sizeLine(size, formats));
        } catch (error) {
          if (!(error instanceof InvalidInput)) throw error;
          return content(
            "Recipients",
            counted(html`<p class="audience-size">${sentence(error.message)}</p>`, true),
          );
        }
      },
    },
  },
});
