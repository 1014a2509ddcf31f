/** Country names in the supported languages, from the Unicode locale data. */
import { parseCountry } from "#domain/country.ts";
import { bareName } from "../table/headings.ts";

const languages = ["en", "es", "pt", "de", "fr", "it", "nl"];
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

let codes: ReadonlyMap<string, string> | null = null;

/** Built on first use. A name of two countries is left out. */
function codesByName(): ReadonlyMap<string, string> {
  if (codes !== null) return codes;
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  const known = letters
    .flatMap((a) => letters.map((b) => a + b))
    .filter((code) => parseCountry(code) === code);
  for (const language of languages) {
    const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of known) {
      const name = bareName(names.of(code) ?? "");
      if ((found.get(name) ?? code) !== code) ambiguous.add(name);
      found.set(name, code);
    }
  }
  for (const name of ["", ...ambiguous]) found.delete(name);
  codes = found;
  return found;
}

/** Longer than any name. */
const MAX_LENGTH = 100;

/** The code of a country by its name; any other text is returned unchanged. */
export const countryCode = (text: string): string =>
  text.length > MAX_LENGTH ? text : (codesByName().get(bareName(text)) ?? text);
