/** Reading /proc: from text, and of running processes. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import { cpuSeconds, kibIn, PeakMemory, parseStat, treeOf } from "../../bench/measure/proc.ts";

const line =
  "4711 (a (strange) name) S 42 4711 4711 0 -1 4194560 2079 0 1 0 150 50 7 3 20 0 11 0 5000 1000000 900 18446744073709551615 1 1";

test("reads the CPU time of all threads and ended children, whatever the program's name", () => {
  assert.deepEqual(parseStat(line), { pid: 4711, parent: 42, ticks: 210 });
});
test("rejects text that is not a stat line", () => {
  for (const text of ["", "4711 (short) S", "nonsense"]) assert.throws(() => parseStat(text), /not a \/proc/);
});
test("reads a line of status in KiB", () => {
  const status = "Name:\tnode\nVmHWM:\t  125432 kB\nVmRSS:\t   98304 kB\n";
  assert.equal(kibIn(status, "VmHWM"), 125_432);
  assert.equal(kibIn(status, "VmRSS"), 98_304);
  assert.equal(kibIn(status, "VmSwap"), 0);
});
test("collects the process tree of its roots in any order", () => {
  const stat = (pid: number, parent: number) => ({ pid, parent, ticks: 1 });
  const all = [stat(30, 20), stat(20, 10), stat(10, 1), stat(11, 1), stat(12, 11), stat(99, 98)];
  assert.deepEqual(
    treeOf([10, 12], all)
      .map(({ pid }) => pid)
      .sort((a, b) => a - b),
    [10, 12, 20, 30],
  );
  assert.deepEqual(treeOf([5], all), []);
});

describe("a running process", { skip: process.platform !== "linux" && "there is no /proc" }, () => {
  /** Does what it is told, one line after the other, and says when it is done. */
  const script = `
    const kept = [];
    process.stdin.on("data", (text) => {
      if (String(text).startsWith("burn")) for (const end = process.cpuUsage().user + 3e5; process.cpuUsage().user < end;);
      else kept.push(Buffer.alloc(64 * 1024 * 1024, 1));
      console.log("done");
    });
    console.log("ready");`;
  async function told(child: ChildProcess, what: string): Promise<void> {
    const done = once(child.stdout ?? child, "data");
    child.stdin?.write(`${what}\n`);
    await done;
  }
  async function withChild(work: (child: ChildProcess, pid: number) => Promise<void>): Promise<void> {
    const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
    try {
      await once(child.stdout, "data");
      await work(child, child.pid ?? 0);
    } finally {
      child.kill();
    }
  }

  test("measures the CPU time of a process", () =>
    withChild(async (child, pid) => {
      const before = cpuSeconds([pid]);
      await told(child, "burn");
      assert.ok(cpuSeconds([pid]) - before >= 0.25, `${cpuSeconds([pid]) - before}`);
    }));
  test("finds a process in the tree of its parent", () =>
    withChild(async (child, pid) => {
      const before = cpuSeconds([process.pid]);
      await told(child, "burn");
      assert.ok(cpuSeconds([process.pid]) - before >= 0.25);
      assert.equal(cpuSeconds([pid + 1_000_000_000]), 0);
    }));
  test("measures the peak memory of a process", () =>
    withChild(async (child, pid) => {
      const first = new PeakMemory([pid]);
      await told(child, "keep");
      const over = first.overIdleMiB();
      assert.ok(over > 60 && over < 80, `${over}`);
      const second = new PeakMemory([pid]);
      assert.ok(second.idleMiB > first.idleMiB + 60);
      assert.ok(second.overIdleMiB() < 5, `${second.overIdleMiB()}`);
    }));
});
