/**
 * The client program of a call: the name and version of a product, cut out of the User-Agent. Callers can
 * send anything there, also an e-mail address or a key, so only what looks like a product is kept; the number
 * of different names is limited elsewhere.
 */

/** Without a User-Agent, or if it names no product; also the programs beyond a limit. */
export const NO_PROGRAM = "(none)";
export const OTHER_PROGRAM = "(other)";

/** What follows can only be a comment. */
const MAX_READ = 300;
const MAX_NAME = 60;

const REST_OF_WORD = "[A-Za-z0-9_.:+-]{0,23}";
/**
 * `PHP-SOAP/7.4.3`, `JAX-WS RI 2.2.9`, `curl`: up to four words, and the first two numbers of a version. What
 * follows must end the word: it may be the middle of an address or of a key.
 */
const PRODUCT = new RegExp(
  `^([A-Za-z0-9]${REST_OF_WORD}(?: [A-Za-z]${REST_OF_WORD}){0,3})` +
    "(?:[/ ]v?(\\d{1,5}(?:\\.\\d{1,5})?))?(?![A-Za-z0-9_@%])",
);
/** Inside of `Mozilla/4.0 (compatible; …)`: libraries that present themselves as a browser. */
const DISGUISED =
  /(MS Web Services Client Protocol|Indy Library|MS-WebServices|Synapse)(?:[ /](\d{1,5}(?:\.\d{1,5})?))?/;
/** The more specific first: each of them also names the next ones. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera)\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/\b(?:MSIE |Trident\/)/, "Internet Explorer"],
];

export function programOf(userAgent: string | undefined): string {
  const text = userAgent?.slice(0, MAX_READ).trim() ?? "";
  if (text === "") return NO_PROGRAM;
  if (text.startsWith("Mozilla/")) return disguised(text);
  const [, name, version] = PRODUCT.exec(text) ?? [];
  if (name === undefined || name.length > MAX_NAME) return OTHER_PROGRAM;
  return named(name, version);
}

function disguised(text: string): string {
  const [, name, version] = DISGUISED.exec(text) ?? [];
  if (name !== undefined) return named(name, version);
  return BROWSERS.find(([pattern]) => pattern.test(text))?.[1] ?? "Mozilla";
}

const named = (name: string, version: string | undefined): string =>
  version === undefined ? name : `${name} ${version}`;
