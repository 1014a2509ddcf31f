/**
 * A form as it was sent, and a form as it is shown: with what was typed, and what was wrong. If it creates
 * something or starts a job, it has a random number: sent twice, by a double click or after a lost reply, it
 * is executed once, and answered alike.
 */

import { createHash, randomBytes } from "node:crypto";
import type { UserId } from "#domain/access/user.ts";
import type { IdempotentRequest } from "#domain/idempotency.ts";
import { type Html, html } from "#html/html.ts";

export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Which form of the page it is; a page with one form needs no such field. */
export const DO = "do";
/** The name of a form that does not say its name. */
export const ONLY_FORM = "submit";
/** The version of the thing that the form edits, see `domain/version.ts`. */
export const VERSION = "version";

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** The first thing in a form: which one it is and, for an edited thing, the version that is shown. */
export const doing = (form: string, version: string | null = null): Html =>
  html`${hidden(DO, form)}${version === null ? null : hidden(VERSION, version)}`;

const ID = /^[1-9]\d{0,14}$/;
export const idsIn = (text: string): readonly number[] => (ID.test(text) ? [Number(text)] : []);

/** What the fields of a form contain. A name may be repeated. */
export class Form {
  readonly #texts: ReadonlyMap<string, readonly string[]>;
  readonly #files: ReadonlyMap<string, SentFile>;

  constructor(
    entries: Iterable<readonly [string, string]>,
    files: ReadonlyMap<string, SentFile> = new Map(),
  ) {
    const texts = new Map<string, string[]>();
    for (const [name, value] of entries) {
      const known = texts.get(name);
      if (known === undefined) texts.set(name, [value]);
      else known.push(value);
    }
    this.#texts = texts;
    this.#files = files;
  }

  /** Of its fields, without files. */
  entries(): Iterable<readonly [string, readonly string[]]> {
    return this.#texts;
  }
  /** Of the form. */
  get name(): string {
    return this.has(DO) ? this.text(DO) : ONLY_FORM;
  }
  /** Empty if the field was not sent. */
  text(name: string): string {
    return this.#texts.get(name)?.[0] ?? "";
  }
  texts(name: string): readonly string[] {
    return this.#texts.get(name) ?? [];
  }
  /** Of a checkbox: whether it is checked. */
  has(name: string): boolean {
    return this.#texts.has(name);
  }
  /** Of a choice: the id. null: none was chosen, or it is not an id. */
  id(name: string): number | null {
    const [id] = idsIn(this.text(name));
    return id ?? null;
  }
  /** Of a field whose name is repeated; what is not an id is left out. */
  ids(name: string): readonly number[] {
    return this.texts(name).flatMap(idsIn);
  }
  /** null: none was chosen. */
  file(name: string): SentFile | null {
    return this.#files.get(name) ?? null;
  }
}
export const emptyForm = new Form([]);

/** Why a form was not accepted. */
export interface FormProblems {
  readonly status: number;
  /** About the form as a whole; null: only fields are wrong. */
  readonly message: string | null;
  /** By the name of the field. */
  readonly fields: Readonly<Record<string, string>>;
}

/** For the page that shows the form: what is stored, unless this form was just refused. */
export class FormState {
  readonly #sent: Form | null;
  readonly #problems: FormProblems | null;

  constructor(sent: Form | null, problems: FormProblems | null) {
    this.#sent = sent;
    this.#problems = problems;
  }

  /** What was typed; otherwise the value that is stored. */
  value(name: string, stored = ""): string {
    return this.#sent === null ? stored : this.#sent.text(name);
  }
  /** Of a field whose name is repeated. */
  values(name: string, stored: readonly string[] = []): readonly string[] {
    return this.#sent === null ? stored : this.#sent.texts(name);
  }
  isChecked(name: string, stored = false): boolean {
    return this.#sent === null ? stored : this.#sent.has(name);
  }
  /** A sentence to be shown beside the field. */
  problem(name: string): string | null {
    return this.#problems?.fields[name] ?? null;
  }
  /** A sentence to be shown above the form. */
  get message(): string | null {
    return this.#problems?.message ?? null;
  }
  /** What every input needs: `textField({ ...form.field("name", list.name), label: "Name" })`. */
  field(name: string, stored = "") {
    return { name, value: this.value(name, stored), error: this.problem(name) };
  }
  /** All problems of fields, for a summary. */
  get errors(): readonly { readonly name: string; readonly text: string }[] {
    return Object.entries(this.#problems?.fields ?? {}).map(([name, text]) => ({ name, text }));
  }
  get isRefused(): boolean {
    return this.#problems !== null;
  }
  /** Of a form that was refused: with something else to correct, unless the field has a problem already. */
  withProblem(name: string, text: string): FormState {
    const problems = this.#problems;
    if (problems === null) return this;
    const fields = { ...problems.fields, [name]: problems.fields[name] ?? text };
    return new FormState(this.#sent, { ...problems, fields });
  }
}

// Times in the fields of a form: as a clock in the user's time zone shows them, to the minute.

const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?$/;

/** What the clock shows, as if it were in UTC. */
function shownAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
  }).formatToParts(at);
  const of = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"));
}

/** Such as 2026-11-01T09:30, the value of a field of the type `datetime-local`. */
export const localTime = (at: number, timeZone: string): string =>
  new Date(shownAt(at, timeZone)).toISOString().slice(0, "2026-11-01T09:30".length);

/** A date alone is its beginning. null: there is no such time. */
export function readLocalTime(text: string, timeZone: string): number | null {
  const [, date, time = "00:00"] = WRITTEN.exec(text.trim()) ?? [];
  if (date === undefined) return null;
  const wanted = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(wanted) || !new Date(wanted).toISOString().startsWith(date)) return null;
  // The second step is for a time close to a change of the clock.
  const near = wanted - (shownAt(wanted, timeZone) - wanted);
  return wanted - (shownAt(near, timeZone) - near);
}

export const IDEMPOTENCY_FIELD = "once";
export const newIdempotencyKey = (): string => randomBytes(16).toString("base64url");

/** null: the form may be executed as often as it is sent. */
export function requestOf(form: Form, path: string, owner: UserId, at: number): IdempotentRequest | null {
  // What was typed is a part of the key, too: a form that was changed and sent again is another one.
  return form.has(IDEMPOTENCY_FIELD) ? requestFor([path, ...form.entries()], owner, at) : null;
}

/** The same request each time that the same things are given. */
export function requestFor(things: readonly unknown[], owner: UserId, at: number): IdempotentRequest {
  const fingerprint = createHash("sha256").update(JSON.stringify(things)).digest();
  return { owner, key: fingerprint.toString("hex"), fingerprint, at };
}
