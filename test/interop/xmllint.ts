/**
 * What an independent tool says of our documents: xmllint, with the schemas of WSDL 1.1, of its SOAP binding,
 * of XML Schema and of both SOAP envelopes as Debian ships them, and with the schema in our own WSDL.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const DEBIAN = "/usr/lib/python3/dist-packages/xmlschema/schemas";
const SOAP12 = fileURLToPath(
  new URL("../../node_modules/.cache/mailroll-interop/soap12-envelope.xsd", import.meta.url),
);
const XML = `${DEBIAN}/XML/xml_minimal.xsd`;

/** What is wrong with the files, in the tool's words; empty where nothing is. */
export function xmllint(schema: string, files: readonly string[]): string {
  const { status, stderr, error } = spawnSync(
    "xmllint",
    ["--nonet", "--noout", "--schema", schema, ...files],
    {
      encoding: "utf8",
      maxBuffer: 64 * 1024 ** 2,
    },
  );
  if (error !== undefined) throw error;
  const complaints = stderr.split("\n").filter((line) => line !== "" && !line.endsWith(" validates"));
  return status === 0 ? "" : `xmllint ended with ${status}:\n${complaints.slice(0, 20).join("\n")}`;
}

/** Writes a schema that imports others, each known by its namespace, and gives back its file. */
function importing(folder: string, name: string, imports: Readonly<Record<string, string>>): string {
  const file = join(folder, name);
  const lines = Object.entries(imports).map(
    ([namespace, location]) => `<xs:import namespace="${namespace}" schemaLocation="${location}"/>`,
  );
  const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${lines.join("")}</xs:schema>`;
  writeFileSync(file, schema);
  return file;
}

/** A schema as it is, but with what it imports from the network taken from this machine. */
function local(folder: string, name: string, source: string): string {
  const file = join(folder, name);
  const text = readFileSync(source, "utf8").replace("http://www.w3.org/2001/xml.xsd", XML);
  writeFileSync(file, text);
  return file;
}

/** The schema for a WSDL with its SOAP 1.1 binding. */
export const wsdlSchema = (folder: string): string =>
  importing(folder, "wsdl-with-soap.xsd", {
    "http://schemas.xmlsoap.org/wsdl/": `${DEBIAN}/WSDL/wsdl.xsd`,
    "http://schemas.xmlsoap.org/wsdl/soap/": `${DEBIAN}/WSDL/wsdl-soap.xsd`,
  });

/** The schema for schemas. */
export const schemaSchema = (folder: string): string =>
  local(folder, "XMLSchema.xsd", `${DEBIAN}/XSD_1.0/XMLSchema.xsd`);

/** The schema that stands in a WSDL, as a document of its own. */
export function schemaOf(wsdl: string): string {
  const [, prefixes = ""] = /<wsdl:definitions([^>]*) targetNamespace=/.exec(wsdl) ?? [];
  const [, inner] = /<wsdl:types>\s*(<s:schema[\s\S]*<\/s:schema>)/.exec(wsdl) ?? [];
  assert.ok(inner !== undefined, "a WSDL without a schema");
  return inner.replace("<s:schema", `<s:schema${prefixes}`);
}

/** The schema for answers: an envelope of either version, and in its Body what the WSDL declares. */
export function answerSchema(folder: string, wsdl: string, namespace: string): string {
  const ours = join(folder, "mailroll.xsd");
  writeFileSync(ours, schemaOf(wsdl));
  return importing(folder, "answer.xsd", {
    "http://schemas.xmlsoap.org/soap/envelope/": `${DEBIAN}/WSDL/soap-envelope.xsd`,
    "http://www.w3.org/2003/05/soap-envelope": local(folder, "soap12.xsd", SOAP12),
    [namespace]: ours,
  });
}
