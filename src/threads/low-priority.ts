/** Lowers the priority of the calling thread: when processors are busy, other threads go first. */
import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { basename } from "node:path";

/** On Linux a priority belongs to a thread, which has an id like a process. Elsewhere nothing happens. */
export function lowerPriority(): void {
  try {
    setPriority(
      Number(basename(readlinkSync("/proc/thread-self"))),
      constants.priority.PRIORITY_BELOW_NORMAL,
    );
  } catch {
    // The thread works as well with its usual priority.
  }
}
