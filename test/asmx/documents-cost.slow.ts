/** What a document costs for a host that nobody has named before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Documents } from "#asmx/documents.ts";
import { operationPage } from "#asmx/help/operation-page.ts";
import { wsdl } from "#asmx/wsdl/wsdl.ts";
import { contract } from "#contract/operations.ts";
import { COMPRESSED_AT_ONCE } from "#http/cached-documents.ts";

const OPERATION = "Subscriber.AddwithBasicandCustoms";

/** In microseconds, the least of several: others are at work on the machine. */
function cpuOf(work: (nth: number) => void, times = 50): number {
  const runs = Array.from({ length: 7 }, (_, run) => {
    const before = process.cpuUsage();
    for (let n = 0; n < times; n += 1) work(run * times + n);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / times;
  });
  return Math.min(...runs);
}

for (const [query, render] of [
  ["wsdl", (base: string) => wsdl(contract, base)],
  [`op=${OPERATION}`, (base: string) => operationPage(contract, base, OPERATION)],
] as const)
  test(`a document for a new host costs a fraction of generating and compressing it: ${query}`, (t) => {
    const documents = new Documents(contract);
    const whole = cpuOf((n) => gzipSync(render(`http://w${n}.example`) ?? "", { level: 9 }));
    // What may be compressed at once has been.
    for (let n = 0; n < 2 * COMPRESSED_AT_ONCE; n += 1)
      assert.ok(documents.find(`http://g${n}.example`, query).gzip);
    const each = cpuOf((n) => documents.find(`http://h${n}.example`, query).gzip);
    t.diagnostic(`${Math.round(each)} µs, and ${Math.round(whole)} to write and compress it`);
    assert.ok(each < whole / 3, `${each} of ${whole} µs`);
  });
