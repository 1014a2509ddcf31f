/** SOAP messages as the cases imply them: written out here once, and not taken from the code under test. */
export type Version = "1.1" | "1.2";

export const NAMESPACE = "http://mailroll.test";
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const XSD = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

export const ENVELOPE_1_2 = "http://www.w3.org/2003/05/soap-envelope";
const versions = {
  "1.1": {
    prefix: "soap",
    namespace: "http://schemas.xmlsoap.org/soap/envelope/",
    contentType: "text/xml; charset=utf-8",
  },
  "1.2": { prefix: "soap12", namespace: ENVELOPE_1_2, contentType: "application/soap+xml; charset=utf-8" },
} as const;

export const contentTypeOf = (version: Version): string => versions[version].contentType;
export const envelopeOf = (version: Version): string => versions[version].namespace;
export const prefixOf = (version: Version): string => versions[version].prefix;

export interface EnvelopeStyle {
  /** What the XML declaration says; null for none. */
  readonly encoding: string | null;
  /** Whether the prefixes of XML Schema are declared. */
  readonly hasSchema: boolean;
}

/** As the samples of the help pages have it. Header and body are lines. */
export function requestEnvelope(
  { version, envelope }: { readonly version: Version; readonly envelope: EnvelopeStyle },
  header: readonly string[],
  body: readonly string[],
): string {
  const { prefix, namespace } = versions[version];
  const { encoding, hasSchema } = envelope;
  return [
    ...(encoding === null ? [] : [`<?xml version="1.0" encoding="${encoding}"?>`]),
    `<${prefix}:Envelope ${hasSchema ? `${XSI} ${XSD} ` : ""}xmlns:${prefix}="${namespace}">`,
    ...header.map((line) => `  ${line}`),
    `  <${prefix}:Body>`,
    ...body.map((line) => `    ${line}`),
    `  </${prefix}:Body>`,
    `</${prefix}:Envelope>`,
  ].join("\n");
}

export function responseEnvelope(version: Version, header: string, body: string): string {
  const { prefix, namespace } = versions[version];
  const head = header === "" ? "" : `<${prefix}:Header>${header}</${prefix}:Header>`;
  return `${DECLARATION}<${prefix}:Envelope xmlns:${prefix}="${namespace}" ${XSI} ${XSD}>${head}<${prefix}:Body>${body}</${prefix}:Body></${prefix}:Envelope>`;
}

export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
export const unescapeText = (xml: string): string =>
  xml.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
