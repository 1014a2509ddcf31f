/** Gender as callers write it, stored as one letter. */
import { wordOf } from "../text/text-length.ts";

export const genders = ["M", "F", "X"] as const;
export type Gender = (typeof genders)[number];
const letters = new Map<string, Gender>([
  ["m", "M"],
  ["male", "M"],
  ["f", "F"],
  ["female", "F"],
  ["x", "X"],
]);

export const parseGender = (text: string): Gender | null => letters.get(wordOf(text).toLowerCase()) ?? null;
