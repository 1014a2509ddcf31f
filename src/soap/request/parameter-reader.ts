/**
 * Reads the elements below an operation into the values that its readers (decode.ts) describe, one parser
 * event after the other. Problems are passed to the document reader, which ranks them.
 */
import type { Fault } from "#contract/faults.ts";
import { LexicalError } from "#contract/xsd.ts";
import { trimSpace } from "#xml/characters.ts";
import { cut } from "#xml/errors.ts";
import { LongText } from "#xml/long-text.ts";
import type { StartTag } from "#xml/start-tag.ts";
import { XSI_NAMESPACE } from "../version.ts";
import {
  invalidParameter,
  missingParameter,
  outsideItsArray,
  type Reader,
  reference,
  type SequenceReader,
  tooManyRecords,
} from "./decode.ts";
import type { Plan, RecordPlan, ShapeRecorder } from "./message-shape.ts";
import { hasFlag } from "./message-shape.ts";

/**
 * Far more than any account has fields. All records are processed in one go, which must not block other
 * calls.
 */
const MAX_RECORDS = 10_000;

/** An element that is being read: an operation, a parameter, a record or a record's field. */
interface Frame {
  readonly reader: Reader;
  readonly name: string;
  readonly line: number;
  readonly nil: boolean;
  readonly value: Record<string, unknown> | unknown[] | null;
  /**
   * How to build the value from another message of this shape; null for a scalar, whose plan is known at its
   * end.
   */
  readonly plan: Plan | null;
  readonly text: LongText;
}

const frame = (reader: Reader, name: string, line: number, nil: boolean): Frame => ({
  reader,
  name,
  line,
  nil,
  value: reader.kind === "scalar" ? null : reader.kind === "array" ? [] : reader.blank(),
  plan: planFor(reader),
  text: new LongText(),
});

function planFor(reader: Reader): Plan | null {
  if (reader.kind === "scalar") return null;
  return reader.kind === "array" ? { kind: "array", items: [] } : { kind: "record", reader, fields: [] };
}
/** Whether the frame's record has that field already. Records have few fields, so each is compared. */
function wasRead({ plan }: Frame, name: string): boolean {
  return plan?.kind === "record" && plan.fields.some((field) => field.name === name);
}
const SOAP12_ENCODING = "http://www.w3.org/2003/05/soap-encoding";
const NOTHING: Plan = { kind: "constant", value: null };

export class ParameterReader {
  readonly #note: (fault: () => Fault) => void;
  readonly #recorder: ShapeRecorder;
  #accepts: (namespace: string) => boolean = () => false;
  #frames: Frame[] = [];
  /** Once a problem is found, no further values are decoded. */
  #isRefused = false;

  constructor(note: (fault: () => Fault) => void, recorder: ShapeRecorder) {
    this.#note = (fault) => {
      this.#isRefused = true;
      note(fault);
    };
    this.#recorder = recorder;
  }

  /** Begins an operation, and returns its input, which will be filled in, with its plan. */
  begin(
    reader: SequenceReader,
    name: string,
    line: number,
    accepts: (namespace: string) => boolean,
  ): { readonly input: Record<string, unknown>; readonly plan: RecordPlan } {
    const operation = frame(reader, name, line, false);
    this.#accepts = accepts;
    this.#frames = [operation];
    return { input: operation.value as Record<string, unknown>, plan: operation.plan as RecordPlan };
  }

  /** Discards the state of an incomplete document. */
  reset(): void {
    this.#frames = [];
    this.#isRefused = false;
  }

  /** False: the element is not declared, so it is skipped with its content. */
  open(tag: StartTag): boolean {
    const { line } = tag;
    const parent = this.#frames.at(-1);
    if (parent === undefined) return false;
    const { reader } = parent;
    if (reader.kind === "scalar") {
      this.#note(() => invalidParameter(parent.name, `<${cut(tag.name)}>`, reader.type, line));
      return false;
    }
    if (parent.nil || !this.#accepts(tag.uri)) return false;
    this.checkReference(tag);
    const nil = hasFlag(tag, XSI_NAMESPACE, "nil");
    if (reader.kind === "array") {
      if (tag.local !== reader.itemName) {
        parent.text.add(`<${cut(tag.name)}>`);
        return false;
      }
      this.#frames.push(frame(reader.item, tag.local, line, nil));
      return true;
    }
    const field = reader.fields.get(tag.local);
    if (field === undefined) {
      const array = reader.arrays.get(tag.local);
      // Ignoring it would lose a value silently.
      if (array !== undefined) this.#note(() => outsideItsArray(tag.local, array, line));
      return false;
    }
    // Of repeated parameters the first one counts.
    if (wasRead(parent, tag.local)) return false;
    this.#frames.push(frame(field, tag.local, line, nil));
    return true;
  }

  /** RPC clients such as Axis may write a value elsewhere in the Body, and only refer to it. */
  checkReference(tag: StartTag): void {
    const to = tag.attribute("", "href") ?? tag.attribute(SOAP12_ENCODING, "ref");
    const { name, line } = tag;
    if (to?.startsWith("#") === true) this.#note(() => reference(cut(name), to, line));
  }

  text(text: string): void {
    const current = this.#frames.at(-1);
    if (current !== undefined && current.reader.kind !== "sequence") current.text.add(text);
  }

  close(): void {
    const ended = this.#frames.pop();
    if (ended === undefined) return;
    if (!ended.nil) this.#check(ended);
    const parent = this.#frames.at(-1);
    if (parent === undefined) return;
    const value = ended.nil ? null : ended.reader.kind === "scalar" ? this.#scalar(ended) : ended.value;
    const plan = this.#planOf(ended, value);
    if (parent.plan?.kind === "array") {
      if (value === null) return;
      if (parent.plan.items.length === MAX_RECORDS)
        return this.#note(() => tooManyRecords(parent.name, parent.line, MAX_RECORDS));
      (parent.value as unknown[]).push(value);
      parent.plan.items.push(plan);
    } else if (parent.plan?.kind === "record") {
      (parent.value as Record<string, unknown>)[ended.name] = value;
      parent.plan.fields.push({ name: ended.name, plan });
    }
  }

  #planOf({ nil, plan, reader }: Frame, value: unknown): Plan {
    if (nil) return NOTHING;
    if (reader.kind !== "scalar") return plan ?? NOTHING;
    const index = this.#recorder.value();
    return index === -1 ? { kind: "constant", value } : { kind: "value", index, reader };
  }

  #check({ reader, name, line, value, text }: Frame): void {
    if (reader.kind === "sequence")
      for (const required of reader.required)
        if ((value as Record<string, unknown>)[required.name] === null)
          this.#note(() => missingParameter(required.name, required.type));
    // The array has content but no records. Reading it as an empty list would lose it silently.
    if (reader.kind !== "array" || (value as unknown[]).length > 0) return;
    const found = trimSpace(text.toString());
    if (found !== "") this.#note(() => invalidParameter(name, found, reader.type, line));
  }

  #scalar({ reader, name, line, text: parts }: Frame): unknown {
    if (reader.kind !== "scalar" || this.#isRefused) return null;
    const text = parts.toString();
    try {
      return reader.read(text);
    } catch (error) {
      if (!(error instanceof LexicalError)) throw error;
      this.#note(() => invalidParameter(name, text, reader.type, line));
      return null;
    }
  }
}
