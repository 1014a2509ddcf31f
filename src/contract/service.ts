/**
 * How a service is declared, and the types of handlers that follow from a declaration.
 *
 * Business outcomes are declared, never thrown: a handler of an operation with outcomes returns the name of
 * one of its own, and its byte is the result. A handler of any other operation returns the result's value.
 * An invalid message or an error of the service is a thrown Fault (faults.ts).
 */
import type { ArrayOf, DateTime, Fields, GivenFields, Item, Scalar, Written, XsdType } from "./xsd.ts";

export interface Outcome {
  readonly byte: number;
  readonly text: string;
}
export type Outcomes = { readonly [name: string]: Outcome };

/** An operation name that programs written against the historic WSDL use. */
export interface ShortName {
  readonly name: string;
  /** Such a program was observed to use it; any other name is a guess. */
  readonly isConfirmed: boolean;
}
export const confirmed = (name: string): ShortName => ({ name, isConfirmed: true });
export const guessed = (name: string): ShortName => ({ name, isConfirmed: false });

export interface Operation<
  P extends Fields = Fields,
  R extends XsdType = XsdType,
  O extends Outcomes = Outcomes,
> {
  /** One sentence for the help page, the WSDL and the reference. */
  readonly doc: string;
  /** The scope that the caller's key needs; `probe` works without a valid key too. */
  readonly access: "read" | "write" | "probe";
  readonly params: P;
  /** One sentence per parameter that needs one. */
  readonly notes: { readonly [K in keyof NoInfer<P>]?: string };
  /** Parameters that a call may leave out; without any other one the operation does nothing. */
  readonly optional: readonly string[];
  readonly result: R;
  /** The single record may be missing: the result element is then nil. */
  readonly nillable: boolean;
  readonly outcomes: O;
  /**
   * Unique in the service. A second one is only for a name that programs were seen to use: two names of one
   * operation break rule R2710 of the WS-I Basic Profile, and .NET's tools warn about that.
   */
  readonly shortNames: readonly ShortName[];
  /** The operation that new programs call instead, if this one is only for old programs. */
  readonly supersededBy: string | null;
  /**
   * A checked sample: feeds the help page, the reference and a round-trip test. Parameters as text, as a form
   * has them.
   */
  readonly example: { readonly input: ExampleInput<NoInfer<P>>; readonly output: ExampleOutput<NoInfer<R>> };
}
type ExampleInput<P extends Fields> = {
  readonly [K in keyof P]?: P[K] extends ArrayOf<infer E>
    ? readonly { readonly [F in keyof E["fields"]]?: string }[]
    : string;
};
type ExampleOutput<R extends XsdType> = Written<R>;

export type Operations = { readonly [name: string]: Operation };
export interface Service<O extends Operations = Operations> {
  readonly name: string;
  readonly doc: string;
  /** Where the endpoint is below the base address. */
  readonly path: string;
  readonly operations: O;
  /** What each family (the part of an operation's name before the dot) is about. */
  readonly families: { readonly [prefix: string]: string };
}

type Declared<P extends Fields, R extends XsdType> = Omit<
  Operation<P, R>,
  "nillable" | "outcomes" | "notes" | "optional" | "supersededBy"
> & {
  readonly optional?: readonly (keyof NoInfer<P> & string)[];
  readonly nillable?: boolean;
  readonly supersededBy?: string | null;
  readonly notes?: { readonly [K in keyof NoInfer<P>]?: string };
};
export function operation<const P extends Fields, R extends XsdType, const O extends Outcomes>(
  declared: Declared<P, R> & { readonly outcomes: O },
): Operation<P, R, O>;
export function operation<const P extends Fields, R extends XsdType>(
  declared: Declared<P, R>,
): Operation<P, R, Record<never, Outcome>>;
export function operation(declared: object): object {
  return { nillable: false, notes: {}, optional: [], outcomes: {}, supersededBy: null, ...declared };
}
export const service = <const O extends Operations>(declared: Service<O>): Service<O> => declared;

/** What a handler is given. */
export type Input<O> = O extends Operation<infer P, XsdType, Outcomes> ? GivenFields<P> : never;

/** Rows arrive in pages, so that a list of any length can be written while it is read. */
export type Pages<T> = AsyncIterable<readonly T[]>;

/** Rows of very long lists, which the store encodes as XML with a given template. */
export interface PreEncoded<T> {
  encode(form: RecordForm<keyof T>): AsyncIterable<EncodedPage>;
}
export interface EncodedPage {
  /** Valid until the next page is requested. */
  readonly bytes: Uint8Array;
  /** Whether no row follows. */
  readonly isLast: boolean;
}
/** A record as literals around values: texts, with the characters of `escapes` replaced, and dateTimes. */
export interface RecordForm<Name> {
  readonly start: string;
  readonly end: string;
  readonly fields: readonly FieldForm<Name>[];
  /** Applied in order: no replacement contains a character that a later pair replaces. */
  readonly escapes: readonly (readonly [character: string, written: string])[];
}
export interface FieldForm<Name> {
  readonly name: Name;
  readonly start: string;
  readonly end: string;
  /** All that is written for an empty text. */
  readonly empty: string;
}
/** Only texts and dateTimes: an int would be taken for a time, and null and true are not texts. */
type IfWritable<T extends XsdType, Yes> = [T] extends [Scalar<string, string> | Scalar<DateTime, number>]
  ? null extends Written<T>
    ? never
    : Yes
  : never;

type Result<R extends XsdType> =
  R extends ArrayOf<infer E extends Item>
    ?
        | readonly Written<E>[]
        | Pages<Written<E>>
        | IfWritable<E["fields"][keyof E["fields"]], PreEncoded<Written<E>>>
    : R extends Item
      ? Written<R> | null
      : Written<R>;

/** What a handler returns: one of its outcomes if the operation declares any, otherwise the result. */
export type Answer<O> =
  O extends Operation<Fields, infer R, infer N>
    ? keyof N extends never
      ? Result<R>
      : keyof N & string
    : never;
export type Handler<O, Context> = (input: Input<O>, context: Context) => Promise<Answer<O>>;
/** One handler per declared operation: a missing, extra or misspelt one does not compile. */
export type Handlers<S extends Service, Context> = {
  readonly [K in keyof S["operations"]]: Handler<S["operations"][K], Context>;
};
