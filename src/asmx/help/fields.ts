/** Parameters and records as a definition list: name, type and notes; records with their fields inside. */
import type { Fields, XsdType } from "#contract/xsd.ts";
import { type Html, html } from "#html/html.ts";

export type Notes = Readonly<Record<string, string | undefined>>;

export function typeName(type: XsdType): string {
  if (type.kind === "scalar") return type.xsd;
  return type.kind === "array" ? `list of ${type.item.name}` : type.name;
}

/** Who writes the values: accepted forms are shown for callers only. */
type Writer = "caller" | "service";

/** `optional` names the parameters that a call may leave out. */
export const parameterList = (fields: Fields, notes: Notes, optional: ReadonlySet<string>): Html =>
  list(fields, notes, "caller", (name) => need(!optional.has(name)));

/** Whether a value is needed, in a word. */
export const need = (isRequired: boolean): Html =>
  html` <span class="need${isRequired ? " required" : ""}">${isRequired ? "required" : "optional"}</span>`;

export const recordFields = (fields: Fields): Html => list(fields, {}, "service");

function list(
  fields: Fields,
  notes: Notes,
  writer: Writer,
  mark: (name: string) => Html | null = () => null,
): Html {
  return html`<dl class="fields">
${Object.entries(fields).map(
  ([
    name,
    type,
  ]) => html`<div><dt><code>${name}</code> <span class="type">${typeName(type)}</span>${mark(name)}</dt>
<dd>${about(type, notes[name], writer)}</dd></div>
`,
)}</dl>`;
}

function about(type: XsdType, note: string | undefined, writer: Writer): Html {
  const sentence = note === undefined ? null : html`<p>${note}</p>`;
  switch (type.kind) {
    case "scalar":
      return html`${sentence}${writer === "caller" ? form(type) : absence(type)}`;
    case "enum":
      return html`${sentence}<p class="hint">${writer === "caller" ? "Required, one of" : "One of"} ${type.values.map(
        (value, index) => html`${index === 0 ? null : " "}<code>${value}</code>`,
      )}</p>`;
    case "sequence":
      return html`${sentence}${list(type.fields, {}, writer)}`;
    case "array":
      return html`${sentence}<p class="hint">Any number of <code>${type.item.name}</code> elements, each with</p>${list(
        type.item.fields,
        {},
        writer,
      )}`;
    default:
      return type satisfies never;
  }
}

type ScalarType = Extract<XsdType, { kind: "scalar" }>;

/** Only the forms of a dateTime need an explanation. */
const form = (type: ScalarType): Html | null =>
  type.xsd === "dateTime" ? html`<p class="hint">${capital(type.expected)}.</p>` : null;
/** A string without a value is empty; any other optional type is absent. */
const absence = (type: ScalarType): Html | null =>
  type.minOccurs === 0 && type.xsd !== "string" ? html`<p class="hint">Absent if there is none.</p>` : null;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
