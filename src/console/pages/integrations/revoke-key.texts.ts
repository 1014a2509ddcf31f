import { quoted } from "#html/names.ts";

export const title = (key: string): string => `Revoke ${key}`;
export const question = (key: string): string => `Revoke the key ${quoted(key)}?`;
export const DAYS = 7;
export const affected = (calls: string): string => `About ${calls} calls a day stop working`;
export const few = "Less than one call a day stops working";
export const notUsed = "No program has called with this key in the last 7 days";
export const programs = (names: string): string => `These programs called in the last 7 days: ${names}.`;
export const more = (count: string): string => ` and ${count} more`;
export const fault =
  "Within a second, every call with this key gets the fault InvalidApiKey. Such calls change nothing and are not recorded.";
export const dataStays = "People, lists and history stay as they are.";
export const noWayBack =
  "This cannot be undone. The programs then need a new key: create it first, and change the programs.";
export const confirm = "Revoke the key";
export const keep = "Cancel";
export const newFirst = "Create a new key first";
export const done = (key: string): string => `The key ${quoted(key)} is revoked.`;
export const already = "This key is already revoked.";
