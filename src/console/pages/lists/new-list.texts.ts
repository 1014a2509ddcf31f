export const title = "New list";
export const name = "Name";
export const namePlaceholder = "e.g. Newsletter";
export const id = "Id";
export const idHint =
  "Only if programs already contain an id for this list. Otherwise the next free one is used.";
export const notAnId = "Must be a whole number.";
export const create = "Create the list";
export const created = (list: string): string => `The list “${list}” was created.`;
