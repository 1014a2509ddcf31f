/**
 * Java programs of old (Axis 1.x) write a character beyond U+FFFF as references to its two UTF-16 halves, which XML
 * forbids: "&#xD83D;&#xDE00;" for 😀. What is meant is beyond doubt, and those programs will not change.
 */
const HIGH = String.raw`x0{0,8}[dD][89abAB][\da-fA-F]{2}|5529[6-9]|55[3-9]\d\d|56[0-2]\d\d|563[01]\d`;
const LOW = String.raw`x0{0,8}[dD][c-fC-F][\da-fA-F]{2}|563[2-9]\d|56[4-9]\d\d|57[0-2]\d\d|573[0-3]\d|5734[0-3]`;
const PAIR = new RegExp(`&#(${HIGH});&#(${LOW});`, "g");
/** What a pair may begin with, at the end of a slice. */
const BEGUN = new RegExp(String.raw`(?:&#(?:${HIGH});)?(?:&(?:#(?:x[\da-fA-F]{0,12}|\d{0,5}))?)?$`);

/** The text with each such pair as the character that it means; a half on its own stays what it is, an error. */
export const joinSurrogateReferences = (text: string): string =>
  text.replace(PAIR, (_pair, high: string, low: string) => String.fromCharCode(unitOf(high), unitOf(low)));

/** The same, of a text in slices, whose cuts may go through pairs. As many slices come out, of the same text. */
export function* joinInSlices(slices: readonly string[]): Generator<string> {
  let kept = "";
  for (const [index, slice] of slices.entries()) {
    const text = kept + slice;
    const end = index === slices.length - 1 ? text.length : text.search(BEGUN);
    kept = text.slice(end);
    yield joinSurrogateReferences(text.slice(0, end));
  }
}

/** "xD83D" or "55357". */
const unitOf = (reference: string): number => Number(reference.startsWith("x") ? `0${reference}` : reference);
