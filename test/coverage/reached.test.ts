/** The lines that coverage reports call unreached. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { asRanges, parseReport, Reached } from "./reached.ts";

const text = `const a = 1;
function f(x) {
  if (x) {
    return 1;
  }
  // why
  return 2;
}
`;
const range = (from: string, to: string, count: number) => ({
  startOffset: text.indexOf(from),
  endOffset: text.indexOf(to) + to.length,
  count,
});
const whole = { ranges: [{ startOffset: 0, endOffset: text.length, count: 1 }] };

test("a line is unreached if no process executed any of its code", () => {
  const reached = new Reached(text);
  reached.add({ url: "", functions: [whole, { ranges: [range("function", "return 2;\n}", 0)] }] });
  assert.deepEqual(reached.unreached(), [2, 3, 4, 7]);
  const returnsOne = [range("function", "return 2;\n}", 1), range("// why", "return 2;", 0)];
  reached.add({ url: "", functions: [whole, { ranges: returnsOne }] });
  assert.deepEqual(reached.unreached(), [7]);
  const returnsTwo = [range("function", "return 2;\n}", 1), range("return 1;", "return 1;", 0)];
  reached.add({ url: "", functions: [whole, { ranges: returnsTwo }] });
  assert.deepEqual(reached.unreached(), []);
});

test("half a report, of a process that was killed while it wrote, counts as none", () => {
  const written = JSON.stringify({ result: [{ url: "file:///a.ts", functions: [whole] }] });
  assert.deepEqual(parseReport(written), JSON.parse(written));
  assert.equal(parseReport(written.slice(0, -20)), null);
  assert.equal(parseReport(""), null);
});

test("adjacent lines are printed as a range", () => {
  assert.equal(asRanges([3, 7, 8, 9, 12]), "3, 7–9, 12");
});
