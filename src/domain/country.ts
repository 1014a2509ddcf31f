/** Countries of ISO 3166-1, kept as alpha-2. */
import iso from "iso-3166-1";
import { wordOf } from "./text.ts";

export function countryOfNumber(numeric: number): string | null {
  return iso.whereNumeric(String(numeric).padStart(3, "0"))?.alpha2 ?? null;
}

/** Of a country as it is kept. */
export const countryNumberOf = (alpha2: string): number | null => {
  const numeric = iso.whereAlpha2(alpha2)?.numeric;
  return numeric === undefined ? null : Number(numeric);
};

/** All of them, as they are kept. */
export const countries: readonly string[] = iso.all().map(({ alpha2 }) => alpha2);

/** Alpha-2, alpha-3 or numeric, any case. */
export function parseCountry(text: string): string | null {
  const code = wordOf(text).toUpperCase();
  if (/^\d{1,3}$/.test(code)) return countryOfNumber(Number(code));
  if (/^[A-Z]{2}$/.test(code)) return iso.whereAlpha2(code)?.alpha2 ?? null;
  if (/^[A-Z]{3}$/.test(code)) return iso.whereAlpha3(code)?.alpha2 ?? null;
  return null;
}
