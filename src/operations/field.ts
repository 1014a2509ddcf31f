/** Field.*: wire names in, commands and records out. */
import type { Field } from "#domain/field/field.ts";
import { parseName } from "#domain/text.ts";
import type { Perform } from "./caller.ts";
import { mapPages } from "./caller.ts";

export const add: Perform<"Field.Add"> = (input, caller, { store }) => {
  const name = parseName(input.fieldName);
  return store.fields.add({
    ...caller,
    field: name === null ? null : { name, type: input.dataType, isPrivate: input.isPrivate ?? false },
  });
};

const toField = ({ id, name, isPrivate, type }: Field) => ({
  FieldId: id,
  Name: name,
  IsPrivate: isPrivate,
  DataType: type,
});

export const getFields: Perform<"Field.GetFields"> = async (_input, { account }, { store }) =>
  mapPages(store.fields.all.pages({ account }), toField);
