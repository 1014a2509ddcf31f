/** What the arguments of refused calls are, for adapters that show and correct them. */
export { argumentsOf, type CallParameter, parametersOf } from "#refusals/parameters.ts";
export type { KeptArguments } from "#refusals/recorded-call.ts";
