import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { curlCommand, type SampleValue, sampleReply, sampleRequest } from "#asmx/samples.ts";
import { contract } from "#contract/operations.ts";
import type { Service } from "#contract/service.ts";
import type { XsdType } from "#contract/xsd.ts";
import { answerWriter } from "#soap/reply/encode.ts";
import { sequenceReader } from "#soap/request/decode.ts";
import { RequestReader } from "#soap/request/request-reader.ts";
import { type SoapVersion, soap11, soap12 } from "#soap/version.ts";
import { toyService } from "../toy-contract.ts";

const base = "https://mail.example.org";
const namespaces = { expected: base, accepts: (namespace: string) => namespace === base };

function read(service: Service, envelope: string) {
  const operations = Object.entries(service.operations);
  const readers = new Map(operations.map(([name, { params }]) => [name, sequenceReader(params)]));
  return new RequestReader(readers).read(envelope, namespaces);
}

/** The example's text, read by its type: what the service must have understood. */
function meant(type: XsdType, value: SampleValue | undefined): unknown {
  if (value === undefined) return null;
  if (typeof value === "string")
    return type.kind === "scalar" ? type.read(value) : type.kind === "enum" ? value : assert.fail();
  if (type.kind === "array")
    return (value as readonly Record<string, string>[]).map((row) =>
      Object.fromEntries(
        Object.entries(type.item.fields).map(([name, field]) => [name, meant(field, row[name])]),
      ),
    );
  return assert.fail("an example that is neither text nor rows");
}

function assertUnderstood(service: Service, version: SoapVersion, name: string): void {
  const operation = service.operations[name];
  assert.ok(operation);
  const message = read(service, sampleRequest(version, base, name, operation));
  assert.equal(message.problem, null);
  assert.equal(message.version, version);
  assert.equal(message.operation, name);
  const input: Readonly<Record<string, SampleValue | undefined>> = operation.example.input;
  const expected = Object.entries(operation.params).map(([key, type]) => [key, meant(type, input[key])]);
  assert.deepEqual(message.input, Object.fromEntries(expected));
}

for (const service of [contract, toyService])
  for (const version of [soap11, soap12])
    describe(`samples of ${service.name}, SOAP ${version.name}`, () => {
      for (const [name, operation] of Object.entries(service.operations)) {
        test(`${name}: the sample request is parsed into the values of the example`, () => {
          assertUnderstood(service, version, name);
        });
        test(`${name}: the sample reply is what the service writes, indented`, () => {
          const sample = sampleReply(version, base, name, operation);
          const written = answerWriter(name, operation).whole(version, base, operation.example.output);
          assert.equal(sample.replace(/\n */g, ""), written);
          assert.notEqual(sample, written);
        });
      }
    });

describe("a sample request", () => {
  const put = toyService.operations["Toy.Put"];

  test("begins with the XML declaration on a line of its own and uses the version's prefix", () => {
    const lines = sampleRequest(soap12, base, "Toy.Put", put).split("\n");
    assert.equal(lines[0], '<?xml version="1.0" encoding="utf-8"?>');
    assert.equal(lines[1], `<soap12:Envelope xmlns:soap12="${soap12.namespace}">`);
    assert.equal(lines[2], "  <soap12:Body>");
    assert.equal(lines[3], `    <Toy.Put xmlns="${base}">`);
    assert.equal(lines[5], "      <Size>3</Size>");
  });

  test("uses given values instead of the example's and omits what is not given", () => {
    const message = read(
      toyService,
      sampleRequest(soap11, base, "Toy.Put", put, {
        Token: "t",
        Colour: "RED",
        Parts: [{ Label: "<&>", Colour: "RED" }],
      }),
    );
    assert.equal(message.problem, null);
    assert.equal(message.input?.Token, "t");
    assert.equal(message.input.Size, null);
    assert.deepEqual(message.input.Parts, [{ PartId: null, Label: "<&>", Colour: "RED" }]);
  });

  test("rejects a value that does not match its type", () => {
    assert.throws(() => sampleRequest(soap11, base, "Toy.Put", put, { Token: [] }), /Token/);
  });
});

describe("the curl command", () => {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  /** What a real shell hands to the program, one argument a string. */
  const shellArguments = (command: string): readonly string[] =>
    execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }; ${command}`], { encoding: "utf8" }).split(
      "\0",
    );

  test("is quoted correctly for the shell, whatever quotes the values contain", () => {
    const [address, , contentType, , action, , body] = shellArguments(
      curlCommand(toyService, base, "Toy.Put"),
    );
    assert.equal(address, `${base}/toys/box.asmx`);
    assert.equal(contentType, "Content-Type: text/xml; charset=utf-8");
    assert.equal(action, `SOAPAction: "${base}/Toy.Put"`);
    assert.equal(body, sampleRequest(soap11, base, "Toy.Put", toyService.operations["Toy.Put"]));
    assert.match(body, /it's an arm/);
  });

  test("uses given values", () => {
    const body = shellArguments(
      curlCommand(toyService, base, "Lid.IsOpen", { Token: "it's $HOME `date` \\" }),
    ).at(-2);
    assert.equal(read(toyService, body ?? "").input?.Token, "it's $HOME `date` \\");
  });

  test("reads a secret from a shell variable, whatever it contains, and does not show it", () => {
    const command = curlCommand(toyService, base, "Lid.IsOpen", { Token: "secret" }, { Token: "TOKEN" });
    assert.ok(!command.includes("secret"));
    for (const token of ["plain", 'it\'s <b> & "quoted" $HOME `date` \\ %s', "]]>a]]&gt;", "-n\\n&amp;\\&"]) {
      const body = shellArguments(`TOKEN=${quoted(token)}; ${command}`).at(-2);
      assert.equal(read(toyService, body ?? "").input?.Token, token);
    }
  });

  test("does not exist for an unknown operation", () => {
    assert.throws(() => curlCommand(toyService, base, "Toy.Burn"), /no operation Toy.Burn/);
  });
});
