/**
 * Java programs of old (Axis 1.x) write a character beyond U+FFFF as references to its two UTF-16 halves, which XML
 * forbids: "&#xD83D;&#xDE00;" for 😀. What is meant is beyond doubt, and those programs will not change.
 */
const PAIR = /&#(x0*[dD][89abAB][\da-fA-F]{2}|5[56]\d{3});&#(x0*[dD][c-fC-F][\da-fA-F]{2}|5[67]\d{3});/g;

/** The text with each such pair as the character that it means; a half on its own stays what it is, an error. */
export function joinSurrogateReferences(text: string): string {
  return text.replace(PAIR, (pair, high: string, low: string) => {
    const [first, second] = [unitOf(high), unitOf(low)];
    const isPair = first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
    return isPair ? String.fromCharCode(first, second) : pair;
  });
}

/** "xD83D" or "55357". */
const unitOf = (reference: string): number => Number(reference.startsWith("x") ? `0${reference}` : reference);
