/**
 * Reads the elements below an operation into the values that its readers (decode.ts) describe, one event after the
 * other. It knows nothing of envelopes; what is wrong with a value is told to whoever ranks problems.
 */
import type { SaxesTagNS } from "saxes";
import type { Fault } from "../contract/faults.ts";
import { LexicalError } from "../contract/xsd.ts";
import { invalidParameter, missingParameter, type Reader, type SequenceReader } from "./decode.ts";
import { attribute, cut, isTrue } from "./tag.ts";
import { XSI_NAMESPACE } from "./version.ts";

/** An element that is being read: an operation, a parameter, a record or a record's field. */
interface Frame {
  readonly reader: Reader;
  readonly name: string;
  readonly line: number;
  readonly nil: boolean;
  readonly value: Record<string, unknown> | unknown[] | null;
  text: string;
  /** The bits of the fields that have been there already. */
  seen: number;
}

const frame = (reader: Reader, name: string, line: number, nil: boolean, value: Frame["value"]): Frame => ({
  reader,
  name,
  line,
  nil,
  value,
  text: "",
  seen: 0,
});

export class ParameterReader {
  readonly #note: (fault: Fault) => void;
  #accepts: (namespace: string) => boolean = () => false;
  #frames: Frame[] = [];

  constructor(note: (fault: Fault) => void) {
    this.#note = note;
  }

  /** Begins an operation, and gives back the input that will be filled in. */
  begin(
    reader: SequenceReader,
    name: string,
    line: number,
    accepts: (namespace: string) => boolean,
  ): Record<string, unknown> {
    const input = reader.blank();
    this.#accepts = accepts;
    this.#frames = [frame(reader, name, line, false, input)];
    return input;
  }

  /** Forgets what a document that broke off has left. */
  reset(): void {
    this.#frames = [];
  }

  /** False: nobody asked for this element, so it is passed over with all its content. */
  open(tag: SaxesTagNS, line: number): boolean {
    const parent = this.#frames.at(-1);
    if (parent === undefined) return false;
    const { reader } = parent;
    if (reader.kind === "scalar") {
      this.#note(invalidParameter(parent.name, `<${cut(tag.name)}>`, reader.type, line));
      return false;
    }
    if (parent.nil || !this.#accepts(tag.uri)) return false;
    const nil = isTrue(attribute(tag.attributes, XSI_NAMESPACE, "nil"));
    if (reader.kind === "array") {
      if (tag.local !== reader.itemName) {
        parent.text ||= `<${cut(tag.name)}>`;
        return false;
      }
      this.#frames.push(frame(reader.item, tag.local, line, nil, reader.item.blank()));
      return true;
    }
    const field = reader.fields.get(tag.local);
    // The same parameter twice: the first one counts.
    if (field === undefined || (parent.seen & field.bit) !== 0) return false;
    parent.seen |= field.bit;
    const inner = field.reader;
    const value = inner.kind === "scalar" ? null : inner.kind === "array" ? [] : inner.blank();
    this.#frames.push(frame(inner, tag.local, line, nil, value));
    return true;
  }

  text(text: string): void {
    const current = this.#frames.at(-1);
    if (current !== undefined && current.reader.kind !== "sequence") current.text += text;
  }

  close(): void {
    const ended = this.#frames.pop();
    if (ended === undefined) return;
    if (!ended.nil) this.#check(ended);
    const parent = this.#frames.at(-1);
    if (parent === undefined) return;
    const value = ended.nil ? null : ended.reader.kind === "scalar" ? this.#scalar(ended) : ended.value;
    if (Array.isArray(parent.value)) {
      if (value !== null) parent.value.push(value);
    } else if (parent.value !== null) parent.value[ended.name] = value;
  }

  #check({ reader, name, line, value, text }: Frame): void {
    if (reader.kind === "sequence")
      for (const required of reader.required)
        if ((value as Record<string, unknown>)[required.name] === null)
          this.#note(missingParameter(required.name, required.type));
    // Something was meant, and nothing of it could be read: taking it for an empty list would lose it silently.
    if (reader.kind === "array" && (value as unknown[]).length === 0 && text.trim() !== "")
      this.#note(invalidParameter(name, text.trim(), reader.type, line));
  }

  #scalar({ reader, name, line, text }: Frame): unknown {
    if (reader.kind !== "scalar") return null;
    try {
      return reader.read(text);
    } catch (error) {
      if (!(error instanceof LexicalError)) throw error;
      this.#note(invalidParameter(name, text, reader.type, line));
      return null;
    }
  }
}
