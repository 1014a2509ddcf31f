/** Stop characters of scans: a table of ASCII for each kind of text that may be long. */
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

/** XML white space: space, tab, line feed, carriage return. A no-break space is text. */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return to - from === text.length ? text : text.slice(from, to);
}

// The character classes of XML 1.0 (fifth edition).

const BY_LETTER = /[A-Za-z_:]/;
const BY_DIGIT = /[-.0-9]/;

const START = 1;
const PART = 2;
/** For each ASCII character: not in a name, in a name, or also at its start. */
const inName = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (BY_LETTER.test(character)) return START | PART;
  return BY_DIGIT.test(character) ? PART : 0;
});

export const isNameStart = (code: number): boolean =>
  code < 128 ? ((inName[code] ?? 0) & START) !== 0 : isNameStartBeyondAscii(code);

export const isNamePart = (code: number): boolean =>
  code < 128
    ? inName[code] !== 0
    : code === 0xb7 ||
      (code >= 0x300 && code <= 0x36f) ||
      code === 0x203f ||
      code === 0x2040 ||
      isNameStartBeyondAscii(code);

const isNameStartBeyondAscii = (code: number): boolean =>
  (code >= 0xc0 && code <= 0x2ff && code !== 0xd7 && code !== 0xf7) ||
  (code >= 0x370 && code <= 0x1fff && code !== 0x37e) ||
  code === 0x200c ||
  code === 0x200d ||
  (code >= 0x2070 && code <= 0x218f) ||
  (code >= 0x2c00 && code <= 0x2fef) ||
  (code >= 0x3001 && code <= 0xd7ff) ||
  (code >= 0xf900 && code <= 0xfdcf) ||
  (code >= 0xfdf0 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0xeffff);

/** Takes a code point from a reference; surrogates are not characters. */
export const isCharacter = (code: number): boolean =>
  code < 0x20
    ? code === 0x9 || code === 0xa || code === 0xd
    : code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);

export const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0xa || code === 0x9 || code === 0xd;

export const isHighHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
export const isLowHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Character codes of markup. */
export const LF = 0xa;
export const CR = 0xd;
export const EXCLAMATION = 0x21;
export const DOUBLE_QUOTE = 0x22;
export const HASH = 0x23;
export const AMPERSAND = 0x26;
export const SINGLE_QUOTE = 0x27;
export const HYPHEN = 0x2d;
export const SLASH = 0x2f;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const LESS = 0x3c;
export const EQUALS = 0x3d;
export const GREATER = 0x3e;
export const QUESTION = 0x3f;
export const BRACKET = 0x5d;
