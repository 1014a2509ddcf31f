/**
 * Loaded into the program under test: measures how long its event loop was blocked, and its CPU time, which
 * other processes on the machine do not affect. Reports on request by a message.
 */
import { isMainThread } from "node:worker_threads";

export interface Seen {
  /** Of all threads, since the start. */
  readonly cpuMs: number;
  /** The longest event loop delay since the last report. */
  readonly longestTurnMs: number;
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

if (isMainThread && process.send !== undefined) {
  let longestTurnMs = 0;
  let last = milliseconds(process.threadCpuUsage());
  const look = (): void => {
    const now = milliseconds(process.threadCpuUsage());
    longestTurnMs = Math.max(longestTurnMs, now - last);
    last = now;
  };
  // A timer runs at most once per turn of the event loop.
  setInterval(look, 1).unref();
  process.on("message", () => {
    look();
    process.send?.({ cpuMs: milliseconds(process.cpuUsage()), longestTurnMs } satisfies Seen);
    longestTurnMs = 0;
  });
  process.channel?.unref();
}
