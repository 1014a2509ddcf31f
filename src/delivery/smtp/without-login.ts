/**
 * Takes the password of a relay out of what the relay says. Some quote the login that they refuse, and the
 * words of a relay go to logs, to the database and to viewers of a campaign.
 */
import { Buffer } from "node:buffer";
import type { RelayAddress } from "../../domain/sending/relay-address.ts";

export type Login = Extract<RelayAddress, { kind: "smtp" }>["login"];

export const MASK = "<password>";

/** A shorter one is masked only where it stands alone: it may be a part of any word. */
const SHORT = 6;

const base64 = (text: string): string => Buffer.from(text).toString("base64").replace(/=+$/, "");

/** Longest first, because one form can contain another. */
function formsOf({ user, password }: NonNullable<Login>): readonly string[] {
  const encoded = [`\0${user}\0${password}`, `${user}\0${user}\0${password}`, password].map(base64);
  const urlSafe = encoded.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  const forms = new Set([password, encodeURIComponent(password), ...encoded, ...urlSafe]);
  return [...forms].toSorted((a, b) => b.length - a.length);
}

const patternOf = (form: string): string => {
  const text = form.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  return form.length < SHORT ? String.raw`(?<![\p{L}\p{N}])${text}(?![\p{L}\p{N}])` : text;
};

/** The code at the beginning of each line of a reply stays: it is not a quotation. */
export function withoutLogin(login: Login): (words: string) => string {
  if (login === null) return (words) => words;
  const secret = new RegExp(`(?:${formsOf(login).map(patternOf).join("|")})={0,2}`, "giu");
  const code = /^(\d{3}(?:[ -][245]\.\d{1,3}\.\d{1,3}(?=\s|$)|(?=[\s-]|$)))?(.*)$/s;
  const masked = (line: string): string => {
    const [, start = "", rest = ""] = code.exec(line) ?? [];
    return start + rest.replace(secret, MASK);
  };
  return (words) => words.split("\n").map(masked).join("\n");
}
