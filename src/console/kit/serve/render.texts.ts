/** What the frame of the console says. */
export const api = "API reference";
export const soap = "SOAP reference";
export const search = "Find an address, list, campaign, key or refused call";
export const me = "Your account";
export const signOut = "Sign out";
export const noAccount = "Choose an account";
export const accounts = "Accounts";
export const allAccounts = "All accounts";
export const administration = "Administration";
export const installation = "Installation";
export const home = "Go to the overview";
