import type { Gender } from "#domain/subscriber/gender.ts";

export const genders: Readonly<Record<Gender, string>> = { M: "Male", F: "Female", X: "Other" };
export const yes = "Yes";
export const no = "No";
export const notGiven = "not given";
