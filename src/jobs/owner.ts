/**
 * The name under which this process holds leases: unique, and readable for operators in the table `job`. It
 * also shows whether the process is gone, to others that see the same process ids.
 */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export const leaseOwner = (): string =>
  `${hostname()}:${process.pid}:${processIds()}:${randomBytes(4).toString("hex")}`;

/**
 * The same for all processes in which an id means the same process: the processes since this machine started,
 * in this container. Empty where the system does not say it.
 */
function processIds(): string {
  try {
    const [boot, namespace] = [
      readFileSync("/proc/sys/kernel/random/boot_id"),
      readlinkSync("/proc/self/ns/pid"),
    ];
    return createHash("sha256").update(boot).update(namespace).digest("hex").slice(0, 16);
  } catch {
    return "";
  }
}

/** Whether the process has certainly ended. Of another machine or container, that cannot be known here. */
export function isGone(owner: string): boolean {
  const [, id, ids] = owner.split(":");
  if (ids === "" || ids !== processIds()) return false;
  try {
    process.kill(Number(id), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
