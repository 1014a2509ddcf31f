/** XML white space: space, tab, line feed, carriage return. A no-break space is text. */
import { isSpace } from "./characters.ts";

export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return to - from === text.length ? text : text.slice(from, to);
}
