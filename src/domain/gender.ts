/** Gender as callers write it, kept as one letter. */

const letters: Readonly<Record<string, Gender>> = { m: "M", male: "M", f: "F", female: "F", x: "X" };
export type Gender = "M" | "F" | "X";

export const parseGender = (text: string): Gender | null => letters[text.trim().toLowerCase()] ?? null;
