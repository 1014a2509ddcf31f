/** What a client's program says of a step, and whether that is what was expected. */
import assert from "node:assert/strict";
import { contract } from "../../src/contract/operations.ts";
import { all, one, parseXml, type XmlNode } from "../asmx/xml-tree.ts";
import type { Result, Row, Step } from "./scenario.ts";

/** A line of a client's program. */
export type Outcome =
  | { readonly result: Result }
  /** The whole answer, where the client is no more than a way to send and receive. */
  | { readonly xml: string }
  | { readonly fault: Fault };
export interface Fault {
  /** How the client shows that it is a fault: an exception's class, or whatever it has. */
  readonly type: string;
  readonly code: string;
  readonly text: string;
}

/** Throws an AssertionError where the step did not go as it should. */
export function check({ operation, expected }: Step, outcome: Outcome): void {
  if ("result" in expected) {
    const result =
      "xml" in outcome ? resultIn(operation, outcome.xml) : "result" in outcome ? outcome.result : outcome;
    return assertSame(result as Result, expected.result);
  }
  assert.ok("fault" in outcome, `no fault: ${JSON.stringify(outcome).slice(0, 500)}`);
  assert.equal(outcome.fault.code, expected.fault);
  assert.ok(outcome.fault.text.includes(expected.mentions), outcome.fault.text);
}

export const assertSame = (actual: Result, expected: Result): void =>
  assert.deepEqual(comparable(actual), comparable(expected));

/** What a client makes of an empty element is its own affair: an empty text, or nothing. */
function comparable(result: Result): Result {
  if (result === null || typeof result === "string") return result;
  if (isRows(result)) return result.map((row) => comparable(row) as Row);
  const given = Object.entries(result).filter(([, value]) => value !== null && value !== "");
  return Object.fromEntries(given.map(([name, value]) => [name, value.replace(/\.\d+Z$/, "Z")]));
}

const isRows = (result: Result): result is readonly Row[] => Array.isArray(result);

/** The result of an operation in its answer. */
export function resultIn(operation: Step["operation"], xml: string): Result {
  const { result: type } = contract.operations[operation];
  const result = one(parseXml(xml), `${operation}Result`);
  const row = (node: XmlNode): Row =>
    Object.fromEntries(node.children.map(({ local, text }) => [local, text]));
  if (type.kind === "array") return all(result, type.item.name).map(row);
  if (type.kind === "sequence") return result.attributes["xsi:nil"] === "true" ? null : row(result);
  return result.text;
}
