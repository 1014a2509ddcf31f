/** An operation without authentication and authorization, which the guard does before it. */
import type { Operations } from "#contract/operations.ts";
import type { Answer, Input } from "#contract/service.ts";
import type { Caller, Services } from "./caller.ts";

export type Perform<Name extends keyof Operations> = (
  input: Input<Operations[Name]>,
  caller: Caller,
  services: Services,
) => Promise<Answer<Operations[Name]>>;

/** Any operation, as the guard and the replay of refused calls see it. */
export type AnyPerform = (
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  services: Services,
) => Promise<unknown>;
