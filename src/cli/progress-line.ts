/** How far something is, told on the way: a line that replaces itself on a terminal, elsewhere one now and then. */
import { oneLine, shorten } from "./terminal-text.ts";

const REPLACED_AFTER_MS = 100;
const REPEATED_AFTER_MS = 10_000;
const ERASE_TO_END = "\u001b[K";

/** `columns` is null where there is no terminal. A line of null takes the last one away. */
export function progressLine(
  write: (text: string) => void,
  columns: () => number | null,
  now: () => number = () => performance.now(),
): (line: string | null) => void {
  let saidAt = now();
  let isShown = false;
  return (line) => {
    const width = columns();
    if (line === null) {
      if (isShown) write(`\r${ERASE_TO_END}`);
      isShown = false;
      return;
    }
    if (now() - saidAt < (width === null ? REPEATED_AFTER_MS : REPLACED_AFTER_MS)) return;
    saidAt = now();
    isShown = width !== null;
    write(width === null ? `${oneLine(line)}\n` : `\r${shorten(oneLine(line), width - 1)}${ERASE_TO_END}`);
  };
}
