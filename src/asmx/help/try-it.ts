/**
 * The form that calls an operation from its page. The script gets everything from the document: an element
 * with data-element becomes an XML element of that name, a radio button has its SOAP version. So the script
 * is independent of the contract. Without scripts the form stays hidden.
 */
import type { Operation, Service } from "#contract/service.ts";
import type { Fields, XsdType } from "#contract/xsd.ts";
import { type Html, html, trusted } from "#html/html.ts";
import { type SoapVersion, soap11, soap12 } from "#soap/version.ts";
import { requestHeaders, type SampleValue, type SampleValues } from "../samples.ts";
import { need, typeName } from "./fields.ts";

export function tryIt(service: Service, base: string, name: string, operation: Operation): Html {
  return html`<section id="try">
<h2>Try it</h2>
<p id="without-script">The form needs JavaScript. The samples below do the same from a terminal.</p>
<form data-element="${name}" data-namespace="${base}" data-result="${operation.result.kind}" method="post" novalidate hidden>
${parameters(service, operation)}
<fieldset class="segments"><legend>Version</legend>
${[soap11, soap12].map((version) => versionChoice(version, base, name))}</fieldset>
<p class="buttons"><button class="button primary">Send</button> <button type="button" class="button plain" id="example">Fill in the example</button></p>
</form>
<div id="reply" aria-live="polite" hidden></div>
</section>`;
}

function parameters(service: Service, operation: Operation): Html {
  const shared = sharedParameters(service);
  const example: SampleValues = operation.example.input;
  const optional = new Set(operation.optional);
  return html`${Object.entries(operation.params).map(([name, type]) => {
    const isShared = shared.has(name);
    const note = isShared
      ? "Stays in this browser tab and goes with you to the other operations; it is gone when the tab is closed."
      : (operation.notes as Readonly<Record<string, string | undefined>>)[name];
    return field(name, type, example[name], {
      note: note ?? null,
      isShared,
      isRequired: !optional.has(name),
    });
  })}`;
}

/** Parameters of every operation, such as the key, are kept between pages. */
function sharedParameters(service: Service): ReadonlySet<string> {
  const [first, ...rest] = Object.values(service.operations).map(
    ({ params }) => new Set(Object.keys(params)),
  );
  return rest.reduce((shared, names) => shared.intersection(names), first ?? new Set<string>());
}

function versionChoice(version: SoapVersion, base: string, name: string): Html {
  const headers = JSON.stringify(requestHeaders(version, base, name));
  return html`<label><input type="radio" name="version" value="${version.name}" data-prefix="${version.prefix}" data-namespace="${version.namespace}" data-headers="${headers}"${
    version === soap11 ? trusted(" checked") : null
  }><span>SOAP ${version.name}</span></label>
`;
}

interface About {
  readonly note: string | null;
  readonly isShared: boolean;
  /** Null: it is not said of the fields of a record. */
  readonly isRequired: boolean | null;
}

function field(
  name: string,
  type: XsdType,
  example: SampleValue | undefined,
  { note, isShared, isRequired }: About,
): Html {
  const legend = html`<span class="name"><code>${name}</code> <span class="type">${typeName(type)}</span>${
    isRequired === null ? null : need(isRequired)
  }</span>`;
  const described = note === null ? null : html`<small id="note-${name}">${note}</small>`;
  switch (type.kind) {
    case "scalar":
    case "enum": {
      const attributes = html` data-element="${name}"${example === undefined ? null : html` data-example="${text(example)}"`}${
        note === null ? null : html` aria-describedby="note-${name}"`
      }${isShared ? trusted(" data-shared") : null}${isRequired === true ? trusted(' aria-required="true"') : null}`;
      return html`<div class="field"><label>${legend} ${control(type, attributes, text(example))}</label>${described}</div>
`;
    }
    case "sequence":
      return html`<fieldset class="record" data-element="${name}"><legend>${legend}</legend>${described}
${fields(type.fields, record(example))}</fieldset>
`;
    case "array":
      return html`<fieldset class="list" data-element="${name}"><legend>${legend}</legend>${described}
<template><div class="row" data-element="${type.item.name}" role="group" aria-label="${type.item.name}">
${fields(type.item.fields, record(isList(example) ? example[0] : undefined))}<button type="button" class="button quiet" data-remove aria-label="Remove this ${type.item.name}">Remove</button></div></template>
<div class="rows"></div>
<button type="button" class="button plain" data-add>Add a ${type.item.name}</button></fieldset>
`;
    default:
      return type satisfies never;
  }
}

const fields = (declared: Fields, example: SampleValues): Html =>
  html`${Object.entries(declared).map(([name, type]) =>
    field(name, type, example[name], { note: null, isShared: false, isRequired: null }),
  )}`;

function control(
  type: Extract<XsdType, { kind: "scalar" | "enum" }>,
  attributes: Html,
  example: string,
): Html {
  if (type.kind === "enum") return choice(type.values, attributes);
  switch (type.xsd) {
    case "boolean":
      return choice(["true", "false"], attributes);
    case "dateTime":
      return input(attributes, example === "" ? "yyyy-mm-ddThh:mm:ss" : sample(example), "text");
    case "int":
    case "long":
    case "unsignedByte":
      return input(attributes, sample(example), "numeric");
    case "string":
      return input(attributes, sample(example), "text");
    default:
      return type.xsd satisfies never;
  }
}

/** Must not look like a value. */
const sample = (example: string): string => (example === "" ? "" : `e.g. ${example}`);

/** Always a text field: the input is sent unchanged, and the service reports what is wrong with it. */
const input = (attributes: Html, placeholder: string, mode: "text" | "numeric"): Html =>
  html`<input${attributes} placeholder="${placeholder}" inputmode="${mode}" autocomplete="off" autocapitalize="none" spellcheck="false">`;

const choice = (values: readonly string[], attributes: Html): Html =>
  html`<select${attributes}><option value="">not given</option>${values.map((value) => html`<option>${value}</option>`)}</select>`;

const text = (example: SampleValue | undefined): string => (typeof example === "string" ? example : "");
const isList = (example: SampleValue | undefined): example is readonly SampleValue[] =>
  Array.isArray(example);
const record = (example: SampleValue | undefined): SampleValues =>
  typeof example === "object" && !isList(example) ? example : {};
