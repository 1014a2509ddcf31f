/** The characters between the columns of CSV files, as words. */
import { OneOf } from "./schemas.ts";

export const separators = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;
export type SeparatorWord = keyof typeof separators;

const words = Object.keys(separators) as readonly SeparatorWord[];
export const Separator = (description: string) => OneOf(words, description);

/** null: another character, which the file itself declares. */
export const separatorWord = (character: string): SeparatorWord | null =>
  words.find((word) => separators[word] === character) ?? null;
