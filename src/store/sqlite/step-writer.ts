/** Commits steps of background work, each alone, and reports what they meant for others. */
import { integer } from "../cold/kit/statement.ts";
import type { CommittedStep } from "../writes/callers-first.ts";
import type { Settled } from "../writes/group-commit.ts";
import type { Connection } from "./connection.ts";
import { statement } from "./statement.ts";
import type { CommitGroup, WriteCall } from "./writer.ts";

/** Changes only when another connection commits. */
const DATA_VERSION = statement({ data_version: integer }, "PRAGMA data_version");

export type CommitStep = (call: WriteCall, until?: number) => Promise<readonly Settled<unknown>[]>;

export function stepWriter(db: Connection, commit: CommitGroup): CommitStep {
  let lastVersion: number | null = null;
  return async (call, until) => {
    const version = db.get(DATA_VERSION)?.data_version ?? 0;
    const othersWrote = lastVersion !== null && version !== lastVersion;
    lastVersion = version;
    const results = await commit([call], until);
    const heldMs = performance.now() - db.lockedAt;
    return results.map((settled) =>
      settled.ok
        ? { ok: true, value: { value: settled.value, heldMs, othersWrote } satisfies CommittedStep }
        : settled,
    );
  };
}
