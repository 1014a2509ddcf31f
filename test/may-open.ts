/** Thousands of connections need as many open files, here and in the program. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

/** For everything else that is open. */
const OTHERS = 500;

export function assertMayOpen(connections: number): void {
  // Node raises its own limit to the hard one, and so does the program.
  const limit = execFileSync("sh", ["-c", "ulimit -H -n"], { encoding: "utf8" }).trim();
  assert.ok(
    limit === "unlimited" || Number(limit) >= connections + OTHERS,
    `${connections} connections need ${connections + OTHERS} open files, and this user may have ${limit}: raise the hard limit (ulimit -H -n)`,
  );
}
