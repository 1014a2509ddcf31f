/**
 * The id of one kind of thing. The name exists for the compiler only: the id of a list where that of an
 * account belongs does not compile. A plain number is accepted, so that a row or a test needs no conversion.
 */
declare const kind: unique symbol;
export type Id<Kind extends string, Value extends number | bigint = number> = Value & {
  readonly [kind]?: Kind;
};
