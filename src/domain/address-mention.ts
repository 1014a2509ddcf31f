/**
 * Whether a text names an address, however it is spelt: what was refused is kept in the caller's own words.
 * Every step is linear in the text and there are at most four of them, because each refused call of an
 * account is looked through.
 */
import { type Address, parseDomain } from "./address.ts";

/** How often a text is decoded: a link within a link within a link. */
const DECODINGS = 3;

/** Whether the arguments of a call, as JSON, name the address: by itself or within a text. */
export function mentions(args: string, address: Address): boolean {
  let text = withAsciiForms(args.replace(BACKSLASH, unescaped));
  for (let decodings = 0; ; decodings += 1) {
    if (names(text, address)) return true;
    if (decodings === DECODINGS) return false;
    const decoded = withAsciiForms(text.replace(BACKSLASH, unescaped).replace(PERCENT, percentDecoded));
    if (decoded === text) return false;
    text = decoded;
  }
}

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

/**
 * Full-width letters and other forms of ASCII characters as these (Unicode's compatibility forms, NFKC).
 * Character by character: normalising a whole text takes more than linear time where it has long runs of
 * combining marks.
 */
const withAsciiForms = (text: string): string =>
  text.replace(NOT_ASCII, (character) => asciiForms().get(character) ?? character);
const NOT_ASCII = /[^\0-\x7f]/gu;

let forms: ReadonlyMap<string, string> | null = null;
/** Made when somebody is first looked for. */
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
 * Where a domain with other characters may end: text may stand right behind it, in brackets or without a
 * space.
 */
const INTERNATIONAL_DOMAINS = [
  /^[a-z0-9.\-\u0080-\u{10ffff}]+/iu,
  /^(?:[a-z0-9.\u3002-]|(?!\p{P})[\u0080-\u{10ffff}])+/iu,
];
/**
 * What goes on with an address towards its start, as in x.ada or o'ada; a quote by itself may well be around
 * one.
 */
const GOES_ON = /[a-z0-9._%+-]'?$/i;
const LONGEST = 254;

/** Whether the text has the address as it stands, in any letter case, the domain in Unicode or in ASCII. */
function names(text: string, { key, domain }: Address): boolean {
  const local = key.slice(0, key.lastIndexOf("@"));
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const start = at - local.length;
    if (start < 0 || text.slice(start, at).toLowerCase() !== local) continue;
    if (GOES_ON.test(text.slice(Math.max(start - 2, 0), start))) continue;
    const rest = text.slice(at + 1, at + 1 + LONGEST);
    const [host = ""] = DOMAIN.exec(rest) ?? [];
    if (domainOf(host) === domain) return true;
    if (rest.charCodeAt(host.length) < 0x80) continue;
    if (INTERNATIONAL_DOMAINS.some((form) => domainOf(form.exec(rest)?.[0] ?? "") === domain)) return true;
  }
  return false;
}
/** Without the full stop or comma behind it. */
const domainOf = (host: string): string | null => parseDomain(host.replace(/[^\p{L}\p{N}]+$/u, ""));
