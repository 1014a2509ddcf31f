/** Yes and no in the languages of tables. */
import { bareName } from "../table/known-headings.ts";

const yes = [
  ...["yes", "y", "true", "on", "sí", "si", "s", "sim", "ja", "j", "oui"],
  ...["verdadero", "verdadeiro", "wahr", "vrai", "vero", "waar", "x", "✓", "✔"],
];
const no = [...["no", "n", "false", "off", "não", "nein", "non", "nee", "falso", "falsch", "faux", "onwaar"]];

export const yesNo: ReadonlyMap<string, "true" | "false"> = new Map([
  ...yes.map((word) => [bareName(word), "true"] as const),
  ...no.map((word) => [bareName(word), "false"] as const),
]);
/** null: neither. */
export function isYes(text: string): boolean | null {
  const word = yesNo.get(bareName(text.trim()));
  if (word !== undefined) return word === "true";
  return text.trim() === "1" ? true : text.trim() === "0" ? false : null;
}
