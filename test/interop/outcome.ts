/** What a client's program says of a step, and whether that is what was expected. */
import assert from "node:assert/strict";
import { contract } from "#contract/operations.ts";
import { all, one, parseXml, type XmlNode } from "../asmx/xml-tree.ts";
import type { Result, Row, Step } from "./scenario.ts";

/** A result as a client's program prints it. Some clients print null for an empty element. */
type Printed = string | PrintedRow | readonly PrintedRow[] | null;
type PrintedRow = Readonly<Record<string, string | null>>;

/** A line of a client's program. */
export type Outcome =
  | { readonly result: Printed }
  /** The whole answer, where the client is no more than a way to send and receive. */
  | { readonly xml: string }
  | { readonly fault: Fault };
export interface Fault {
  /**
   * How the client shows that it is a fault: an exception's class, or whatever it has; null where only its
   * code and text are told.
   */
  readonly type: string | null;
  readonly code: string;
  readonly text: string;
}

/** What the guide's example says of a subscription: "done", "refused: 206" or "fault InvalidApiKey: …". */
function understood(line: Outcome): Outcome {
  const said = "result" in line ? line.result : null;
  assert.ok(typeof said === "string", JSON.stringify(line));
  if (said === "done") return { result: "0" };
  const [, byte] = /^refused: (\d+)$/.exec(said) ?? [];
  if (byte !== undefined) return { result: byte };
  const [, code, text] = /^fault (\w+): (.*)$/s.exec(said) ?? [];
  assert.ok(code !== undefined && text !== undefined, said);
  return { fault: { type: null, code, text } };
}

/** Throws an AssertionError where the step did not go as it should. */
export function check({ operation, expected }: Step, line: Outcome, faultType: string): void {
  const outcome = operation === "Subscriber.Add" ? understood(line) : line;
  if ("result" in expected) {
    assert.ok(!("fault" in outcome), JSON.stringify(outcome));
    return assertSame("xml" in outcome ? resultIn(operation, outcome.xml) : outcome.result, expected.result);
  }
  assert.ok("fault" in outcome, `no fault: ${JSON.stringify(outcome).slice(0, 500)}`);
  const { type, code, text } = outcome.fault;
  assert.deepEqual([type, code], [type === null ? null : faultType, expected.fault]);
  assert.ok(text.includes(expected.mentions), text);
}

export function assertSame(actual: Printed, expected: Result): void {
  const [given, wanted] = [comparable(actual), comparable(expected)];
  // Row by row: to show how two lists of 5,000 rows differ takes longer than all the rest.
  if (isRows(given) && isRows(wanted)) {
    assert.equal(given.length, wanted.length, "the number of rows");
    for (const [index, row] of wanted.entries()) assert.deepEqual(given[index], row);
  } else assert.deepEqual(given, wanted);
}

/** What a client makes of an empty element is its own affair: an empty text, or nothing. */
function comparable(result: Printed): Printed {
  if (result === null || typeof result === "string") return result;
  if (isRows(result)) return result.map((row) => comparable(row) as PrintedRow);
  return Object.fromEntries(
    Object.entries(result).flatMap(([name, value]) =>
      value === null || value === "" ? [] : [[name, value.replace(/\.\d+Z$/, "Z")]],
    ),
  );
}

const isRows = (result: Printed): result is readonly PrintedRow[] => Array.isArray(result);

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
