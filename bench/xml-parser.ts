/**
 * `npm run bench:xml`: the CPU time of the XML parser, compared in one run with that of saxes, which takes
 * too long for small elements and their attributes. It fails if ours is not the quicker one.
 * docs/reference/reliability.md has the milliseconds per MiB.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SaxesParser } from "saxes";
import { XmlParser } from "#xml/parser.ts";

const SIZE = 1 << 20;
const SLICE = 16_384;
const numbered = (count: number, one: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => one(n)).join("");

const units: Readonly<Record<string, string>> = {
  "small elements": "<a/>",
  "elements with text": "<a>b</a>",
  "an attribute each": "<a b=''/>",
  "64 attributes each": `<a${numbered(64, (n) => ` a${n}=''`)}/>`,
  "60 declarations each": `<a${numbered(60, (n) => ` xmlns:p${n}='u'`)}/>`,
  "a prefix of its own each": "<p:a xmlns:p='urn:p'/>",
  "nested elements": "<a>".repeat(50) + "</a>".repeat(50),
};

const nothing = (): void => {};
function byOurs(slices: readonly string[]): void {
  const parser = new XmlParser({ open: nothing, close: nothing, text: nothing });
  parser.begin();
  for (const slice of slices) parser.write(slice);
  parser.end();
}
function bySaxes(slices: readonly string[]): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.on("opentag", nothing);
  parser.on("closetag", nothing);
  parser.on("text", nothing);
  for (const slice of slices) parser.write(slice);
  parser.close();
}
function cost(read: (slices: readonly string[]) => void, slices: readonly string[]): number {
  const before = process.threadCpuUsage();
  read(slices);
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

describe("the parser takes less CPU time than saxes for a MiB of", { concurrency: 1 }, () => {
  for (const [name, unit] of Object.entries(units))
    test(`parses ${name} in less CPU time than saxes`, () => {
      const text = `<r>${unit.repeat(Math.ceil(SIZE / unit.length))}</r>`;
      const slices = Array.from({ length: Math.ceil(text.length / SLICE) }, (_, index) =>
        text.slice(index * SLICE, (index + 1) * SLICE),
      );
      let [ours, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      // In turns, and the least of each, so that whatever else the machine does meets both.
      for (let round = 0; round < 6; round += 1) {
        ours = Math.min(ours, cost(byOurs, slices));
        theirs = Math.min(theirs, cost(bySaxes, slices));
      }
      assert.ok(ours < theirs, `${ours} µs against ${theirs} µs`);
    });
});
