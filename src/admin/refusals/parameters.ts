/** What the arguments of refused calls are, for adapters that show and correct them. */

export type { KeptArguments } from "#refusals/recorded-call.ts";
export { argumentsOf, type CallParameter, parametersOf } from "#refusals/recorded-call.ts";
