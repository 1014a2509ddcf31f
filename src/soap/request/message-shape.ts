/**
 * Clients send the same message again and again with different values. From a valid message its shape is
 * learned: the text around the values, and how each value is decoded. Later messages that differ only in
 * their values are read by comparing them with the shape, without parsing.
 *
 * The result is the same as the parser's: identical markup has an identical meaning, and a value of plain
 * characters that ends at the next "<" is just that text. Anything else, or an invalid value, is left to the
 * parser, which reports errors.
 */

import { LexicalError } from "#contract/xsd.ts";
import { trimSpace } from "#xml/characters.ts";
import type { StartTag } from "#xml/start-tag.ts";
import type { ScalarReader, SequenceReader } from "./decode.ts";
import { detached } from "./detached.ts";

/** Boolean attributes: mustUnderstand, nil. */
export function hasFlag(tag: StartTag, uri: string, local: string): boolean {
  const value = trimSpace(tag.attribute(uri, local) ?? "");
  return value === "1" || value === "true";
}

/** How an operation's input is built from the values of a message. */
export type Plan =
  | { readonly kind: "constant"; readonly value: unknown }
  | { readonly kind: "value"; readonly index: number; readonly reader: ScalarReader }
  | {
      readonly kind: "record";
      readonly reader: SequenceReader;
      readonly fields: { readonly name: string; readonly plan: Plan }[];
    }
  | { readonly kind: "array"; readonly items: Plan[] };
export type RecordPlan = Extract<Plan, { readonly kind: "record" }>;

/** Longer messages are rare, and a message may share most of its text with each of up to 32 shapes. */
const MAX_LENGTH = 4096;
const MAX_VALUES = 256;

/**
 * No markup, no references, no line ends that a parser normalises, and no characters that XML forbids.
 * Surrogates are left to the parser, which distinguishes pairs from lone ones.
 */
const PLAIN = /^[\t\n -%'-;=?-\ud7ff\ue000-\ufffd]*$/;
const isPlain = (text: string): boolean => PLAIN.test(text);

export class MessageShape<About> {
  /** What else all messages of this shape have in common. */
  readonly about: About;
  readonly #literals: readonly string[];
  readonly #input: RecordPlan;

  constructor(about: About, literals: readonly string[], input: RecordPlan) {
    this.about = about;
    this.#literals = literals;
    this.#input = input;
  }

  /** The input of an operation; null if the text has another shape, or must be parsed. */
  read(text: string): Readonly<Record<string, unknown>> | null {
    const values = this.#valuesOf(text);
    if (values === null) return null;
    try {
      return build(this.#input, values) as Readonly<Record<string, unknown>>;
    } catch (error) {
      if (error instanceof LexicalError) return null;
      throw error;
    }
  }

  #valuesOf(text: string): readonly string[] | null {
    const literals = this.#literals;
    const last = literals.length - 1;
    const values: string[] = [];
    let at = 0;
    for (let index = 0; ; index += 1) {
      const literal = literals[index] ?? "";
      if (!text.startsWith(literal, at)) return null;
      at += literal.length;
      if (index === last) return at === text.length ? values : null;
      const end = text.indexOf("<", at);
      if (end === -1) return null;
      const value = text.slice(at, end);
      if (!isPlain(value)) return null;
      values.push(value);
      at = end;
    }
  }
}

function build(plan: Plan, values: readonly string[]): unknown {
  switch (plan.kind) {
    case "constant":
      return plan.value;
    case "value": {
      const { reader } = plan;
      const value = reader.read(values[plan.index] ?? "");
      // An enumeration must be given; the parser reports that.
      if (value === null && reader.type.kind === "enum") throw new LexicalError();
      return value;
    }
    case "record": {
      const record = plan.reader.blank();
      for (const field of plan.fields) record[field.name] = build(field.plan, values);
      return record;
    }
    case "array":
      return plan.items.map((item) => build(item, values));
    default:
      return plan satisfies never;
  }
}

/** Records the positions of the values while the parser reads a message. */
export class ShapeRecorder {
  #source = "";
  #from: number[] = [];
  #to: number[] = [];
  /** Where the content of the last opened element begins, while it has no child elements; else -1. */
  #leaf = -1;
  /** Whether a value is not plain, so that the shape could not match another message. */
  #hasFixedValue = false;

  begin(source: string): void {
    this.#source = source;
    this.#hasFixedValue = false;
    this.#from = [];
    this.#to = [];
    this.#leaf = -1;
  }
  opened(contentFrom: number, isSelfClosing: boolean): void {
    this.#leaf = isSelfClosing ? -1 : contentFrom;
  }
  closed(): void {
    this.#leaf = -1;
  }

  /** The index of the value of the element that is being closed; -1 if it is not plain text. */
  value(): number {
    const from = this.#leaf;
    if (from === -1) return -1;
    const to = this.#source.indexOf("<", from);
    if (!this.#source.startsWith("</", to) || !isPlain(this.#source.slice(from, to))) {
      this.#hasFixedValue = true;
      return -1;
    }
    this.#from.push(from);
    return this.#to.push(to) - 1;
  }

  /** The positions of the values of the last message; null: its shape cannot be learned. */
  recorded(): RecordedMessage | null {
    const source = this.#source;
    if (source === "" || this.#hasFixedValue || source.length > MAX_LENGTH || this.#from.length > MAX_VALUES)
      return null;
    return { source, from: this.#from, to: this.#to };
  }
}

/** A parsed message with the positions of its values, from which a shape is built. */
export interface RecordedMessage {
  readonly source: string;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export function shapeOf<About>(
  { source, from, to }: RecordedMessage,
  about: About,
  input: RecordPlan,
): MessageShape<About> {
  const ends = [...from, source.length];
  // A slice would retain the whole message, with the values that the client sent.
  const literals = ends.map((end, index) => detached(source.slice(to[index - 1] ?? 0, end)));
  return new MessageShape(about, literals, input);
}
