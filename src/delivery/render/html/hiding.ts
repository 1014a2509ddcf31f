/**
 * Whether the style of an element hides it. Mail programs read styles as browsers do, so entities, comments
 * and escapes are resolved first. It knows what templates use and what authors try; a colour, a media query
 * or another element on top are not seen.
 */
import { resolveEntities } from "./entities.ts";
import { type Attribute, attributesAt } from "./scan.ts";

export interface Hiding {
  readonly isHidden: boolean;
  /** Whether its text is too small to be read; null: as in the element around it. */
  readonly hasTinyText: boolean | null;
  /** At most 1 × 1 pixels: of an image. */
  readonly isTiny: boolean;
}
const nothing: Hiding = { isHidden: false, hasTinyText: null, isTiny: false };

/** Off the screen, in pixels. */
const FAR = 999;
/** Below it, nobody sees anything. */
const LEAST_OPACITY = 0.1;

const COMMENT = /\/\*.*?(?:\*\/|$)/gs;
const ESCAPE = /\\(?:([\da-f]{1,6})\s?|([^\n]))/gi;

/** CSS without comments and escapes. */
export const resolveEscapes = (css: string): string =>
  css
    .replaceAll(COMMENT, "")
    .replaceAll(ESCAPE, (_, hex?: string, character?: string) =>
      hex === undefined
        ? (character ?? "")
        : String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff)),
    );

/** Declarations in order: those with !important last. */
function declarationsOf(style: string): readonly (readonly [string, string])[] {
  const css = resolveEscapes(resolveEntities(style)).toLowerCase();
  const found = css.split(";").map((declaration) => {
    const colon = declaration.indexOf(":");
    const name = colon === -1 ? "" : declaration.slice(0, colon).trim();
    const [value = "", flag = ""] = declaration.slice(colon + 1).split("!");
    return { name, value: value.trim(), isImportant: flag.trim() === "important" };
  });
  return [...found.filter((one) => !one.isImportant), ...found.filter((one) => one.isImportant)].map(
    ({ name, value }) => [name, value] as const,
  );
}

const NUMBER = /(?<![\w#.])([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(%|[a-z]*)/g;
/** About how many pixels a unit has. */
const pixels: Readonly<Record<string, number>> = {
  ...{ "": 1, px: 1, pt: 1.33, pc: 16, in: 96, cm: 38, mm: 3.8, q: 0.9, em: 16, rem: 16, ex: 8, ch: 8 },
  ...{ "%": 10, vw: 10, vh: 10, vmin: 10, vmax: 10 },
};
interface Length {
  readonly number: number;
  readonly unit: string;
  readonly pixels: number;
}
const lengthsIn = (value: string): readonly Length[] =>
  [...value.matchAll(NUMBER)].map(([, number = "", unit = ""]) => ({
    ...{ number: Number(number), unit, pixels: Number(number) * (pixels[unit] ?? 16) },
  }));

const isFarOff = (value: string): boolean =>
  lengthsIn(value).some((length) => Math.abs(length.pixels) >= FAR);
/** At most 1 px; of a percentage, only 0. */
const isNoSize = (value: string): boolean => {
  const [length, ...more] = lengthsIn(value);
  if (length === undefined || more.length > 0) return false;
  return length.unit === "%" ? length.number === 0 : length.pixels <= 1;
};
const isFaint = (value: string): boolean => {
  const [length] = lengthsIn(value);
  if (length === undefined) return false;
  return (length.unit === "%" ? length.number / 100 : length.number) < LEAST_OPACITY;
};
const argumentsOf = (value: string, functions: RegExp): readonly string[] =>
  [...value.matchAll(functions)].map(([, given = ""]) => given);
const isNearZero = ({ number }: Length): boolean => Math.abs(number) < LEAST_OPACITY;
const shrinks = (value: string): boolean =>
  argumentsOf(value, /scale\w{0,2}\(([^()]*)/g).some((given) => lengthsIn(given).some(isNearZero)) ||
  argumentsOf(value, /matrix\w{0,2}\(([^()]*)/g).some((given) =>
    lengthsIn(given).slice(0, 1).some(isNearZero),
  );
const movesAway = (value: string): boolean =>
  argumentsOf(value, /translate\w{0,2}\(([^()]*)/g).some(isFarOff);
const isSet = (value: string): boolean => !/^(?:auto|none|inherit|initial|unset|revert)?$/.test(value);

const hidingValues: Readonly<Record<string, (value: string) => boolean>> = {
  display: (value) => /^(?:none|table-column(?:-group)?)$/.test(value),
  visibility: (value) => /^(?:hidden|collapse)$/.test(value),
  "content-visibility": (value) => value === "hidden",
  "mso-hide": (value) => value === "all",
  opacity: isFaint,
  filter: (value) => argumentsOf(value, /opacity\s*[(=]\s*([\d.%]+)/g).some(isFaint),
  clip: isSet,
  "clip-path": isSet,
  "-webkit-clip-path": isSet,
  transform: (value) => shrinks(value) || movesAway(value),
  "-webkit-transform": (value) => shrinks(value) || movesAway(value),
  scale: (value) => lengthsIn(value).some(isNearZero),
  zoom: isFaint,
  translate: isFarOff,
  "text-indent": isFarOff,
};
const OFFSET = /^(?:left|right|top|bottom|inset.*|margin.*)$/;
const SIZE = /^(?:max-)?(?:height|width)$/;
const OVERFLOW = /^overflow(?:-[xy])?$/;

/** Of a font-size; null: as in the element around it. */
function isTinySize(value: string): boolean | null {
  const lengths = lengthsIn(value);
  // medium, inherit, larger
  if (lengths.length === 0) return /^(?:x*-?(?:small|large)|medium)$/.test(value) ? false : null;
  if (lengths.every(({ unit, number, pixels: size }) => (unit === "%" ? number / 6 : size) <= 1)) return true;
  // Of the size around it.
  return lengths.every(({ unit }) => unit === "em" || unit === "%" || unit === "ex") ? null : false;
}
/** Of a font: the size is the first length, which a line height may follow. */
function isTinyFont(value: string): boolean | null {
  const size = /(?:^|\s)((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?:[a-z]+|%)?)(?:\s*\/|\s+[^\d\s])/.exec(
    // A weight has no unit.
    value.replaceAll(/(?:^|\s)[1-9]\d{2,3}(?=\s)/g, " "),
  )?.[1];
  return size === undefined ? null : isTinySize(size);
}

function ofStyle(style: string): Hiding {
  let isHidden = false;
  let hasTinyText: boolean | null = null;
  let clips = false;
  let hasNoSize = false;
  const tinySides = new Set<string>();
  for (const [name, value] of declarationsOf(style)) {
    if (Object.hasOwn(hidingValues, name) && hidingValues[name]?.(value) === true) isHidden = true;
    else if (OFFSET.test(name) && isFarOff(value)) isHidden = true;
    else if (OVERFLOW.test(name)) clips ||= /hidden|clip/.test(value);
    else if (SIZE.test(name) && isNoSize(value)) {
      hasNoSize = true;
      tinySides.add(name.replace("max-", ""));
    } else if (name === "font-size") hasTinyText = isTinySize(value);
    else if (name === "font") hasTinyText = isTinyFont(value);
  }
  return { isHidden: isHidden || (clips && hasNoSize), hasTinyText, isTiny: tinySides.size > 0 };
}

function ofTag(tag: string): Hiding {
  // Browsers use the first of two attributes with the same name.
  const attributes = new Map<string, Attribute>();
  for (const attribute of attributesAt(tag, 0))
    if (!attributes.has(attribute.name)) attributes.set(attribute.name, attribute);
  const style = attributes.get("style")?.value;
  const found = style === undefined ? nothing : ofStyle(style);
  const isTiny = ["width", "height"].some((name) => {
    const size = attributes.get(name)?.value.trim();
    return size !== undefined && /^[+]?0*[01](?:\.\d*)?(?:px)?$/.test(size);
  });
  return { ...found, isHidden: found.isHidden || attributes.has("hidden"), isTiny: found.isTiny || isTiny };
}

/** The tags of a campaign are the same in most messages. */
const MAX_KNOWN = 2000;
/** A longer one is looked at in each message: it may be as long as the message. */
const MAX_KNOWN_LENGTH = 1000;
const known = new Map<string, Hiding>();
const MAY_HIDE = /style|hidden|width|height/i;

/** Of the start tag at this position. */
export function hidingOf(html: string, from: number, to: number): Hiding {
  // Shorter than ` style=""`
  if (to - from < 10) return nothing;
  const tag = html.slice(from, to);
  if (!MAY_HIDE.test(tag)) return nothing;
  const found = known.get(tag);
  if (found !== undefined) return found;
  const hiding = ofTag(tag);
  if (tag.length > MAX_KNOWN_LENGTH) return hiding;
  if (known.size >= MAX_KNOWN) known.clear();
  // A copy: a part of a string keeps the whole message in memory.
  known.set(` ${tag}`.slice(1), hiding);
  return hiding;
}
