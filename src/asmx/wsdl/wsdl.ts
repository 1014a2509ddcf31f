/**
 * The WSDL 1.1 description of a service: document/literal wrapped, a port type for each kind of operation
 * names, a binding and a port of it for each SOAP version. The layout is that of ASMX, so that generated
 * clients get the names that existing programs expect.
 *
 * It takes the contract and the base URL, which is the target namespace.
 */
import type { Operation, Service } from "#contract/service.ts";
import { escapeText } from "#soap/reply/escape.ts";
import { schema } from "./schema.ts";
import { element, indentXml, XML_DECLARATION } from "./xml-text.ts";

/**
 * `dotted`: the operations' own names. `short`: those that programs written against the historic WSDL call.
 * The messages are the same.
 */
const nameKinds = ["dotted", "short"] as const;
export type NameKind = (typeof nameKinds)[number];

/** The prefix of a SOAP version's WSDL extension elements, and the name of its binding and port. */
interface Port {
  readonly prefix: "soap" | "soap12";
  readonly name: string;
}
interface PortType {
  readonly name: string;
  readonly operations: readonly NamedOperation[];
  /** One for each SOAP version. */
  readonly ports: readonly [Port, Port];
}
interface NamedOperation {
  /** Its name in the port type. */
  readonly name: string;
  /** The name of its messages and elements. */
  readonly element: string;
  readonly doc: string;
}

/** The dotted one first: clients that use the first port only get the operations' own names. */
export function portTypes(service: Service, kinds: readonly NameKind[] = nameKinds): readonly PortType[] {
  const operations = Object.entries(service.operations);
  return kinds.map((kind) => {
    const name = `${service.name}${kind === "short" ? "Short" : ""}Soap`;
    const namesOf = (element: string, { shortNames }: Operation): readonly string[] =>
      kind === "short" ? shortNames.map((short) => short.name) : [element];
    return {
      name,
      operations: operations.flatMap(([element, operation]) =>
        namesOf(element, operation).map((name) => ({ name, element, doc: operation.doc })),
      ),
      ports: [
        { prefix: "soap", name },
        { prefix: "soap12", name: `${name}12` },
      ],
    };
  });
}

const TRANSPORT = "http://schemas.xmlsoap.org/soap/http";
const prefixes = {
  "xmlns:s": "http://www.w3.org/2001/XMLSchema",
  "xmlns:soap": "http://schemas.xmlsoap.org/wsdl/soap/",
  "xmlns:soap12": "http://schemas.xmlsoap.org/wsdl/soap12/",
  "xmlns:wsdl": "http://schemas.xmlsoap.org/wsdl/",
};

/** With both kinds of names, or with those of one kind. */
export function wsdl(service: Service, base: string, kinds?: readonly NameKind[]): string {
  const offered = portTypes(service, kinds);
  const location = `${base}${service.path}`;
  const definitions = element(
    "wsdl:definitions",
    { ...prefixes, "xmlns:tns": base, targetNamespace: base },
    documentation(service.doc),
    element("wsdl:types", {}, schema(service, base)),
    ...Object.keys(service.operations).flatMap(messages),
    ...offered.map(portType),
    ...offered.flatMap((type) => type.ports.map((port) => binding(type, port, base))),
    element(
      "wsdl:service",
      { name: service.name },
      documentation(service.doc),
      ...offered
        .flatMap(({ ports }) => ports)
        .map(({ prefix, name }) =>
          element("wsdl:port", { name, binding: `tns:${name}` }, element(`${prefix}:address`, { location })),
        ),
    ),
  );
  return `${indentXml(XML_DECLARATION + definitions)}\n`;
}

const documentation = (text: string): string => element("wsdl:documentation", {}, escapeText(text));

function messages(name: string): readonly string[] {
  const message = (suffix: string, root: string) =>
    element(
      "wsdl:message",
      { name: `${name}${suffix}` },
      element("wsdl:part", { name: "parameters", element: `tns:${root}` }),
    );
  return [message("SoapIn", name), message("SoapOut", `${name}Response`)];
}

function portType({ name, operations }: PortType): string {
  return element(
    "wsdl:portType",
    { name },
    ...operations.map((operation) =>
      element(
        "wsdl:operation",
        { name: operation.name },
        documentation(operation.doc),
        element("wsdl:input", { message: `tns:${operation.element}SoapIn` }),
        element("wsdl:output", { message: `tns:${operation.element}SoapOut` }),
      ),
    ),
  );
}

function binding(type: PortType, { prefix, name }: Port, base: string): string {
  const body = element(`${prefix}:body`, { use: "literal" });
  return element(
    "wsdl:binding",
    { name, type: `tns:${type.name}` },
    element(`${prefix}:binding`, { transport: TRANSPORT }),
    ...type.operations.map((operation) =>
      element(
        "wsdl:operation",
        { name: operation.name },
        element(`${prefix}:operation`, { soapAction: `${base}/${operation.element}`, style: "document" }),
        element("wsdl:input", {}, body),
        element("wsdl:output", {}, body),
      ),
    ),
  );
}
