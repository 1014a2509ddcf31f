/**
 * The words of the domain (`refused call`, `UnknownList`) as JSON has them: in camelCase, like
 * the names of its members.
 */
import { OneOf } from "./schemas.ts";

export type Camel<Word extends string> = Word extends `${infer First}-${infer Rest}`
  ? `${Uncapitalize<First>}${Capitalize<Camel<Rest>>}`
  : Word extends `${infer First} ${infer Rest}`
    ? `${Uncapitalize<First>}${Capitalize<Camel<Rest>>}`
    : Uncapitalize<Word>;

export const camel = <const Word extends string>(word: Word): Camel<Word> =>
  word
    .replaceAll(/[- ](\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^\w/, (letter) => letter.toLowerCase()) as Camel<Word>;

/** One of some words of the domain. */
export const OneOfCamel = <const Words extends readonly string[]>(words: Words, description?: string) =>
  OneOf(
    words.map((word: Words[number]) => camel(word)),
    description,
  );

/** The word of the domain in a request that has been validated. */
export function readCamel<const Words extends readonly string[]>(
  words: Words,
  given: Camel<Words[number]>,
): Words[number] {
  const word = words.find((one) => camel(one) === given);
  if (word === undefined) throw new Error(`${given} is none of ${words.join(", ")}`);
  return word;
}
