export const title = "Tokens";
export const othersTitle = "Tokens of other users";
export const others = "They are on the page of each user, where you can revoke them.";
export const toUsers = "Go to the users";
