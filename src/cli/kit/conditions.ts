/** The conditions of a filter as they are typed: `--where 'country is DE'`. */
import { listFields } from "#admin/fields.ts";
import type { Field } from "#domain/field/field.ts";
import { basicSubjects, type Filter, filterTests, readCondition } from "#domain/subscriber/filter.ts";
import { type Context, UsageError } from "./command.ts";
import { everyPage } from "./every-page.ts";

export const CONDITIONS = `A condition says what must hold of a subscriber: 'first name starts with A', 'last name is not empty', 'country is DE',
'joined is before 2026-01-01', 'Town is not Berlin' for a custom field, 'campaign 5 not received'. Tests:
${filterTests.join(", ")}.`;

export const fieldsOf = ({ performInAccount }: Context): Promise<readonly Field[]> =>
  everyPage((page) => performInAccount(listFields, page));
export const readConditions = (texts: readonly string[], fields: readonly Field[]): Filter =>
  texts.map((text) => {
    const condition = readCondition(text, fields);
    if (condition === null)
      throw new UsageError(
        `--where '${text}' is not understood: it must be ${basicSubjects.join(", ")}, the name of a custom field or "campaign ID", then ${filterTests.join(", ")}, then a value; such as 'country is DE'`,
      );
    return condition;
  });
