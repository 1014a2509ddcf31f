export const title = "New field";
export const name = "Name";
export const namePlaceholder = "e.g. Town";
export const type = "Type";
export const typeHint = "It cannot be changed later.";
export const isPrivate = "Private";
export const isPrivateHint = "Not meant to be shown to the people themselves, such as a score.";
export const id = "Id";
export const idHint =
  "Only if programs already contain an id for this field. Otherwise the next free one is used.";
export const notAnId = "Must be a whole number.";
export const create = "Create the field";
export const created = (field: string): string => `The field “${field}” was created.`;
