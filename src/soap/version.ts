/** The differences between the two SOAP versions on the wire. SOAP 1.1 §4, SOAP 1.2 Part 1 §5. */

export interface SoapVersion {
  readonly name: "1.1" | "1.2";
  readonly prefix: "soap" | "soap12";
  readonly namespace: string;
  readonly mediaType: string;
  /** Of all responses. */
  readonly contentType: string;
  /** The start of an answer, up to and including the Envelope's start tag. */
  readonly envelopeStart: string;
  readonly bodyStart: string;
  readonly end: string;
}

const XSI = "http://www.w3.org/2001/XMLSchema-instance";
const XSD = "http://www.w3.org/2001/XMLSchema";
export const XSI_NAMESPACE = XSI;

function version(
  name: SoapVersion["name"],
  prefix: SoapVersion["prefix"],
  namespace: string,
  mediaType: string,
): SoapVersion {
  const envelopeStart = `<?xml version="1.0" encoding="utf-8"?><${prefix}:Envelope xmlns:${prefix}="${namespace}" xmlns:xsi="${XSI}" xmlns:xsd="${XSD}">`;
  return {
    name,
    prefix,
    namespace,
    mediaType,
    contentType: `${mediaType}; charset=utf-8`,
    envelopeStart,
    bodyStart: `${envelopeStart}<${prefix}:Body>`,
    end: `</${prefix}:Body></${prefix}:Envelope>`,
  };
}

export const soap11 = version("1.1", "soap", "http://schemas.xmlsoap.org/soap/envelope/", "text/xml");
export const soap12 = version(
  "1.2",
  "soap12",
  "http://www.w3.org/2003/05/soap-envelope",
  "application/soap+xml",
);
