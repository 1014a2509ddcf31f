export const title = (list: string): string => `Rename “${list}”`;
export const name = "Name";
export const hint = "Its id stays the same. Campaigns that were recorded for the list keep its old name.";
export const save = "Save";
export const renamed = (list: string): string => `The list is now called “${list}”.`;
