/**
 * The WSDL 1.1 description of a service: document/literal wrapped, one port type, a binding and a port for each SOAP
 * version. Laid out as ASMX lays it out, so that generated clients come out with the names their programs expect.
 *
 * It takes the contract as a value and the base address, which is the target namespace; it knows no HTTP.
 */
import type { Operation, Service } from "../contract/service.ts";
import { escapeText } from "../soap/escape.ts";
import { schema } from "./schema.ts";
import { element, indentXml, XML_DECLARATION } from "./xml-text.ts";

/** `short`: the operation names of programs written against the historic WSDL. The messages are the same. */
export type OperationNames = "dotted" | "short";

/** The prefix of a SOAP version's WSDL extension elements, and the name of its binding and port. */
export interface Port {
  readonly prefix: "soap" | "soap12";
  readonly name: string;
}
export const ports = (service: Service): readonly [Port, Port] => [
  { prefix: "soap", name: `${service.name}Soap` },
  { prefix: "soap12", name: `${service.name}Soap12` },
];

const TRANSPORT = "http://schemas.xmlsoap.org/soap/http";
const prefixes = {
  "xmlns:s": "http://www.w3.org/2001/XMLSchema",
  "xmlns:soap": "http://schemas.xmlsoap.org/wsdl/soap/",
  "xmlns:soap12": "http://schemas.xmlsoap.org/wsdl/soap12/",
  "xmlns:wsdl": "http://schemas.xmlsoap.org/wsdl/",
};

interface Described {
  readonly name: string;
  /** What the description calls the operation; the messages keep its name. */
  readonly alias: string;
  readonly operation: Operation;
}

export function wsdl(service: Service, base: string, names: OperationNames): string {
  const operations = Object.entries(service.operations).map(([name, operation]) => ({
    name,
    alias: names === "short" ? operation.shortName : name,
    operation,
  }));
  const definitions = element(
    "wsdl:definitions",
    { ...prefixes, "xmlns:tns": base, targetNamespace: base },
    documentation(service.doc),
    element("wsdl:types", {}, schema(service, base)),
    ...operations.flatMap(messages),
    element("wsdl:portType", { name: `${service.name}Soap` }, ...operations.map(portTypeOperation)),
    ...ports(service).map((port) => binding(service, port, base, operations)),
    element(
      "wsdl:service",
      { name: service.name },
      documentation(service.doc),
      ...ports(service).map(({ prefix, name }) =>
        element(
          "wsdl:port",
          { name, binding: `tns:${name}` },
          element(`${prefix}:address`, { location: `${base}${service.path}` }),
        ),
      ),
    ),
  );
  return `${indentXml(XML_DECLARATION + definitions)}\n`;
}

const documentation = (text: string): string => element("wsdl:documentation", {}, escapeText(text));

function messages({ name }: Described): readonly string[] {
  const message = (suffix: string, root: string) =>
    element(
      "wsdl:message",
      { name: `${name}${suffix}` },
      element("wsdl:part", { name: "parameters", element: `tns:${root}` }),
    );
  return [message("SoapIn", name), message("SoapOut", `${name}Response`)];
}

function portTypeOperation({ name, alias, operation }: Described): string {
  return element(
    "wsdl:operation",
    { name: alias },
    documentation(operation.doc),
    element("wsdl:input", { message: `tns:${name}SoapIn` }),
    element("wsdl:output", { message: `tns:${name}SoapOut` }),
  );
}

function binding(service: Service, port: Port, base: string, operations: readonly Described[]): string {
  const { prefix } = port;
  const body = element(`${prefix}:body`, { use: "literal" });
  return element(
    "wsdl:binding",
    { name: port.name, type: `tns:${service.name}Soap` },
    element(`${prefix}:binding`, { transport: TRANSPORT }),
    ...operations.map(({ name, alias }) =>
      element(
        "wsdl:operation",
        { name: alias },
        element(`${prefix}:operation`, { soapAction: `${base}/${name}`, style: "document" }),
        element("wsdl:input", {}, body),
        element("wsdl:output", {}, body),
      ),
    ),
  );
}
