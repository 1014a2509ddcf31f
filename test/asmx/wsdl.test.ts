import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { disco } from "../../src/asmx/disco.ts";
import { wsdl } from "../../src/asmx/wsdl.ts";
import { contract } from "../../src/contract/operations.ts";
import { toyService } from "../toy-contract.ts";
import { assertGolden } from "./golden.ts";
import { all, one, parseXml, type XmlNode } from "./xml-tree.ts";

const base = "https://mail.example.org";
const WSDL = "http://schemas.xmlsoap.org/wsdl/";
const named = (nodes: readonly XmlNode[]) => nodes.map(({ attributes }) => attributes.name);

describe("the WSDL of any service", () => {
  const document = parseXml(wsdl(toyService, base, "dotted"));
  const schema = one(document, "schema");
  const occurrence = (element: string, parameter: string) => {
    const { minOccurs, maxOccurs, nillable, type } = one(
      one(schema, "element", element),
      "element",
      parameter,
    ).attributes;
    return [minOccurs, maxOccurs, nillable ?? "false", type].join(" ");
  };

  test("declares one qualified schema in the base address's namespace", () => {
    assert.equal(document.uri, WSDL);
    assert.equal(document.attributes.targetNamespace, base);
    assert.equal(schema.attributes.targetNamespace, base);
    assert.equal(schema.attributes.elementFormDefault, "qualified");
  });

  test("requires numbers, booleans and enumerations, not strings, arrays or a dateTime that may be missing", () => {
    assert.equal(occurrence("Toy.Put", "Token"), "0 1 false s:string");
    assert.equal(occurrence("Toy.Put", "Size"), "1 1 false s:unsignedByte");
    assert.equal(occurrence("Toy.Put", "Serial"), "1 1 false s:long");
    assert.equal(occurrence("Toy.Put", "Loved"), "1 1 false s:boolean");
    assert.equal(occurrence("Toy.Put", "Colour"), "1 1 false tns:Colour");
    assert.equal(occurrence("Toy.Put", "Made"), "1 1 false s:dateTime");
    assert.equal(occurrence("Toy.Put", "Broken"), "0 1 false s:dateTime");
    assert.equal(occurrence("Toy.Put", "Parts"), "0 1 false tns:ArrayOfPart");
    assert.equal(occurrence("Box.All", "At"), "0 1 false tns:toy");
  });

  test("says of a result whether it is always there, and of the single record that it may be nil", () => {
    assert.equal(occurrence("Toy.PutResponse", "Toy.PutResult"), "1 1 false s:unsignedByte");
    assert.equal(occurrence("Toy.BestResponse", "Toy.BestResult"), "1 1 true tns:toy");
    assert.equal(occurrence("Box.AllResponse", "Box.AllResult"), "0 1 false tns:ArrayOfToy");
    assert.equal(occurrence("Lid.IsOpenResponse", "Lid.IsOpenResult"), "1 1 false s:boolean");
  });

  test("lists requests and responses first, then each named type once, in the order of first use", () => {
    assert.deepEqual(named(schema.children), [
      ...["Toy.Put", "Toy.PutResponse", "Toy.Best", "Toy.BestResponse"],
      ...["Box.All", "Box.AllResponse", "Lid.IsOpen", "Lid.IsOpenResponse"],
      ...["Colour", "ArrayOfPart", "part", "toy", "ArrayOfToy"],
    ]);
  });

  test("writes arrays as repeated records and enumerations as restricted strings", () => {
    const item = one(one(schema, "complexType", "ArrayOfPart"), "element");
    assert.deepEqual(item.attributes, {
      minOccurs: "0",
      maxOccurs: "unbounded",
      name: "part",
      type: "tns:part",
    });
    const colour = one(schema, "simpleType", "Colour");
    assert.deepEqual(
      all(colour, "enumeration").map(({ attributes }) => attributes.value),
      ["RED", "GREEN & BLUE"],
    );
  });

  test("offers both SOAP versions at the endpoint's address", () => {
    const service = one(document, "service");
    assert.deepEqual(named(all(service, "port")), ["ToyboxSoap", "ToyboxSoap12"]);
    for (const address of all(service, "address"))
      assert.equal(address.attributes.location, `${base}/toys/box.asmx`);
    assert.deepEqual(
      all(service, "address").map(({ uri }) => uri),
      ["http://schemas.xmlsoap.org/wsdl/soap/", "http://schemas.xmlsoap.org/wsdl/soap12/"],
    );
  });

  test("carries the sentence of every operation", () => {
    const putToy = one(one(document, "portType"), "operation", "Toy.Put");
    assert.equal(one(putToy, "documentation").text, "Puts a toy & its parts into the box.");
  });
});

for (const names of ["dotted", "short"] as const)
  describe(`the WSDL of the real service, ${names} names`, () => {
    const document = parseXml(wsdl(contract, base, names));
    const operations = Object.entries(contract.operations);
    const expected = operations.map(([name, { shortName }]) => (names === "short" ? shortName : name));

    test("is the reviewed file", () => {
      assertGolden(names === "short" ? "mailroll-short.wsdl" : "mailroll.wsdl", wsdl(contract, base, names));
    });

    test("has thirteen operations in the port type and in each of two bindings, under unique names", () => {
      assert.equal(new Set(expected).size, 13);
      assert.deepEqual(named(all(one(document, "portType"), "operation")), expected);
      assert.deepEqual(named(all(document, "binding").filter(({ uri }) => uri === WSDL)), [
        "MailrollSoap",
        "MailrollSoap12",
      ]);
      for (const binding of all(document, "binding").filter(({ uri }) => uri === WSDL)) {
        const inBinding = all(binding, "operation").filter(({ uri }) => uri === WSDL);
        assert.deepEqual(named(inBinding), expected);
        const actions = all(binding, "operation").filter(({ uri }) => uri !== WSDL);
        assert.deepEqual(
          actions.map(({ attributes }) => attributes.soapAction),
          operations.map(([name]) => `${base}/${name}`),
        );
      }
    });

    test("calls messages and elements by the dotted names, whatever the operations are called", () => {
      assert.deepEqual(
        all(document, "message").map((message) => [
          message.attributes.name,
          one(message, "part", "parameters").attributes.element,
        ]),
        operations.flatMap(([name]) => [
          [`${name}SoapIn`, `tns:${name}`],
          [`${name}SoapOut`, `tns:${name}Response`],
        ]),
      );
    });

    test("has a target for every reference", () => {
      const namesOf = (...locals: readonly string[]) =>
        new Set(locals.flatMap((local) => named(all(document, local))));
      const schema = one(document, "schema");
      const topLevel = (local: string) =>
        new Set(named(schema.children.filter((node) => node.local === local)));
      const targets = {
        type: new Set([...topLevel("complexType"), ...topLevel("simpleType"), ...namesOf("portType")]),
        element: topLevel("element"),
        message: namesOf("message"),
        binding: namesOf("binding"),
      };
      let references = 0;
      const visit = (node: XmlNode): void => {
        for (const [attribute, known] of Object.entries(targets)) {
          const value = node.attributes[attribute];
          if (value?.startsWith("tns:") !== true) continue;
          references += 1;
          assert.ok(known.has(value.slice("tns:".length)), `${node.local} ${attribute}="${value}"`);
        }
        node.children.forEach(visit);
      };
      visit(document);
      assert.ok(references > 13 * 4);
    });
  });

describe("the discovery document", () => {
  test("is the reviewed file", () => assertGolden("mailroll.disco", disco(contract, base)));

  test("points at the description and at both bindings", () => {
    const document = parseXml(disco(toyService, base));
    assert.equal(document.uri, "http://schemas.xmlsoap.org/disco/");
    assert.equal(one(document, "contractRef").attributes.ref, `${base}/toys/box.asmx?wsdl`);
    assert.deepEqual(
      all(document, "soap").map(({ attributes }) => attributes.binding),
      ["tns:ToyboxSoap", "tns:ToyboxSoap12"],
    );
  });
});
