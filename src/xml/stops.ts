/** Stop characters of scans: a table of ASCII for each kind of text that may be long. */
import { isCharacter } from "./characters.ts";

export type Stops = Uint8Array;
export const PLAIN = 0;
export const STOP = 1;
/** Not a stop, but the end of a line. */
export const LINE_FEED = 2;
export const CARRIAGE_RETURN = 3;
/** A surrogate pair. */
export const PAIR = 4;
export const FORBIDDEN = 5;

export const stopsAt = (characters: string): Stops =>
  Uint8Array.from({ length: 128 }, (_, code) => {
    const character = String.fromCharCode(code);
    if (characters.includes(character)) return STOP;
    if (character === "\n") return LINE_FEED;
    if (character === "\r") return CARRIAGE_RETURN;
    return isCharacter(code) ? PLAIN : FORBIDDEN;
  });
