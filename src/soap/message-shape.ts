/**
 * Callers send the same message again and again, with other values in it. A message that was read in full and found
 * to be sound leaves its shape: the text around its values, and what becomes of each value. The next one that differs
 * in its values only is read by comparing.
 *
 * The result is the same as the parser's: markup that is the same character for character means the same, and a value
 * of plain characters that ends at the next "<" is just that text. Whatever is not plain, or cannot be read, is left
 * to the parser, which also knows how to say what is wrong.
 */
import { LexicalError } from "../contract/xsd.ts";
import type { ScalarReader, SequenceReader } from "./decode.ts";
import { detached } from "./detached.ts";

/** How an operation's input is made from the values of a message. */
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

/** Longer messages are rare. A message is compared with up to 32 shapes, and may share most of its text with each. */
const MAX_LENGTH = 4096;
const MAX_VALUES = 256;

/**
 * No markup, no references, no line ends that a parser changes, and nothing that is not an XML character. Surrogates
 * are left to the parser, which knows pairs from lone ones.
 */
const PLAIN = /^[\t\n -%'-;=?-\ud7ff\ue000-\ufffd]*$/;
const isPlain = (text: string): boolean => PLAIN.test(text);

export class MessageShape<About> {
  /** What every message of this shape has in common besides. */
  readonly about: About;
  readonly #literals: readonly string[];
  readonly #input: RecordPlan;

  constructor(about: About, literals: readonly string[], input: RecordPlan) {
    this.about = about;
    this.#literals = literals;
    this.#input = input;
  }

  /** The input of an operation; null where the text is of another shape, or must be looked at more closely. */
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
      // An enumeration must be given; the parser's way knows how to say so.
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

/** Notes where the values of a message are while the parser reads it. */
export class ShapeRecorder {
  #source = "";
  #from: number[] = [];
  #to: number[] = [];
  /** Where the content of the element begins that was opened last and has had no element inside, else -1. */
  #leaf = -1;
  /** Whether a value was written in a way that the shape could not take another one for. */
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

  /** The number of the value that the element being closed holds; -1 where another text there might mean other markup. */
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

  /** Where the values of the message are that was read last; null: it is not worth learning. */
  recorded(): RecordedMessage | null {
    const source = this.#source;
    if (source === "" || this.#hasFixedValue || source.length > MAX_LENGTH || this.#from.length > MAX_VALUES)
      return null;
    return { source, from: this.#from, to: this.#to };
  }
}

/** A message that was read in full, and where its values are in it: what a shape is made from. */
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
  // A slice would keep the whole message in memory, with everything that the caller said in it.
  const literals = ends.map((end, index) => detached(source.slice(to[index - 1] ?? 0, end)));
  return new MessageShape(about, literals, input);
}
