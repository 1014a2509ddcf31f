/** The members of a schema as a definition list: name, type and notes; objects with their members inside. */
import { type Html, html, prose } from "#html/html.ts";
import type { JsonSchema } from "./example.ts";

/** `isInput`: the client writes the values, so it is said which ones are needed. */
export function memberList({ properties = {}, required = [] }: JsonSchema, isInput: boolean): Html {
  return html`<dl class="fields">
${Object.entries(properties).map(
  ([name, member]) =>
    html`<div><dt><code>${name}</code> <span class="type">${typeOf(member)}</span></dt>
<dd>${notes(member, isInput && !required.includes(name), isInput)}</dd></div>
`,
)}</dl>`;
}

const withoutNull = ({ anyOf = [] }: JsonSchema): readonly JsonSchema[] =>
  anyOf.filter(({ type }) => type !== "null");

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined)
    return [
      ...withoutNull(schema).map(typeOf),
      ...(withoutNull(schema).length < schema.anyOf.length ? ["null"] : []),
    ].join(" or ");
  if (schema.type === "array")
    return `list of ${schema.items === undefined ? "anything" : typeOf(schema.items)}`;
  if (schema.format === "date-time") return "time";
  if (schema.format === "date") return "date";
  return schema.type ?? "anything";
}

function notes(schema: JsonSchema, isOptional: boolean, isInput: boolean): Html {
  const [only] = withoutNull(schema);
  const described = schema.anyOf === undefined || only === undefined ? schema : only;
  const inner = described.type === "array" ? (described.items ?? {}) : described;
  const words = inner.enum ?? [];
  return html`${isOptional ? html`<p class="hint">Optional${defaultOf(schema)}.</p>` : null}${
    (schema.description ?? described.description) === undefined
      ? null
      : html`<p>${prose(schema.description ?? described.description ?? "")}</p>`
  }${
    words.length === 0
      ? null
      : html`<p class="hint">One of ${words.map((word, at) => html`${at === 0 ? null : " "}<code>${word}</code>`)}</p>`
  }${inner.properties === undefined ? null : memberList(inner, isInput)}`;
}

const defaultOf = ({ default: value }: JsonSchema): string =>
  value === undefined ? "" : `; default: ${String(value as string)}`;
