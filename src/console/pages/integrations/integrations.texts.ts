import type { Scope } from "#domain/access/key.ts";

export const title = "Integrations";
export const description =
  "Programs call the SOAP interface with an API key. Give each program its own key, to see what it does and to revoke it separately.";
export const newKey = "New key";
export const emptyTitle = "No program is connected yet";
export const empty =
  "Create an API key and hand it to the developer of your shop or form, with a program that is ready to run.";
export const emptyViewer = "An owner of the account can create an API key for a program.";
export const createFirst = "Create an API key";

export const key = "Key";
export const programs = "Programs";
export const lastCall = "Last call";
export const calls = "Calls in 30 days";
export const perDay = "Per day";
export const refused = "Refused";
export const faults = "Faults";
export const none = "none yet";
export const moreKeys = (count: string, isOne: boolean): string => (isOne ? "1 key" : `${count} keys`);
export const morePrograms = (count: string): string => `and ${count} more`;
export const chart = (calls: string, bad: string): string =>
  `Calls per day: ${calls} in 30 days, of which ${bad} were refused or failed.`;

export const works = "Active";
export const revoked = "Revoked";
export const revokedAt = "Revoked on";
export const expired = "Expired";
export const expires = (when: string): string => `Expires ${when}`;
export const never = "never";
export const scopes: Readonly<Record<Scope, string>> = { full: "Read and write", read: "Read only" };

export const tokensTitle = "Scripts use tokens";
export const tokens =
  "A key belongs to the account and is for programs that call the SOAP interface. A token is for scripts that use the JSON API: it acts as a user, with at most the role of that user.";
export const tokensLink = "Tokens";
