/**
 * Samples of an operation's messages, from the checked example of its declaration: for the help
 * pages, for forms, and to paste into a terminal. A sample reply is written by the real encoder.
 */
import type { Operation, Service } from "#contract/service.ts";
import type { Fields, XsdType } from "#contract/xsd.ts";
import { answerWriter } from "#soap/reply/encode.ts";
import { escapeText } from "#soap/reply/escape.ts";
import { type SoapVersion, soap11 } from "#soap/version.ts";
import { element, indentXml, XML_DECLARATION } from "./wsdl/xml-text.ts";

/** Parameters as text, as a form has them: a record by its fields, an array by its records. */
export type SampleValue = string | SampleValues | readonly SampleValue[];
export interface SampleValues {
  readonly [name: string]: SampleValue | undefined;
}

export function sampleRequest(
  version: SoapVersion,
  base: string,
  name: string,
  operation: Operation,
  values: SampleValues = operation.example.input,
): string {
  const { prefix, namespace } = version;
  const call = element(name, { xmlns: base }, ...elements(operation.params, values));
  const envelope = element(
    `${prefix}:Envelope`,
    { [`xmlns:${prefix}`]: namespace },
    element(`${prefix}:Body`, {}, call),
  );
  return indentXml(XML_DECLARATION + envelope);
}

export function sampleReply(version: SoapVersion, base: string, name: string, operation: Operation): string {
  return indentXml(answerWriter(name, operation).whole(version, base, operation.example.output));
}

/** The HTTP headers of a request, in reading order. */
export function requestHeaders(
  version: SoapVersion,
  base: string,
  name: string,
): Readonly<Record<string, string>> {
  const contentType = { "Content-Type": `${version.mediaType}; charset=utf-8` };
  return version === soap11 ? { ...contentType, SOAPAction: `"${base}/${name}"` } : contentType;
}

/**
 * One command for any POSIX shell. A parameter whose value must not be printed is named in `variables` with
 * the shell variable that holds it; the command escapes that value for XML.
 */
export function curlCommand(
  service: Service,
  base: string,
  name: string,
  values: SampleValues | undefined = service.operations[name]?.example.input,
  variables: Readonly<Record<string, string>> = {},
): string {
  const operation = service.operations[name];
  if (operation === undefined) throw new Error(`${service.name} has no operation ${name}`);
  const headers = Object.entries(requestHeaders(soap11, base, name));
  const marks = Object.fromEntries(
    Object.entries(variables).map(([parameter, variable]) => [parameter, `{${variable}}`]),
  );
  const request = sampleRequest(soap11, base, name, operation, { ...values, ...marks });
  const body = Object.values(variables).reduce(
    (text, variable) => text.replace(`{${variable}}`, () => `'"${escapedVariable(variable)}"'`),
    shellQuoted(request),
  );
  return [
    `curl ${shellQuoted(`${base}${service.path}`)}`,
    ...headers.map(([header, value]) => `--header ${shellQuoted(`${header}: ${value}`)}`),
    `--data-binary ${body}`,
  ].join(" \\\n  ");
}

/** The value of a shell variable as text of XML. A CDATA section would end at a `]]>` in the value. */
const escapedVariable = (variable: string): string =>
  `$(printf '%s\\n' "$${variable}" | sed 's/&/\\&amp;/g; s/</\\&lt;/g; s/>/\\&gt;/g')`;

/** Inside single quotes a shell interprets nothing but the single quote itself. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function elements(fields: Fields, values: SampleValues): readonly string[] {
  return Object.entries(fields).flatMap(([name, type]) => {
    const value = values[name];
    return value === undefined ? [] : [valueElement(name, type, value)];
  });
}

function valueElement(name: string, type: XsdType, value: SampleValue): string {
  if (typeof value === "string") {
    if (type.kind === "scalar" || type.kind === "enum") return element(name, {}, escapeText(value));
  } else if (isList(value)) {
    if (type.kind === "array")
      return element(name, {}, ...value.map((item) => valueElement(type.item.name, type.item, item)));
  } else if (type.kind === "sequence") return element(name, {}, ...elements(type.fields, value));
  throw new Error(`the sample of ${name} does not fit its type`);
}

const isList = (value: SampleValue): value is readonly SampleValue[] => Array.isArray(value);
