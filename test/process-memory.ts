/** What a process holds, in MiB, as Linux tells it: now, and the most that it ever held. */
import { readFileSync } from "node:fs";

export function memoryOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const read = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { now: read("VmRSS"), most: read("VmHWM") };
}
