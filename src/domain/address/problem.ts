/**
 * Why `parseAddress` rejects an address, for the user who has to correct it. The texts contain neither the
 * address nor quotation marks: a report shows the address beside them and counts equal ones.
 */
import { MAX_ADDRESS_LENGTH, parseDomain } from "./address.ts";

/** Control characters, zero-width characters and spaces other than U+0020. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const MAX_LABEL_LENGTH = 63;

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
