/** The commands that are committed in groups, as this store represents them. */
import type { Idempotency } from "#domain/idempotency.ts";
import type { Args, Result } from "../../methods.ts";
import { type CallerKind, callerCommands } from "../../writes/caller-commands.ts";
import type { PostgresUnitOfWork } from "./unit-of-work.ts";

/** `key`: of a request that may be repeated. */
export type CallerCommand = {
  readonly [K in CallerKind]: {
    readonly kind: K;
    readonly args: Args<K>;
    readonly key: Idempotency | undefined;
  };
}[CallerKind];
export type CallerOutcome = Result<CallerKind>;

export const isCallerKind = (kind: string): kind is CallerKind => Object.hasOwn(callerCommands, kind);

/** Decides one command; it sees the changes of the commands before it. */
export const decide = (work: PostgresUnitOfWork, { kind, args }: CallerCommand): CallerOutcome =>
  (callerCommands[kind] as (work: PostgresUnitOfWork, args: CallerCommand["args"]) => CallerOutcome)(
    work,
    args,
  );
