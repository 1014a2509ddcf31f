import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { disco, wsdl } from "#asmx/wsdl/wsdl.ts";
import { contract } from "#contract/operations.ts";
import type { Operation } from "#contract/service.ts";
import { toyService } from "../toy-contract.ts";
import { assertGolden } from "./golden.ts";
import { all, one, parseXml, type XmlNode } from "./xml-tree.ts";

const base = "https://mail.example.org";
const WSDL = "http://schemas.xmlsoap.org/wsdl/";
const named = (nodes: readonly XmlNode[]) => nodes.map(({ attributes }) => attributes.name);

describe("the WSDL of any service", () => {
  const document = parseXml(wsdl(toyService, base));
  const schema = one(document, "schema");
  const occurrence = (element: string, parameter: string) => {
    const { minOccurs, maxOccurs, nillable, type } = one(
      one(schema, "element", element),
      "element",
      parameter,
    ).attributes;
    return [minOccurs, maxOccurs, nillable ?? "false", type].join(" ");
  };

  test("declares one qualified schema in the namespace of the base URL", () => {
    assert.equal(document.uri, WSDL);
    assert.equal(document.attributes.targetNamespace, base);
    assert.equal(schema.attributes.targetNamespace, base);
    assert.equal(schema.attributes.elementFormDefault, "qualified");
  });

  test("requires numbers, booleans and enumerations, but not strings, arrays or an optional dateTime", () => {
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

  test("declares whether a result is required, and that the single record may be nil", () => {
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
    const [soap, soap12] = [
      "http://schemas.xmlsoap.org/wsdl/soap/",
      "http://schemas.xmlsoap.org/wsdl/soap12/",
    ];
    assert.deepEqual(
      all(service, "port").map((port) => [port.attributes.name, one(port, "address").uri]),
      [
        ["ToyboxSoap", soap],
        ["ToyboxSoap12", soap12],
        ["ToyboxShortSoap", soap],
        ["ToyboxShortSoap12", soap12],
      ],
    );
    for (const address of all(service, "address"))
      assert.equal(address.attributes.location, `${base}/toys/box.asmx`);
  });

  test("declares an operation under each of its short names", () => {
    assert.deepEqual(named(all(one(document, "portType", "ToyboxShortSoap"), "operation")), [
      ...["PutToy", "BestToy", "AllToys", "EveryToy", "IsOpen"],
    ]);
  });

  test("contains the documentation of every operation", () => {
    const putToy = one(one(document, "portType", "ToyboxSoap"), "operation", "Toy.Put");
    assert.equal(one(putToy, "documentation").text, "Puts a toy & its parts into the box.");
  });
});

const operations = Object.entries<Operation>(contract.operations);
const offered = {
  MailrollSoap: operations.map(([name]) => [name, name] as const),
  MailrollShortSoap: operations.flatMap(([name, { shortNames }]) =>
    shortNames.map((short) => [short.name, name] as const),
  ),
} as const;

for (const [file, kinds, portTypes] of [
  ["mailroll.wsdl", undefined, ["MailrollSoap", "MailrollShortSoap"]],
  ["mailroll-dotted.wsdl", ["dotted"], ["MailrollSoap"]],
  ["mailroll-short.wsdl", ["short"], ["MailrollShortSoap"]],
] as const)
  describe(`the WSDL of the real service with ${kinds?.join() ?? "both kinds of"} names`, () => {
    const text = wsdl(contract, base, kinds);
    const document = parseXml(text);
    const bindings = all(document, "binding").filter(({ uri }) => uri === WSDL);

    test("matches the reviewed file", () => assertGolden(file, text));

    test("has the fifteen operations in each port type and in its two bindings, under unique names", () => {
      assert.deepEqual(named(all(document, "portType")), portTypes);
      assert.deepEqual(
        named(bindings),
        portTypes.flatMap((name) => [name, `${name}12`]),
      );
      for (const portType of portTypes) {
        const expected = offered[portType];
        const names = expected.map(([name]) => name);
        assert.equal(new Set(expected.map(([, element]) => element)).size, 15);
        assert.equal(new Set(names).size, names.length);
        assert.deepEqual(
          all(one(document, "portType", portType), "operation").map((operation) => [
            operation.attributes.name,
            one(operation, "input").attributes.message,
            one(operation, "output").attributes.message,
          ]),
          expected.map(([name, element]) => [name, `tns:${element}SoapIn`, `tns:${element}SoapOut`]),
        );
        for (const binding of bindings.filter(({ attributes }) => attributes.type === `tns:${portType}`)) {
          const inBinding = all(binding, "operation").filter(({ uri }) => uri === WSDL);
          assert.deepEqual(named(inBinding), names);
          const actions = all(binding, "operation").filter(({ uri }) => uri !== WSDL);
          assert.deepEqual(
            actions.map(({ attributes }) => attributes.soapAction),
            expected.map(([, element]) => `${base}/${element}`),
          );
        }
      }
    });

    test("names messages and elements by the dotted names in every variant", () => {
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
      assert.ok(references > 15 * 4);
    });
  });

describe("the short names of the real service", () => {
  test("are those that programs of the old service were observed to call", () => {
    const confirmed = {
      "Subscriber.Add": "AddSubscriber",
      "Client.GetSubscribersLists": "GetSubscribersLists",
      "Client.GetCampaignsList": "GetCampaignsList",
      "Client.GetLastSentCampaign": "GetLastSentCampaign",
      "Client.TestApiConnection": "TestApiConnection",
      "Campaign.GetSubscribersLists": "GetSubscribersListsByCampaign",
      "Campaign.GetUnsubscribesList": "GetUnsubscribesList",
      "Campaign.GetHardBouncesList": "GetHardBouncesList",
      "Subscriber.AddwithName": "AddSubscriberwithName",
      "Subscriber.AddwithNameandCustoms": "AddSubscriberwithNameandCustoms",
    };
    const found = operations.flatMap(([name, { shortNames }]) =>
      shortNames.filter(({ isConfirmed }) => isConfirmed).map((short) => [name, short.name]),
    );
    assert.deepEqual(Object.fromEntries(found), confirmed);
  });
});

describe("the discovery document", () => {
  test("matches the reviewed file", () => assertGolden("mailroll.disco", disco(contract, base)));

  test("points at the description and at all of its bindings", () => {
    const document = parseXml(disco(toyService, base));
    assert.equal(document.uri, "http://schemas.xmlsoap.org/disco/");
    assert.equal(one(document, "contractRef").attributes.ref, `${base}/toys/box.asmx?wsdl`);
    assert.deepEqual(
      all(document, "soap").map(({ attributes }) => attributes.binding),
      ["tns:ToyboxSoap", "tns:ToyboxSoap12", "tns:ToyboxShortSoap", "tns:ToyboxShortSoap12"],
    );
  });
});
