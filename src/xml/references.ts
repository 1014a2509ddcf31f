/** Resolves references: "&amp;", "&#38;", "&#x26;". There are no others without a document type. */
import { isCharacter, isHighHalf, isLowHalf } from "./characters.ts";

const DECIMAL = /^#\d+$/;
const SMALL_X = 0x78;

/** The code unit or code point, surrogates included; NaN if it is not a number. */
function codeOf(body: string): number {
  if (body.startsWith("#") && body.charCodeAt(1) === SMALL_X) return Number(`0x${body.slice(2)}`);
  return DECIMAL.test(body) ? Number(body.slice(1)) : Number.NaN;
}

/** Takes what is between "&" and ";". null: not a reference that XML defines. */
export function referenced(body: string): string | null {
  switch (body) {
    case "amp":
      return "&";
    case "lt":
      return "<";
    case "gt":
      return ">";
    case "quot":
      return '"';
    case "apos":
      return "'";
    default: {
      const code = codeOf(body);
      return isCharacter(code) ? String.fromCodePoint(code) : null;
    }
  }
}

export const isHalfReferenced = (body: string): boolean => isHighHalf(codeOf(body));

/**
 * Old Java clients (Axis 1.x) write a character beyond U+FFFF as references to its two surrogates, which XML
 * forbids: "&#xD83D;&#xDE00;" for 😀. The meaning is unambiguous, and those clients will not change.
 */
export function referencedInHalves(high: string, low: string): string | null {
  const [first, second] = [codeOf(high), codeOf(low)];
  return isHighHalf(first) && isLowHalf(second) ? String.fromCharCode(first, second) : null;
}
