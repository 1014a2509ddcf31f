/**
 * Translates yes, no and genders of other languages into the words of the service. Ambiguous single letters
 * (H and V are men in Spanish, V is a woman in Dutch) are not translated, and so rejected.
 */
import type { DataType } from "#domain/field/field.ts";
import { bareName } from "../table/headings.ts";

const yes = [
  ...["yes", "y", "true", "on", "sí", "si", "s", "sim", "ja", "j", "oui"],
  ...["verdadero", "verdadeiro", "wahr", "vrai", "vero", "waar"],
];
const no = [...["no", "n", "false", "off", "não", "nein", "non", "nee", "falso", "falsch", "faux", "onwaar"]];
const men = [
  ...["male", "man", "hombre", "varón", "masculino", "homem", "männlich", "maennlich", "mann", "herr"],
  ...["homme", "masculin", "maschio", "uomo", "maschile", "mannelijk", "mr", "señor", "monsieur"],
];
const women = [
  ...["female", "woman", "mujer", "femenino", "femenina", "mulher", "feminino", "weiblich", "w", "frau"],
  ...["femme", "féminin", "femmina", "donna", "femminile", "vrouw", "vrouwelijk", "mrs", "ms", "madame"],
  "señora",
];
const others = ["divers", "d", "diverse", "non-binary", "nonbinary", "other"];

const pairs = (words: readonly string[], meant: string): readonly (readonly [string, string])[] =>
  words.map((word) => [bareName(word), meant] as const);
const yesNo = new Map([...pairs(yes, "true"), ...pairs(no, "false")]);
const genders = new Map([...pairs(men, "M"), ...pairs(women, "F"), ...pairs(others, "X")]);
const byType: Partial<Readonly<Record<DataType, ReadonlyMap<string, string>>>> = {
  BOOLEAN: yesNo,
  CONSENT: yesNo,
  PERMISSION: yesNo,
  GDPR: yesNo,
  GENDER: genders,
};
/** Longer than any word. */
const MAX_LENGTH = 32;

/** The service's word for it; any other text is returned unchanged. */
export const plainWord = (type: DataType, text: string): string =>
  (text.length <= MAX_LENGTH ? byType[type]?.get(bareName(text)) : undefined) ?? text;
