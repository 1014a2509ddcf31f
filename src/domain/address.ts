/**
 * E-mail addresses: which are valid, and when two are equal. The syntax is that of HTML's e-mail input, plus
 * internationalised domains. An address is shown as first given and compared by its key.
 */
import { domainToASCII } from "node:url";

export interface Address {
  /** As given, without the white space around it. */
  readonly text: string;
  /** Equal for two spellings of the same address: lower case, the domain in its ASCII form. */
  readonly key: string;
  readonly domain: string;
}

const MAX_ADDRESS_LENGTH = 254;
const LOCAL = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+$/;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const ASCII = /^[a-zA-Z0-9.-]+$/;
/** ASCII letters, digits, dot and hyphen only, so that a URL parser reads nothing but a host. */
const INTERNATIONAL = /^[a-zA-Z0-9.\-\u0080-\u{10ffff}]+$/u;

/** Whether the part before the @ begins or ends with a dot, or has two in a row, which RFC 5322 forbids. */
export const hasMisplacedDot = ({ text }: Address): boolean =>
  text.slice(0, text.lastIndexOf("@")).split(".").includes("");

/** The domain in lower case and ASCII, or null if it is invalid. */
export function parseDomain(text: string): string | null {
  const domain = ASCII.test(text) ? text.toLowerCase() : INTERNATIONAL.test(text) ? domainToASCII(text) : "";
  return domain.length <= 253 && DOMAIN.test(domain) ? domain : null;
}

export function parseAddress(given: string | null): Address | null {
  const text = given?.trim() ?? "";
  if (text.length > MAX_ADDRESS_LENGTH) return null;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  if (!LOCAL.test(local)) return null;
  const domain = parseDomain(text.slice(at + 1));
  if (domain === null) return null;
  const key = `${local.toLowerCase()}@${domain}`;
  return key.length > MAX_ADDRESS_LENGTH ? null : { text, key, domain };
}

/** Control characters, zero-width characters and spaces other than U+0020. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const MAX_LABEL_LENGTH = 63;

/**
 * Why `parseAddress` rejects an address, for the user who has to correct it. The texts contain neither the
 * address nor quotation marks: a report shows the address beside them and counts equal ones.
 */
export function addressProblem(given: string): string {
  const text = given.trim();
  const at = text.lastIndexOf("@");
  if (text === "") return "it is empty";
  if (at < 0) return "it has no @";
  if (text.length > MAX_ADDRESS_LENGTH)
    return `it has ${text.length} characters; at most ${MAX_ADDRESS_LENGTH} are allowed`;
  const [invisible] = INVISIBLE.exec(text) ?? [];
  if (invisible !== undefined) return `it contains an invisible character (${codePoint(invisible)})`;
  if (/[<>]/.test(text)) return "it has other text around it; give the address alone";
  if (/[,;]/.test(text)) return "it contains a comma or a semicolon; give one address";
  if (text.includes(" ")) return "it contains a space";
  if (text.indexOf("@") !== at) return "it has more than one @";
  return localProblem(text.slice(0, at)) ?? domainProblem(text.slice(at + 1));
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

function localProblem(local: string): string | null {
  if (local === "") return "there is nothing before the @";
  if (/[^ -~]/.test(local)) return "a character before the @ is not ASCII";
  return /["(),:;<>[\\\]]/.test(local) ? "a character before the @ is not allowed there" : null;
}

export function domainProblem(domain: string): string {
  const labels = domain.split(".");
  if (domain === "") return "there is nothing after the @";
  if (labels[0] === "") return "its domain begins with a dot";
  if (labels.at(-1) === "") return "its domain ends with a dot";
  if (labels.includes("")) return "its domain has two dots in a row";
  if (/[^a-z0-9.\-\u0080-\u{10ffff}]/iu.test(domain))
    return "its domain contains a character that is not allowed in domains";
  if (labels.some((label) => label.startsWith("-") || label.endsWith("-")))
    return "a part of its domain begins or ends with a hyphen";
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH))
    return `a part of its domain has more than ${MAX_LABEL_LENGTH} characters`;
  return parseDomain(domain) === null
    ? "its domain is not a domain name"
    : `with its domain in ASCII it has more than ${MAX_ADDRESS_LENGTH} characters`;
}
