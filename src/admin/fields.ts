/** Custom fields of an account. */
import type { Campaign } from "#domain/campaign.ts";
import { type DataType, type Field, type FieldId, MAX_CHOSEN_FIELD_ID } from "#domain/field/field.ts";
import { parseName } from "#domain/text.ts";
import * as inBatches from "#jobs/in-batches.ts";
import { builtInNamed } from "#transfer/table/known-headings.ts";
import { audited, type InAccount, type Performing, query } from "./kit/action.ts";
import { existing, InvalidInput, NotFound, type NotPossible, Refused, stillNeeded } from "./kit/errors.ts";
import { idTaken, requireChosenId } from "./kit/inputs.ts";
import { listing } from "./kit/paging.ts";

interface CreateField extends InAccount {
  readonly name: string;
  readonly type: DataType;
  readonly isPrivate: boolean;
  /** An id that programs already contain, for administrators; null takes the next free one. */
  readonly id: FieldId | null;
}

/** Programs may create such fields over SOAP, and those that are there keep working. */
function refuseBuiltIn(name: string): void {
  const builtIn = builtInNamed(name);
  if (builtIn !== null)
    throw new InvalidInput(
      "name",
      `is that of the built-in field '${builtIn}', which every subscriber has; choose another name`,
    );
}

/** Also with the name of a built-in field, for copies of what another service has. */
export async function addField(
  { store, actor, clock, audit }: Performing,
  { account, name: given, type, isPrivate, id }: CreateField,
): Promise<Field> {
  const name = parseName(given);
  if (name === null) throw new Refused("InvalidFieldName");
  if (id !== null) requireChosenId(actor, id, MAX_CHOSEN_FIELD_ID);
  const field = await store.fields.create({
    account,
    id,
    field: { name, type, isPrivate },
    at: clock(),
    audit,
  });
  if (field === "IdTaken") throw idTaken();
  if (typeof field === "string") throw new Refused(field);
  return field;
}

export const createField = audited("field.create", "editor", async (admin, given: CreateField) => {
  refuseBuiltIn(given.name);
  return await addField(admin, given);
});

export const renameField = audited(
  "field.rename",
  "editor",
  async (
    { store, audit },
    { account, id, name: given }: InAccount & { readonly id: FieldId; readonly name: string },
  ): Promise<Field> => {
    const name = parseName(given);
    if (name === null) throw new Refused("InvalidFieldName");
    refuseBuiltIn(name);
    const field = await store.fields.rename({ account, id, name, audit });
    if (field === "UnknownField") throw new NotFound("field", id);
    if (field === "FieldExists") throw new Refused(field);
    return field;
  },
);

/** In order of creation. */
export const listFields = listing("field.list", ({ fields }) => fields.all);

/** How many subscribers one answer counts; of more, the numbers are a sample. */
export const MAX_COUNTED = 10_000;

/** How many subscribers have a value of each field, among all or in a random sample. */
export const fieldUsage = query("field.usage", "viewer", ({ store }, { account }: InAccount) =>
  store.fields.usage({ account, limit: MAX_COUNTED }),
);

interface OneField extends InAccount {
  readonly id: FieldId;
}
export const showField = query("field.show", "viewer", async ({ store }, one: OneField) =>
  existing("field", one.id, await store.fields.byId(one)),
);

/**
 * What would be deleted: the field with its number of values, among the first `MAX_COUNTED` subscribers.
 * Also if its deletion was interrupted.
 */
export const showFieldToDelete = query("field.deletion", "owner", async ({ store }, one: OneField) => {
  const field = existing("field", one.id, await store.fields.withValueCount({ ...one, limit: MAX_COUNTED }));
  const { neededBy, ...found } = field;
  if (neededBy !== null) throw needed(one.id, neededBy);
  return found;
});

/** With all its values; the history stays. `job` deletes the values that are left; null if none is. */
export const deleteField = audited(
  "field.delete",
  "owner",
  async ({ store, clock, audit, continueJob }, { account, id }: OneField) => {
    const command = { account, id, at: clock(), audit };
    const deleted = existing("field", id, await inBatches.deleteField(store, command, continueJob));
    if ("neededBy" in deleted) throw needed(id, deleted.neededBy);
    return deleted;
  },
);

const needed = (id: FieldId, campaign: Campaign): NotPossible =>
  stillNeeded(`field ${id}`, campaign, "has it in its filter");
