/**
 * Every method of the ports, with its types and the way in which a store runs it: as a command, a read, a
 * listing or pre-encoded rows. A method is named by its kind: feature and method, such as `lists.create`.
 * Most methods are declared in `cold/`. The others are written for each database.
 */
import type { Ports } from "#domain/ports/store.ts";
import { coldOperations, type Features } from "./cold/features.ts";

type MethodsOf<Features> = {
  [F in keyof Features & string]: `${F}.${keyof Features[F] & string}`;
}[keyof Features & string];
export type Kind = MethodsOf<Ports>;
export type ColdKind = MethodsOf<Features>;

type Method<K extends Kind> = K extends `${infer F extends keyof Ports}.${infer M}`
  ? Ports[F][M & keyof Ports[F]]
  : never;
export type Args<K extends Kind> = Method<K> extends (...args: infer A) => unknown ? A[0] : never;
export type Result<K extends Kind> =
  Method<K> extends (...args: never[]) => Promise<infer Result> ? Result : never;

export type MethodKind = "command" | "read" | "listing" | "encoded";

/**
 * Hand-tuned for each database, because calls wait for them, or because they are about the database itself.
 */
const tuned = {
  "subscribers.add": "command",
  "subscribers.addWithData": "command",
  "subscribers.remove": "command",
  "subscribers.unsubscribe": "command",
  "subscribers.reactivate": "command",
  "fields.add": "command",
  "campaigns.recordEvent": "command",
  "campaigns.subscribersByEvent": "encoded",
  "imports.add": "command",
  "imports.states": "read",
  "health.probeWrite": "command",
  "health.databaseBytes": "read",
  "health.clock": "read",
  "health.integrity": "read",
} as const satisfies Readonly<Record<Exclude<Kind, ColdKind>, MethodKind>>;

type TunedOf<How extends MethodKind> = {
  [K in keyof typeof tuned]: (typeof tuned)[K] extends How ? K : never;
}[keyof typeof tuned];
export type TunedCommand = TunedOf<"command">;
export type TunedRead = TunedOf<"read">;
export type TunedEncoded = TunedOf<"encoded">;

export const methodKinds: ReadonlyMap<string, MethodKind> = new Map<string, MethodKind>([
  ...Object.entries(tuned),
  ...[...coldOperations].map(([name, { kind }]) => [name, kind] as const),
]);
