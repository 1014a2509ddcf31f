export const change = "Change";
export const newKey = "New DKIM key";
export const remove = "Delete";
export const actions = "More actions";
export const details = "Details";
export const fromAddress = "From address";
export const replyTo = "Replies go to";
export const toFrom = "The From address";
export const postalAddress = "Postal address";
export const relays = "Relays";
export const bounces = "Bounces go to";
export const dkim = (domain: string, selector: string): string => `${domain}, selector ${selector}`;
export const signedBy = "Signed by";
export const limits = "Limits";
export const noLimits = "None";
export const perSecond = (count: string): string => `${count} per second`;
export const perDomainMinute = (count: string): string => `${count} per minute to one domain`;
export const perDay = (count: string): string => `${count} per day`;

export const records = "DNS records";
export const recordsHint =
  "Add these records where your domain is managed. Those for SPF and MX are suggestions: ask the provider of your relay.";
export const record = (subject: string): string => `${subject} record`;
export const name = "Name";
export const value = "Value";

export const check = "Check now";
export const checkAgain = "Check again";
export const checkTitle = "Check";
export const checkHint =
  "Looks up these records in the DNS, and logs in to the relays. It takes a few seconds; nothing is sent.";
export const checkedAt = "Checked";
export const allFine = "Everything is in place";
export const fineWithNote = "Nothing is missing or wrong; there is something to note";
export const notFine = "Not everything is in place yet";
export const found = "Found";
export const toAdd = (type: string): string => `Add this ${type} record`;
