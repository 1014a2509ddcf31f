import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import {
  type Change,
  MAX_PAIRS,
  MAX_PAIRS_PER_CLIENT,
  MAX_USER_AGENT,
  type UnfollowedRead,
  WsdlReads,
} from "#asmx/wsdl-use/reads.ts";
import { MAX_CALLS, RecentCalls } from "#asmx/wsdl-use/recent-calls.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let now = 0;
let reported: UnfollowedRead[] = [];
let reads: WsdlReads;
const made = (onChange?: (change: Change) => void): WsdlReads =>
  new WsdlReads({
    clock: () => now,
    onUnfollowed: (read) => reported.push(read),
    ...(onChange === undefined ? {} : { onChange }),
  });
beforeEach(() => {
  now = 1;
  reported = [];
  reads = made();
});
const zeep = { client: "192.0.2.1", userAgent: "Zeep/4.2.1" };
const later = (ms: number): void => {
  now += ms;
  reads.sweep();
};

describe("a WSDL read", () => {
  test("is reported if no call follows within ten minutes", () => {
    reads.read(zeep);
    later(10 * MINUTE - 1);
    assert.deepEqual(reported, []);
    later(1);
    assert.deepEqual(reported, [{ ...zeep, reads: 1 }]);
    later(10 * MINUTE);
    assert.equal(reported.length, 1);
  });

  test("is not reported if a call follows", () => {
    reads.read(zeep);
    assert.ok(reads.hasPending);
    later(9 * MINUTE);
    reads.called(zeep);
    assert.ok(!reads.hasPending, "the calls that come next are not looked at");
    later(DAY);
    assert.deepEqual(reported, []);
  });

  test("is reported with the number of reads, counted from the first one", () => {
    for (let n = 0; n < 5; n += 1) {
      reads.read(zeep);
      later(2 * MINUTE);
    }
    assert.deepEqual(reported, [{ ...zeep, reads: 5 }]);
  });

  test("is reported once a day for each client and User-Agent", () => {
    for (let hour = 0; hour < 24; hour += 1) {
      reads.read(zeep);
      reads.read({ ...zeep, client: "192.0.2.2" });
      reads.read({ ...zeep, userAgent: "Zeep/5" });
      later(60 * MINUTE);
    }
    assert.equal(reported.length, 3);
    reads.read(zeep);
    later(10 * MINUTE);
    assert.equal(reported.length, 3, "less than a day after the line");
    later(50 * MINUTE);
    reads.read(zeep);
    later(10 * MINUTE);
    assert.equal(reported.length, 4);
  });

  test("is not followed by the call of another client or another User-Agent", () => {
    reads.read(zeep);
    reads.called({ ...zeep, client: "192.0.2.2" });
    reads.called({ ...zeep, userAgent: "PHP-SOAP/8.2" });
    reads.called({ ...zeep, userAgent: undefined });
    later(10 * MINUTE);
    assert.equal(reported.length, 1);
  });

  test("is reported if a program that has called reads the WSDL again ten minutes later and then does not call", () => {
    reads.read(zeep);
    reads.called(zeep);
    reads.read(zeep);
    assert.ok(!reads.hasPending, "a program that reads it before each call costs nothing most of the time");
    later(10 * MINUTE);
    reads.read(zeep);
    later(10 * MINUTE);
    assert.equal(reported.length, 1);
  });

  for (const [program, read, call] of [
    ["PHP's SoapClient", undefined, "PHP-SOAP/8.2.35"],
    ["SOAP::Lite", "libwww-perl/6.68", "SOAP::Lite/Perl/1.27"],
    ["JAX-WS", "Java/17.0.1", "JAX-WS RI 2.3.5"],
  ] as const)
    test(`of ${program} is followed by its calls, which have another User-Agent`, () => {
      const { client } = zeep;
      reads.read({ client, userAgent: read });
      reads.called({ client: "192.0.2.2", userAgent: call });
      assert.ok(reads.hasPending);
      reads.called({ client, userAgent: call });
      later(10 * MINUTE);
      assert.deepEqual(reported, []);
      reads.read({ client, userAgent: read });
      later(10 * MINUTE);
      assert.deepEqual(reported, [{ client, userAgent: read ?? null, reads: 1 }]);
    });

  test("is reported with a truncated, printable User-Agent, whatever was sent", () => {
    reads.read({ client: "192.0.2.1", userAgent: `\u009b2J\u00e9\t${"x".repeat(16_000)}` });
    reads.called({ client: "192.0.2.1", userAgent: "another" });
    later(10 * MINUTE);
    assert.equal(reported[0]?.userAgent, `?2J??${"x".repeat(MAX_USER_AGENT - 5)}`);
  });
});

describe("more pairs than the limit", () => {
  const stranger = (n: number) => ({ client: `10.0.${n >> 8}.${n & 255}`, userAgent: `x/${n}` });

  test("are not stored, and pending pairs are kept", () => {
    reads.read(zeep);
    for (let n = 0; n < 3 * MAX_PAIRS; n += 1) reads.read(stranger(n));
    assert.equal(reads.size, MAX_PAIRS);
    later(10 * MINUTE);
    assert.equal(reported.length, MAX_PAIRS);
    assert.deepEqual(reported[0], { ...zeep, reads: 1 });
    assert.equal(reads.size, MAX_PAIRS);
  });

  test("evict reported pairs, so that a new failure is still detected", () => {
    for (let n = 0; n < MAX_PAIRS; n += 1) reads.read(stranger(n));
    later(10 * MINUTE);
    reads.read(zeep);
    assert.equal(reads.size, MAX_PAIRS);
    later(10 * MINUTE);
    assert.deepEqual(reported.at(-1), { ...zeep, reads: 1 });
  });

  test("evict pairs that have called", () => {
    for (let n = 0; n < 3 * MAX_PAIRS; n += 1) {
      reads.read(stranger(n));
      reads.called(stranger(n));
    }
    assert.equal(reads.size, MAX_PAIRS);
    assert.deepEqual(reported, []);
  });
});

describe("one client with many User-Agents", () => {
  test("has at most 20 of them stored at a time, and hides no other client", () => {
    for (let n = 0; n < 3 * MAX_PAIRS; n += 1) reads.read({ ...zeep, userAgent: `x/${n}` });
    reads.read({ ...zeep, client: "192.0.2.2" });
    assert.equal(reads.size, MAX_PAIRS_PER_CLIENT + 1);
    later(10 * MINUTE);
    assert.equal(reported.length, MAX_PAIRS_PER_CLIENT + 1);
    assert.equal(reported.at(-1)?.client, "192.0.2.2");
  });

  test("can have new ones stored when the old ones were reported or followed", () => {
    for (let n = 0; n < MAX_PAIRS_PER_CLIENT; n += 1) reads.read({ ...zeep, userAgent: `x/${n}` });
    reads.called({ ...zeep, userAgent: "x/0" });
    reads.read(zeep);
    later(10 * MINUTE);
    assert.equal(reported.length, MAX_PAIRS_PER_CLIENT);
    assert.equal(reported.at(-1)?.userAgent, zeep.userAgent);
    reads.read({ ...zeep, userAgent: "new" });
    later(10 * MINUTE);
    assert.equal(reported.at(-1)?.userAgent, "new");
  });
});

describe("of several processes", () => {
  const pair = (): WsdlReads => {
    const other: WsdlReads = made((change) => reads.apply(change));
    reads = made((change) => queued.push(change));
    return other;
  };
  let queued: Change[] = [];
  beforeEach(() => {
    queued = [];
  });

  for (const [program, read, call] of [
    ["zeep", zeep.userAgent, zeep.userAgent],
    ["PHP", undefined, "PHP-SOAP/8.2.35"],
  ] as const)
    test(`nothing is reported if a call of ${program} overtakes the news of its read`, () => {
      const other = pair();
      const { client } = zeep;
      reads.read({ client, userAgent: read });
      other.called({ client, userAgent: call });
      now += 100;
      for (const change of queued) other.apply(change);
      later(10 * MINUTE);
      other.sweep();
      assert.deepEqual(reported, []);
    });

  test("a call of another program, or of long ago, does not count as the call that overtook", () => {
    const other = pair();
    other.called(zeep);
    now += 3000;
    reads.read(zeep);
    other.called({ ...zeep, userAgent: "another" });
    other.called({ ...zeep, client: "192.0.2.2" });
    for (const change of queued) other.apply(change);
    later(10 * MINUTE);
    assert.equal(reported.length, 1);
  });

  test("the recent calls are bounded", () => {
    const calls = new RecentCalls();
    for (let n = 0; n < 3 * MAX_CALLS; n += 1) calls.add({ client: `${n}`, userAgent: "x" }, n);
    assert.equal(calls.size, MAX_CALLS);
    const last = 3 * MAX_CALLS - 1;
    assert.ok(calls.some(last, `${last}`, () => true));
    assert.ok(!calls.some(last, "1", () => true));
    calls.add({ client: "long", userAgent: "x".repeat(16_000) }, last);
    assert.ok(!calls.some(last, "long", () => true), "a header as long as it may be is not kept");
  });

  test("nothing is reported if one is read from and another one is called", () => {
    const other = made((change) => reads.apply(change));
    reads = made((change) => other.apply(change));
    reads.read(zeep);
    assert.ok(other.hasPending);
    other.called(zeep);
    assert.ok(!reads.hasPending);
    later(10 * MINUTE);
    other.sweep();
    assert.deepEqual(reported, []);
  });

  test("only the one that was read from reports", () => {
    const other = made((change) => reads.apply(change));
    reads = made((change) => other.apply(change));
    reads.read(zeep);
    later(10 * MINUTE);
    other.sweep();
    assert.deepEqual(reported, [{ ...zeep, reads: 1 }]);
  });
});
