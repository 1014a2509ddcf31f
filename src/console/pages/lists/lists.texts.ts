export const title = "Lists";
export const description = "Each list has its own members. A person can be on several.";
export const newList = "New list";
export const list = "List";
export const members = "Active members";
export const joined = "Joined in 30 days";
export const left = "Left in 30 days";
export const created = "Created";
export const deleting = "Being deleted";
export const shown = (count: string): string => (count === "1" ? "1 list" : `${count} lists`);
export const emptyTitle = "No lists yet";
export const empty = "A list holds the people who get the same mail, such as a newsletter.";
export const emptyViewer =
  "A list holds the people who get the same mail. A user with the role editor can create one.";
export const createFirst = "Create a list";
