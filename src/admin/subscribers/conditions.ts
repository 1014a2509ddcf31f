/** Which conditions the filter of a campaign or of a search may have. */
import type { AccountId } from "#domain/account.ts";
import type { Field } from "#domain/field/field.ts";
import { collect } from "#domain/paging.ts";
import {
  type Condition,
  checkedCondition,
  conditionText,
  type Filter,
  goneOf,
  isKnown,
  MAX_CONDITIONS,
} from "#domain/subscriber/filter.ts";
import type { Admin } from "../kit/action.ts";
import { InvalidInput } from "../kit/errors.ts";

/**
 * As it is stored. What is stored already may be about something that is gone: somebody who changes something
 * else is not stopped. Throws InvalidInput.
 */
export async function requireConditions(
  { store }: Pick<Admin, "store">,
  account: AccountId,
  filter: Filter,
  stored: Filter = [],
): Promise<Filter> {
  if (filter.length === 0) return [];
  if (filter.length > MAX_CONDITIONS)
    throw new InvalidInput("filter", `must have at most ${MAX_CONDITIONS} conditions`);
  const known = await store.mailings.knownToFilter({ account, filter });
  const fields = await collect(store.fields.all.pages({ account }));
  const before = new Set(stored.map((condition) => JSON.stringify(condition)));
  return filter.map((condition, index) => {
    if (before.has(JSON.stringify(condition))) return condition;
    if (!isKnown(condition, known)) throw refused(index, condition, fields, unknownWords(condition));
    const { about } = condition;
    const type =
      typeof about === "object" && "field" in about ? (known.types.get(about.field) ?? null) : null;
    const checked = checkedCondition(condition, type);
    if ("problem" in checked) throw refused(index, condition, fields, checked.problem);
    return checked;
  });
}

const unknownWords = ({ about }: Condition): string =>
  typeof about === "object" && "campaign" in about
    ? "is about a campaign that was not sent from here, or whose recipients are not stored any more"
    : "is about a field that does not exist";
const refused = (
  index: number,
  condition: Condition,
  fields: readonly Field[],
  problem: string,
): InvalidInput =>
  new InvalidInput(
    "filter",
    `condition ${index + 1} (${conditionText(condition, fields)}) ${problem}`,
    String(index + 1),
  );

/** The conditions of a filter that hold for nobody, because what they are about does not exist any more. */
export async function goneConditions({ store }: Pick<Admin, "store">, account: AccountId, filter: Filter) {
  if (filter.length === 0) return [];
  const known = await store.mailings.knownToFilter({ account, filter });
  return goneOf(filter, known);
}
