export const title = "Lists";
export const description = "Each list has its own members. A person can be on several.";
export const newList = "New list";
export const list = "List";
export const members = "Members";
export const joined = "Joined, 30 days";
export const left = "Left, 30 days";
export const created = "Created";
export const deleting = "Being deleted";
export const shown = (count: string): string => `${count} shown`;
export const emptyTitle = "No lists yet";
export const empty =
  "A list holds the people who get the same mailings, such as a newsletter. Create the first one.";
export const emptyViewer =
  "A list holds the people who get the same mailings. Somebody with the role editor can create one.";
export const createFirst = "Create a list";
