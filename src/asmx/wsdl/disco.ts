/**
 * The discovery document (DISCO) that ASMX services return at ?disco: where the WSDL is, and the bindings of
 * the address. Old .NET tools ("Add Web Reference") start from it.
 */
import type { Service } from "#contract/service.ts";
import { portTypes } from "./wsdl.ts";
import { element, indentXml, XML_DECLARATION } from "./xml-text.ts";

const DISCO = "http://schemas.xmlsoap.org/disco/";

export function disco(service: Service, base: string): string {
  const address = `${base}${service.path}`;
  const discovery = element(
    "discovery",
    { xmlns: DISCO },
    element("contractRef", { xmlns: `${DISCO}scl/`, ref: `${address}?wsdl`, docRef: address }),
    ...portTypes(service)
      .flatMap(({ ports }) => ports)
      .map(({ name }) =>
        element("soap", { xmlns: `${DISCO}soap/`, "xmlns:tns": base, address, binding: `tns:${name}` }),
      ),
  );
  return `${indentXml(XML_DECLARATION + discovery)}\n`;
}
