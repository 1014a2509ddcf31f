export const title = "Unsubscribe";
export const whatHappens = "What happens";
export const affected = (email: string): string => `1 person: ${email}`;
export const consequences = [
  "The person gets no mail of this account any more, from any list.",
  "Programs and imports cannot add the address again.",
  "The memberships are kept. If you reactivate the person with a reason, they return.",
];
export const confirm = "Unsubscribe";
export const cancel = "Cancel";
export const done = "The person is unsubscribed from all lists.";
