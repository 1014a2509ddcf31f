/** What an operation is once its caller is known and allowed: the guard is in front of it, the store behind. */
import type { Operations } from "../contract/operations.ts";
import type { Answer, Input } from "../contract/service.ts";
import type { Caller, Services } from "./caller.ts";

export type Perform<Name extends keyof Operations> = (
  input: Input<Operations[Name]>,
  caller: Caller,
  services: Services,
) => Promise<Answer<Operations[Name]>>;

/** What the guard and the refused calls see of any operation. */
export type AnyPerform = (
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  services: Services,
) => Promise<unknown>;
