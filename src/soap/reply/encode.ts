/**
 * Encoders: from a declared type to a closure that writes its values, built once at the start.
 *
 * An empty string becomes an empty element; only a null dateTime is left out.
 */
import type { Operation, RecordForm } from "#contract/service.ts";
import type { Item, XsdType } from "#contract/xsd.ts";
import { memoize } from "../memoize.ts";
import type { SoapVersion } from "../version.ts";
import { escapeAttribute, escapeText, textEscapes } from "./escape.ts";

/** Writes an element, or nothing. */
type Write = (value: unknown) => string;

function elementWriter(name: string, type: XsdType): Write {
  const start = `<${name}>`;
  const end = `</${name}>`;
  const empty = `<${name} />`;
  switch (type.kind) {
    case "scalar":
      if (type.xsd !== "string")
        return (value) => (value === null ? "" : `${start}${type.write(value)}${end}`);
      return (value) => (value === "" ? empty : `${start}${escapeText(type.write(value))}${end}`);
    case "enum":
      return (value) => `${start}${escapeText(String(value))}${end}`;
    case "sequence": {
      const content = contentWriter(type);
      return (value) => `${start}${content(value)}${end}`;
    }
    case "array": {
      const write = elementWriter(type.item.name, type.item);
      return (value) => {
        const items = (value as readonly unknown[]).map(write).join("");
        return items === "" ? empty : `${start}${items}${end}`;
      };
    }
    default:
      return type satisfies never;
  }
}

function contentWriter(type: Item): Write {
  const fields = Object.entries(type.fields).map(([name, field]) => ({
    name,
    write: elementWriter(name, field),
  }));
  return (value) => {
    let out = "";
    for (const { name, write } of fields) out += write((value as Readonly<Record<string, unknown>>)[name]);
    return out;
  };
}

/**
 * The same as `elementWriter` as data, for the store, which encodes records of strings and dateTimes itself.
 */
const recordForm = (type: Item): RecordForm<string> => ({
  start: `<${type.name}>`,
  end: `</${type.name}>`,
  fields: Object.keys(type.fields).map((name) => ({
    name,
    start: `<${name}>`,
    end: `</${name}>`,
    empty: `<${name} />`,
  })),
  escapes: textEscapes,
});

/** Writes the answers of one operation: at once, or as a start, pages of rows and an end. */
export interface AnswerWriter {
  readonly whole: (version: SoapVersion, namespace: string, value: unknown) => string;
  readonly start: (version: SoapVersion, namespace: string) => string;
  readonly rows: (page: readonly unknown[]) => string;
  /** The form of a row; null if the result is not a list. */
  readonly form: RecordForm<string> | null;
  readonly end: (version: SoapVersion) => string;
}

/** A byte or a boolean has few values, so each answer is encoded once and cached. */
function caching(whole: AnswerWriter["whole"]): AnswerWriter["whole"] {
  const answersIn = memoize((_namespace) => ({
    "1.1": new Map<unknown, string>(),
    "1.2": new Map<unknown, string>(),
  }));
  return (version, namespace, value) => {
    const answers = answersIn(namespace)[version.name];
    let answer = answers.get(value);
    if (answer === undefined) {
      answer = whole(version, namespace, value);
      answers.set(value, answer);
    }
    return answer;
  };
}

export function answerWriter(name: string, operation: Operation): AnswerWriter {
  const { result } = operation;
  const element = `${name}Result`;
  const write = elementWriter(element, result);
  const nil = `<${element} xsi:nil="true" />`;
  const writeRow = result.kind === "array" ? elementWriter(result.item.name, result.item) : null;
  const escaped = memoize(escapeAttribute);
  const open = (version: SoapVersion, namespace: string) =>
    `${version.bodyStart}<${name}Response xmlns="${escaped(namespace)}">`;
  const close = `</${name}Response>`;
  const whole: AnswerWriter["whole"] = (version, namespace, value) =>
    open(version, namespace) + (value === null ? nil : write(value)) + close + version.end;
  return {
    whole: result.kind === "scalar" ? caching(whole) : whole,
    start: (version, namespace) => `${open(version, namespace)}<${element}>`,
    rows: (page) => {
      let out = "";
      if (writeRow !== null) for (const row of page) out += writeRow(row);
      return out;
    },
    form: result.kind === "array" ? recordForm(result.item) : null,
    end: (version) => `</${element}>${close}${version.end}`,
  };
}
