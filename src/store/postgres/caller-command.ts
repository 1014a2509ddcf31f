/** The commands that travel in groups, as this store passes them on. */
import type { Writes } from "../../domain/ports.ts";
import { type CallerKind, callerCommands } from "../caller-commands.ts";
import type { PostgresUnitOfWork } from "./work.ts";

export type CallerCommand = {
  readonly [K in CallerKind]: { readonly kind: K; readonly args: Writes[K]["args"] };
}[CallerKind];
export type CallerOutcome = Writes[CallerKind]["result"];

export const isCallerKind = (kind: string): kind is CallerKind => Object.hasOwn(callerCommands, kind);

/** Decides one command upon what those before it left. */
export const decide = (work: PostgresUnitOfWork, { kind, args }: CallerCommand): CallerOutcome =>
  (callerCommands[kind] as (work: PostgresUnitOfWork, args: CallerCommand["args"]) => CallerOutcome)(
    work,
    args,
  );
