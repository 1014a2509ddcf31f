/**
 * Finds an address in a text, in any encoding: refused calls are stored as the caller sent them. Every step
 * is linear in the text and the number of steps is bounded, because all refused calls of an account are
 * searched.
 */
import { type Address, parseAddress, parseDomain } from "./address.ts";

/** Maximum number of decodings: a link within a link within a link. */
const DECODINGS = 3;

/** Whether the arguments of a call, as JSON, contain the address: alone or within a text. */
export const containsAddress = (args: string, address: Address): boolean =>
  stringsIn(args).some((value) => isNamedIn(value, address));

function stringsIn(args: string): readonly string[] {
  const found: string[] = [];
  try {
    JSON.parse(args, (_, value: unknown) => {
      if (typeof value === "string") found.push(value);
      return value;
    });
    return found;
  } catch {
    return [args];
  }
}

function isNamedIn(value: string, address: Address): boolean {
  // list=ada@example.org is a different address, although it contains ada@example.org.
  const isAddress = parseAddress(withoutDots(value)) !== null;
  const isNamed = isAddress
    ? (text: string) => [text, withoutDots(text)].some((one) => parseAddress(one)?.key === address.key)
    : (text: string) => names(text, address) || names(text.replace(AT, "@"), address);
  let text = withAsciiForms(value);
  for (let decodings = 0; ; decodings += 1) {
    if (isNamed(text)) return true;
    if (decodings === DECODINGS) return false;
    const spaced = text.replace(FORM_VALUE, (part) => part.replaceAll("+", " "));
    if (spaced !== text && isNamed(decoded(spaced))) return true;
    const next = decoded(text);
    if (next === text) return false;
    text = next;
  }
}

/** An @ with spaces around it, or as people write it for programs that look for one. */
const AT = /\s{0,4}(?:@|\(at\)|\[at\])\s{0,4}/gi;

/**
 * An ellipsis before an address: no mailbox begins with a dot, although HTML's form of addresses allows it.
 */
const withoutDots = (value: string): string => value.trim().replace(/^\.+/, "");

/**
 * A value in form encoding, where a plus sign is a space. There the @ is encoded as well; elsewhere a plus
 * sign belongs to the address.
 */
const FORM_VALUE = /=[^=&\s]*%40[^=&\s]*/gi;

/**
 * Zero-width characters and others that are not shown. Some domains need them, so the text is first searched
 * with them.
 */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;

const decoded = (text: string): string =>
  withAsciiForms(
    text
      .replace(IGNORABLE, "")
      .replace(BACKSLASH, unescaped)
      .replace(PERCENT, percentDecoded)
      .replace(ENTITY, entityDecoded),
  );

/** An escape of JSON, or of JavaScript within it. */
const BACKSLASH = /\\(?:u[\da-f]{4}|.)/gis;
const controls: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
function unescaped(sequence: string): string {
  if (sequence.length > 2) return String.fromCharCode(Number.parseInt(sequence.slice(2), 16));
  const character = sequence.slice(1);
  return controls[character] ?? character;
}

/** The bytes of UTF-8 as links and forms write them. */
const PERCENT = /(?:%[\da-f]{2})+/gi;
const percentDecoded = (run: string): string => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8");

/** A character as HTML writes it by its number, or the @ by its name. */
const ENTITY = /&(?:#(\d{1,6})|#x([\da-f]{1,5})|commat);?/gi;
const entityDecoded = (_: string, decimal?: string, hex?: string): string =>
  String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? "40", 16) : Number(decimal));

/**
 * Full-width letters and other forms of ASCII characters as these (Unicode's compatibility forms, NFKC).
 * Character by character: normalising a whole text takes more than linear time where it has long runs of
 * combining marks.
 */
const withAsciiForms = (text: string): string =>
  text.replace(NOT_ASCII, (character) => asciiForms().get(character) ?? character);
const NOT_ASCII = /[^\0-\x7f]/gu;

let forms: ReadonlyMap<string, string> | null = null;
/** Built on first use. */
function asciiForms(): ReadonlyMap<string, string> {
  if (forms !== null) return forms;
  const found = new Map<string, string>();
  for (let point = 0x80; point <= LAST_FORM; point += 1) {
    const character = String.fromCodePoint(point);
    const normal = character.normalize("NFKC");
    if (normal !== character && ASCII.test(normal)) found.set(character, normal);
  }
  forms = found;
  return found;
}
/** The end of the last block with such forms. */
const LAST_FORM = 0x1_fbff;
const ASCII = /^[ -~]+$/;

const DOMAIN = /^[a-z0-9.-]*/i;
/**
 * Where a domain with other characters may end: text may follow it directly, in brackets or without a space.
 */
const INTERNATIONAL_DOMAINS = [
  /^[a-z0-9.\-\u0080-\u{10ffff}]+/iu,
  /^(?:[a-z0-9.\u3002-]|(?!\p{P})[\u0080-\u{10ffff}])+/iu,
];
const LONGEST = 254;

/** Whether the text contains the address without decoding, ignoring case, the domain in Unicode or ASCII. */
function names(text: string, { key, domain }: Address): boolean {
  const local = key.slice(0, key.lastIndexOf("@"));
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const isQuoted = text[at - 1] === '"';
    const end = isQuoted ? at - 1 : at;
    const start = end - local.length;
    if (start < 0 || text.slice(start, end).toLowerCase() !== local) continue;
    if (isQuoted ? text[start - 1] !== '"' : goesOnBefore(text, start)) continue;
    const rest = text.slice(at + 1, at + 1 + LONGEST);
    const [host = ""] = DOMAIN.exec(rest) ?? [];
    if (domainOf(host) === domain) return true;
    if (rest.charCodeAt(host.length) < 0x80) continue;
    if (INTERNATIONAL_DOMAINS.some((form) => domainOf(form.exec(rest)?.[0] ?? "") === domain)) return true;
  }
  return false;
}

/**
 * Whether the local part begins before `start`, as in x.ada or o'ada. Quotes, dots and underscores by
 * themselves may well be around an address: 'ada, _ada or ...ada.
 */
function goesOnBefore(text: string, start: number): boolean {
  let before = text[start - 1] === "'" ? start - 2 : start - 1;
  while (text[before] === "." || text[before] === "_") before -= 1;
  return /[a-z0-9%+-]/i.test(text[before] ?? "");
}

/** Without the full stop or comma behind it. */
const domainOf = (host: string): string | null => parseDomain(host.replace(/[^\p{L}\p{N}]+$/u, ""));
