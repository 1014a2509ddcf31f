import { quoted } from "#html/names.ts";

export const title = (called: string): string => `Verify ${quoted(called)}`;
export const description =
  "Counts the recipients again, and compares the numbers: each selected recipient must be in exactly one state.";
export const balanced = "The numbers add up";
export const notBalanced = "The numbers do not add up. Please report it, with this page";
export const purged =
  "The results of single recipients are no longer stored, so only the totals are compared.";
export const state = "State";
export const counter = "Counter";
export const counted = "Counted now";
export const sum = "Sum";
export const selected = "Selected";
