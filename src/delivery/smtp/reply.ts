/**
 * From the bytes that a relay sends to its replies, and to what is kept of them. A relay's words go to logs,
 * pages and the database: they are bounded, and the password of its login is masked in them.
 */
import { Buffer, isUtf8 } from "node:buffer";
import type { SmtpReply } from "#domain/sending/hand-over.ts";
import type { RelayAddress } from "#domain/sending/relay.ts";

/** RFC 5321 allows 512 bytes for a line; some relays send more. Both together: a reply has at most 1 MiB. */
const MAX_LINE = 8192;
const MAX_LINES = 128;
const TOO_LONG = "the reply of the relay is too long";

export interface Reply {
  /** From 200 to 599; 0: it is not a reply. */
  readonly code: number;
  /** As the relay has sent it, with \n between its lines. */
  readonly words: string;
  /** Why nothing that follows it can be read either; null: nothing is wrong with it. */
  readonly problem: string | null;
}

/** `-` after the code: another line follows. */
const LINE_START = /^([2-5]\d\d)([ -]|$)/;

/** The charset of a reply is not defined (RFC 5321, 4.2.1). Most are UTF-8; of others every byte is kept. */
function decoded(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1;
  const bytes = Buffer.from(latin1, "latin1");
  return isUtf8(bytes) ? bytes.toString() : latin1;
}

/** Splits what a relay sends into replies. All lines of a reply must have the same code (RFC 5321, 4.2.1). */
export class ReplyReader {
  /** The lines of a reply whose last one is missing; one character for each byte. */
  #lines: string[] = [];
  /** A line whose end is missing. */
  #rest = "";

  /** What was received of a reply that is not complete. */
  get unread(): string {
    return decoded([...this.#lines, this.#rest].join("\n")).trim();
  }

  /** The replies that are complete with this chunk. After one with a problem, nothing must be read. */
  read(chunk: Buffer): readonly Reply[] {
    const replies: Reply[] = [];
    const text = chunk.toString("latin1");
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      const reply = this.#readLine(this.#rest + text.slice(start, end));
      this.#rest = "";
      start = end + 1;
      if (reply === null) continue;
      replies.push(reply);
      if (reply.problem !== null) return replies;
    }
    this.#rest += text.slice(start);
    if (this.#rest.length > MAX_LINE) {
      this.#lines.push(this.#rest);
      replies.push(this.#complete(0, TOO_LONG));
    }
    return replies;
  }

  /** When the connection has ended: a refusal counts also if the end of its only line is missing. */
  readRefusal(): Reply | null {
    return this.#lines.length === 0 && /^[45]\d\d[ -]/.test(this.#rest) ? this.#readLine(this.#rest) : null;
  }

  /** null: more lines follow, or it is an empty line between two replies. */
  #readLine(bytes: string): Reply | null {
    const line = bytes.endsWith("\r") ? bytes.slice(0, -1) : bytes;
    const [first] = this.#lines;
    if (first === undefined && line.trim() === "") return null;
    this.#lines.push(line);
    if (bytes.length > MAX_LINE || this.#lines.length > MAX_LINES) return this.#complete(0, TOO_LONG);
    const [, digits = "", separator] = LINE_START.exec(line) ?? [];
    if (first !== undefined && (digits === "" || !first.startsWith(digits)))
      return this.#complete(0, "the lines of a reply have different codes");
    return separator === "-" ? null : this.#complete(Number(digits), null);
  }
  #complete(code: number, problem: string | null): Reply {
    const words = decoded(this.#lines.join("\n"));
    this.#lines = [];
    return { code, words, problem };
  }
}

const TEXT_LIMIT = 500;

/** One line without control characters and other invisible ones, of at most 500 characters. */
export function cleanText(text: string): string {
  // More than the limit, as runs of spaces become one; a relay may send a megabyte.
  const line = text
    .slice(0, TEXT_LIMIT * 8)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  // A character of two code units must not be cut in half.
  return line.length <= TEXT_LIMIT ? line : line.slice(0, TEXT_LIMIT).replace(/[\ud800-\udbff]$/, "");
}

/** What is kept of a reply that has a code: of each further line what does not repeat code and status. */
export function keptOf({ code, words }: Pick<Reply, "code" | "words">): SmtpReply {
  const [first = "", ...others] = words.split("\n").map((line) => line.replace(/^\d{3}[ -]?/, ""));
  const status = /^[245]\.\d{1,3}\.\d{1,3}(?=\s|$)/.exec(first)?.[0] ?? null;
  const rest = others.map((line) =>
    status !== null && line.startsWith(status) ? line.slice(status.length) : line,
  );
  return { code, status, text: cleanText([first, ...rest].join(" ")) };
}

export type Login = Extract<RelayAddress, { kind: "smtp" }>["login"];

const MASK = "<password>";

/** A shorter one is masked only where it stands alone: it may be a part of any word. */
const SHORT = 6;

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What a client sends to log in, by mechanism. */
export const plainLogin = ({ user, password }: NonNullable<Login>): string =>
  base64(`\0${user}\0${password}`);
export const bearerLogin = ({ user, password }: NonNullable<Login>): string =>
  base64(`user=${user}\x01auth=Bearer ${password}\x01\x01`);

/** Longest first, because one form can contain another. */
function formsOf(login: NonNullable<Login>): readonly string[] {
  const { user, password } = login;
  const encoded = [
    plainLogin(login),
    bearerLogin(login),
    base64(`${user}\0${user}\0${password}`),
    base64(password),
  ].map((form) => form.replaceAll("=", ""));
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

/** Takes the password out of what the relay says. Some quote the login that they refuse. */
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
