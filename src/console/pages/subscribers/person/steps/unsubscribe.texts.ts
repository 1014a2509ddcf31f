export const title = "Unsubscribe";
export const question = (email: string): string => `Unsubscribe ${email}?`;
export const affected = "1 person";
export const consequences = [
  "The person gets no more mail from this account, from any list.",
  "Programs and imports cannot add the address again.",
  "The memberships are kept but suspended. Reactivating the person restores them.",
];
export const confirm = "Unsubscribe";
export const cancel = "Cancel";
export const done = "The person is unsubscribed from all lists.";
