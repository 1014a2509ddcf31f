/**
 * The XML Schema of a service: an element per request and per response, then the named types in the order of
 * their first use, each once. XML Schema Part 1.
 */
import type { Operation, Service } from "#contract/service.ts";
import type { Fields, XsdType } from "#contract/xsd.ts";
import { element } from "./xml-text.ts";

export function schema(service: Service, namespace: string): string {
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
