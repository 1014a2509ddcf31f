/**
 * Takes the password of a relay out of what the relay says. Some quote the login that they refuse, and the
 * words of a relay go to logs, to the database and to viewers of a campaign.
 */
import { Buffer } from "node:buffer";
import type { RelayAddress } from "#domain/sending/relay-address.ts";

export type Login = Extract<RelayAddress, { kind: "smtp" }>["login"];

export const MASK = "<password>";

/** A shorter one is masked only where it stands alone: it may be a part of any word. */
const SHORT = 6;

const base64 = (text: string): string => Buffer.from(text).toString("base64").replaceAll("=", "");

/** Longest first, because one form can contain another. */
function formsOf({ user, password }: NonNullable<Login>): readonly string[] {
  const encoded = [`\0${user}\0${password}`, `${user}\0${user}\0${password}`, password].map(base64);
  const urlSafe = encoded.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  const forms = new Set([password.trim(), encodeURIComponent(password), ...encoded, ...urlSafe]);
  forms.delete("");
  return [...forms].toSorted((a, b) => b.length - a.length);
}

/**
 * A relay may break a line anywhere in what it quotes, also instead of a space. No text matches in two ways,
 * so that a long reply takes no longer than its length.
 */
function patternOf(form: string): string {
  const words = form
    .split(/\s+/)
    .map((word) =>
      Array.from(word, (character) => character.replace(/[.*+?^${}()|[\]\\/]/, String.raw`\$&`)).join(
        String.raw`(?:[^\S\n]*\n\s*)?`,
      ),
    );
  const text = words.join(String.raw`\s+`);
  return form.length < SHORT ? String.raw`(?<![\p{L}\p{N}])${text}(?![\p{L}\p{N}])` : text;
}

/** Each line of a reply begins with its code, which stays: it is not a quotation. */
const LINE = /^(\d{3}(?:[ -][245]\.\d{1,3}\.\d{1,3}(?=\s|$)|(?=[\s-]|$))[ -]?)?(.*)$/s;

export function withoutLogin(login: Login): (words: string) => string {
  if (login === null) return (words) => words;
  const secret = new RegExp(`(?:${formsOf(login).map(patternOf).join("|")})={0,2}`, "giu");
  return (words) => {
    const lines = words.split("\n").map((line) => LINE.exec(line) ?? []);
    // Without the codes, the parts of a password that was split are next to each other.
    const masked = lines
      .map(([, , rest = ""]) => rest)
      .join("\n")
      .replace(secret, (quoted) => MASK + quoted.replace(/[^\n]+/g, ""));
    return masked
      .split("\n")
      .map((rest, index) => (lines[index]?.[1] ?? "") + rest)
      .join("\n");
  };
}
