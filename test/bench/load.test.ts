/** The output of load generators: a run with a failure is no measurement. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readLoadResult } from "../../bench/load/wrk.ts";
import { readDownload } from "../../bench/measure/download.ts";
import { expectedBytes } from "../../bench/measure/lists.ts";

const none = { connect: 0, read: 0, write: 0, status: 0, timeout: 0 };
const written = (failed: object, requests = 8000): string =>
  JSON.stringify({
    requests,
    microseconds: 2_000_000,
    bytes: 1,
    failed,
    p50: 1500,
    p99: 20_250,
    max: 30_000,
  });

test("reads rate and latency from a successful run of wrk", () => {
  assert.deepEqual(readLoadResult(written(none)), {
    requests: 8000,
    seconds: 2,
    perSecond: 4000,
    p50Ms: 1.5,
    p99Ms: 20.25,
  });
});
test("fails the run for any failed request, and reports it", () => {
  for (const kind of Object.keys(none))
    assert.throws(
      () => readLoadResult(written({ ...none, [kind]: 3 })),
      new RegExp(`of 8000 requests failed: 3 \\(${kind}\\)`),
    );
});
test("rejects a run without an answer", () => {
  assert.throws(() => readLoadResult(written(none, 0)), /no request was answered/);
});

test("reads a download from the output of curl", () => {
  assert.deepEqual(readDownload("200 2660521 0.0107 0.0287\n"), {
    bytes: 2_660_521,
    seconds: 0.0287,
    firstByteMs: 10.7,
  });
});
test("rejects a download with a status other than 200", () => {
  assert.throws(() => readDownload("500 512 0.001 0.002"), /HTTP 500/);
  assert.throws(() => readDownload(""), /HTTP/);
});

test("computes the size of a list from two others", () => {
  const size = (rows: number): number => 400 + 230 * rows;
  assert.equal(expectedBytes(size(100), size(10_000), 1_000_000), size(1_000_000));
});
