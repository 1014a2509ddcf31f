/**
 * The WSDL 1.1 description of a service: document/literal wrapped, a port type for each kind of operation
 * names, a binding and a port of it for each SOAP version. The layout is that of ASMX, so that generated
 * clients get the names that existing programs expect.
 *
 * It takes the contract and the base URL, which is the target namespace.
 */
import type { Operation, Service } from "#contract/service.ts";
import type { Fields, XsdType } from "#contract/xsd.ts";
import { escapeText } from "#soap/reply/escape.ts";
import { element, indentXml, XML_DECLARATION } from "./xml-text.ts";

/**
 * The XML Schema of a service: an element per request and per response, then the named types in the order of
 * their first use, each once. XML Schema Part 1.
 */
function schema(service: Service, namespace: string): string {
  const named = new Map<string, string>();
  const elements = Object.entries(service.operations).flatMap(([name, operation]) => {
    for (const type of [...Object.values(operation.params), operation.result]) addNamed(named, type);
    return [
      element("s:element", { name }, complexType({}, particles(operation.params))),
      element("s:element", { name: `${name}Response` }, complexType({}, [resultParticle(name, operation)])),
    ];
  });
  return element(
    "s:schema",
    { elementFormDefault: "qualified", targetNamespace: namespace },
    ...elements,
    ...named.values(),
  );
}

/** Reserves the name before looking inside, so that the order in the document is the order of first use. */
function addNamed(named: Map<string, string>, type: XsdType): void {
  if (type.kind === "scalar" || named.has(type.name)) return;
  named.set(type.name, definition(type));
  if (type.kind === "array") addNamed(named, type.item);
  if (type.kind === "sequence") for (const field of Object.values(type.fields)) addNamed(named, field);
}

function definition(type: Exclude<XsdType, { kind: "scalar" }>): string {
  const { name } = type;
  switch (type.kind) {
    case "enum":
      return element(
        "s:simpleType",
        { name },
        element(
          "s:restriction",
          { base: "s:string" },
          ...type.values.map((value) => element("s:enumeration", { value })),
        ),
      );
    case "sequence":
      return complexType({ name }, particles(type.fields));
    case "array": {
      const { item } = type;
      const occurs = { minOccurs: "0", maxOccurs: "unbounded" };
      return complexType({ name }, [
        element("s:element", { ...occurs, name: item.name, type: typeName(item) }),
      ]);
    }
    default:
      return type satisfies never;
  }
}

function complexType(attributes: Readonly<Record<string, string>>, content: readonly string[]): string {
  return element(
    "s:complexType",
    attributes,
    ...(content.length === 0 ? [] : [element("s:sequence", {}, ...content)]),
  );
}

function particles(fields: Fields): readonly string[] {
  return Object.entries(fields).map(([name, type]) =>
    element("s:element", { minOccurs: minOccurs(type), maxOccurs: "1", name, type: typeName(type) }),
  );
}

/**
 * A nillable result is always there, so that a typed client gets its null from xsi:nil, not from a missing
 * element.
 */
function resultParticle(operation: string, { result, nillable }: Operation): string {
  return element("s:element", {
    minOccurs: nillable ? "1" : minOccurs(result),
    maxOccurs: "1",
    name: `${operation}Result`,
    ...(nillable ? { nillable: "true" } : {}),
    type: typeName(result),
  });
}

const typeName = (type: XsdType): string => (type.kind === "scalar" ? `s:${type.xsd}` : `tns:${type.name}`);

function minOccurs(type: XsdType): "0" | "1" {
  if (type.kind === "scalar") return type.minOccurs === 0 ? "0" : "1";
  return type.kind === "enum" ? "1" : "0";
}

/**
 * The discovery document (DISCO) that ASMX services return at ?disco: where the WSDL is, and the bindings of
 * the address. Old .NET tools ("Add Web Reference") start from it.
 */
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

/**
 * `dotted`: the operations' own names. `short`: the names that programs written against the historic WSDL
 * call. The messages are the same.
 */
const nameKinds = ["dotted", "short"] as const;
type NameKind = (typeof nameKinds)[number];

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
function portTypes(service: Service, kinds: readonly NameKind[] = nameKinds): readonly PortType[] {
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

/** With both kinds of names, or with one kind. */
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
