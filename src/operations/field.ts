/** Field.*: wire names in, commands and records out. */
import { parseName } from "../domain/name.ts";
import type { Perform } from "./perform.ts";

export const add: Perform<"Field.Add"> = (input, caller, { store }) => {
  const name = parseName(input.fieldName);
  return store.write("addField", {
    ...caller,
    field: name === null ? null : { name, type: input.dataType, isPrivate: input.isPrivate ?? false },
  });
};

export const getFields: Perform<"Field.GetFields"> = async (_input, { account }, { store }) => {
  const fields = await store.read("fields", { account });
  return fields.map(({ id, name, isPrivate, type }) => ({
    FieldId: id,
    Name: name,
    IsPrivate: isPrivate,
    DataType: type,
  }));
};
