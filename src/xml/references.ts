/** What a reference stands for: "&amp;", "&#38;", "&#x26;". There are no others without a document type. */
import { isCharacter, isHighHalf, isLowHalf } from "./characters.ts";

const DECIMAL = /^#\d+$/;
const SMALL_X = 0x78;

/** The code that is meant, half a character included; NaN where it is no number. */
function codeOf(body: string): number {
  if (body.startsWith("#") && body.charCodeAt(1) === SMALL_X) return Number(`0x${body.slice(2)}`);
  return DECIMAL.test(body) ? Number(body.slice(1)) : Number.NaN;
}

/** Of what is between "&" and ";". null: nothing that XML knows. */
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
 * Java programs of old (Axis 1.x) write a character beyond U+FFFF as references to its two UTF-16 halves, which XML
 * forbids: "&#xD83D;&#xDE00;" for 😀. What is meant is beyond doubt, and those programs will not change.
 */
export function referencedInHalves(high: string, low: string): string | null {
  const [first, second] = [codeOf(high), codeOf(low)];
  return isHighHalf(first) && isLowHalf(second) ? String.fromCharCode(first, second) : null;
}
