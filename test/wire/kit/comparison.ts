/** Compares the response that came with the one that a case expects. */
import assert from "node:assert/strict";
import type { Bytes } from "./exchange.ts";
import type { Step } from "./parse.ts";
import type { Request } from "./request.ts";
import { ANY, toText } from "./response.ts";
import { toLines } from "./response-lines.ts";

export type Values = Readonly<Record<string, string>>;

export interface Exchanged {
  readonly step: Step;
  readonly request: Request;
  readonly actual: Bytes;
  readonly values: Values;
}

/** `place` is the file of the case, for the message. */
export function assertExpected(exchanged: Exchanged, place: string): void {
  const { step, actual } = exchanged;
  const expected = step.responses.length === 0 ? "" : expectedBytes(exchanged);
  if (expected === actual) return;
  const line = step.responses[0]?.line ?? step.request.line;
  const written = linesOf(exchanged).join("\n");
  assert.equal(utf8(actual), utf8(expected), `${place}:${line}: UPDATE_WIRE=1 would write\n${written}\n`);
  assert.fail(`the bytes differ, though they read the same: ${JSON.stringify([actual, expected])}`);
}

/** As `assertExpected`. A text that a case should have, and has not, is no error here. */
export function isExpected(exchanged: Exchanged): boolean {
  try {
    return expectedBytes(exchanged) === exchanged.actual;
  } catch {
    return false;
  }
}

/** The lines of a case that expects this response. */
export function linesOf({ request, actual, values }: Exchanged): readonly string[] {
  const { address = "", port = "" } = values;
  return toLines(utf8(actual), request.about).map((line) =>
    line.replaceAll(address, "{{address}}").replaceAll(`:${port}`, ":{{port}}"),
  );
}

const utf8 = (text: Bytes): string => Buffer.from(text, "latin1").toString("utf8");
const bytes = (text: string): Bytes => Buffer.from(text, "utf8").toString("latin1");

function expectedBytes({ step, request, actual, values }: Exchanged): Bytes {
  return withFragments(bytes(toText(step.responses, request.about, values)), actual);
}

/** The actual response where it has all fragments that are expected of its body, else the expectation. */
function withFragments(expected: Bytes, actual: Bytes): Bytes {
  const mark = `\n\n${ANY}\n`;
  const at = expected.indexOf(mark);
  if (at === -1 || actual.slice(0, at + 2) !== expected.slice(0, at + 2)) return expected;
  let from = at + 2;
  for (const fragment of expected.slice(at + mark.length).split("\n")) {
    const found = actual.indexOf(fragment, from);
    if (found === -1) return expected;
    from = found + fragment.length;
  }
  return actual;
}
