/** Shows progress: on a terminal a line that replaces itself, elsewhere a new line every ten seconds. */
import { oneLine, shorten } from "./terminal-text.ts";

const REPLACED_AFTER_MS = 100;
const REPEATED_AFTER_MS = 10_000;
const ERASE_TO_END = "\u001b[K";

/** `columns` is null without a terminal. A line of null removes the last one. */
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
