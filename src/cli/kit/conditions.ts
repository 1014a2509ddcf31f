/** The conditions of a filter as they are typed: `--where 'country is DE'`. */
import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { listFields } from "#admin/fields.ts";
import { NotFound } from "#admin/kit/errors.ts";
import type { Campaign } from "#domain/campaign.ts";
import type { Field } from "#domain/field/field.ts";
import {
  basicSubjects,
  type Filter,
  filterTests,
  namedBy,
  readCondition,
} from "#domain/subscriber/filter.ts";
import { type Context, UsageError } from "./command.ts";
import { everyPage } from "./every-page.ts";

export const CONDITIONS = `A condition says what must hold of a subscriber: 'first name starts with A', 'last name is not empty', 'country is DE',
'joined is before 2026-01-01', 'Town is not Berlin' for a custom field, 'campaign 5 not received'. Tests:
${filterTests.join(", ")}.`;

export const fieldsOf = ({ performInAccount }: Context): Promise<readonly Field[]> =>
  everyPage((page) => performInAccount(listFields, page));
/** What conditions name, to be shown by name. A campaign may have been deleted. */
export interface NamedThings {
  readonly fields: readonly Field[];
  readonly campaigns: readonly Campaign[];
}
export async function namedIn(context: Context, filter: Filter): Promise<NamedThings> {
  const named = namedBy(filter);
  const campaigns: Campaign[] = [];
  for (const campaign of named.campaigns) {
    const found = await context.performInAccount(briefCampaign, { campaign }).catch((error: unknown) => {
      if (error instanceof NotFound) return null;
      throw error;
    });
    if (found !== null) campaigns.push(found);
  }
  return { fields: named.fields.length === 0 ? [] : await fieldsOf(context), campaigns };
}
export const readConditions = (texts: readonly string[], fields: readonly Field[]): Filter =>
  texts.map((text) => {
    const condition = readCondition(text, fields);
    if (condition === null)
      throw new UsageError(
        `--where '${text}' is not understood: it must be ${basicSubjects.join(", ")}, the name of a custom field or "campaign ID", then ${filterTests.join(", ")}, then a value; such as 'country is DE'`,
      );
    return condition;
  });
