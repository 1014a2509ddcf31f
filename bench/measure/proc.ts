/** CPU time and peak memory of a process tree, from /proc. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** CPU time of all threads, and of children that have ended. */
  readonly ticks: number;
}

/** /proc/PID/stat; a program's name may hold spaces and brackets, so fields count from the last bracket. */
export function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const stat = { pid: Number.parseInt(text, 10), parent: Number(fields[1]), ticks };
  if (!Object.values(stat).every(Number.isSafeInteger)) throw new Error(`not a /proc/PID/stat: ${text}`);
  return stat;
}

/** One line of /proc/PID/status, in KiB; 0 where it is not there. */
export const kibIn = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);

/** The processes given and all below them. */
export function treeOf(roots: readonly number[], all: readonly ProcessStat[]): readonly ProcessStat[] {
  const found = new Map(all.filter(({ pid }) => roots.includes(pid)).map((stat) => [stat.pid, stat]));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const stat of all) if (found.has(stat.parent)) found.set(stat.pid, stat);
  }
  return [...found.values()];
}

/** A process may end while it is looked at. */
function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return null;
    throw error;
  }
}
const file = (pid: number, name: string): string => `/proc/${pid}/${name}`;

function tree(roots: readonly number[]): readonly ProcessStat[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const stats = pids.map((pid) => ifThere(() => parseStat(readFileSync(file(pid, "stat"), "utf8"))));
  return treeOf(
    roots,
    stats.filter((stat) => stat !== null),
  );
}

let ticksPerSecond: number | null = null;

/** CPU time of the whole tree so far. */
export function cpuSeconds(roots: readonly number[]): number {
  ticksPerSecond ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return tree(roots).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
}

/**
 * Peak memory of a tree from now on, over what it uses now. Pages that processes share are there before and
 * after, so they cancel out.
 */
export class PeakMemory {
  readonly #roots: readonly number[];
  readonly #before: ReadonlyMap<number, number>;
  /** What the tree uses now, shared pages by their share. */
  readonly idleMiB: number;

  constructor(roots: readonly number[]) {
    this.#roots = roots;
    const pids = tree(roots).map(({ pid }) => pid);
    this.idleMiB = pids.reduce((sum, pid) => sum + kibOf(pid, "smaps_rollup", "Pss"), 0) / 1024;
    // 5: the peak starts again from what is used now.
    for (const pid of pids) ifThere(() => writeFileSync(file(pid, "clear_refs"), "5"));
    this.#before = new Map(pids.map((pid) => [pid, kibOf(pid, "status", "VmRSS")]));
  }

  /** How far it went over that. A process that came later counts with what is its own. */
  overIdleMiB(): number {
    const over = tree(this.#roots).reduce((sum, { pid }) => {
      const before = this.#before.get(pid);
      const own =
        before === undefined ? kibOf(pid, "status", "RssAnon") : kibOf(pid, "status", "VmHWM") - before;
      return sum + own;
    }, 0);
    return Math.max(0, over) / 1024;
  }
}

const kibOf = (pid: number, name: string, line: string): number =>
  kibIn(ifThere(() => readFileSync(file(pid, name), "utf8")) ?? "", line);
