import { SHORT_KEY_LENGTH } from "#domain/access/key.ts";

export const change = "Change";
export const revoke = "Revoke";
export const range = "Range";
export const days = (count: number): string => `${count} days`;

export const calls = "Calls";
export const refused = "Refused";
export const faults = "Faults";
export const lastCall = "Last call";
export const never = "never";
export const perDay = (average: string): string => `${average} a day`;
export const share = (share: string): string => `${share} of the calls`;
export const seeRefused = "See them";

export const callsChart = "Calls per day";
export const troubleChart = "Refused calls and faults per day";
export const day = "Day";
export const noCalls = "No program has called with this key in this time.";
export const noTrouble = "No call was refused, and none failed.";

export const programs = "Programs";
export const programsHint =
  "By the User-Agent header of their calls. Days are in UTC. New calls appear after a few seconds.";
export const program = "Program";
export const lastDay = "Last day with a call";
export const morePrograms = (shown: string, all: string): string =>
  `The ${shown} with the most calls, of ${all}.`;

export const details = "Details";
export const hint = "Begins with";
export const scope = "Access";
export const created = "Created";
export const expires = "Expires";

export const notUsed = "No program has used this key yet";
export const notUsedHint =
  "If a program should have, check its address and its key. Calls with a wrong key are not counted here.";
export const short = `This key has fewer than ${SHORT_KEY_LENGTH} characters and may be guessed`;
export const shortHint = "Create a new key, give it to the programs that use this one, then revoke this one.";
export const expired = "This key has expired: calls with it get the fault InvalidApiKey";
export const expiredHint = "An owner of the account can set another date.";
export const revoked = "This key is revoked: calls with it get the fault InvalidApiKey";
export const seen = (when: string): string => `Last seen ${when}`;
