/**
 * A feature: the implementation of a port, or of the part of a port that is written once for both databases.
 * A method is declared as a command, a read or a listing; the stores derive everything else from that.
 */
import type { Listing, Page, PageRange } from "#domain/ports/listing.ts";
import type { Retention } from "#domain/refused-call.ts";
import type { Db } from "./db.ts";

/** What the installation is configured with. */
export interface Context {
  readonly retention: Retention;
  /** For how long the ledger of a campaign is kept after its end. */
  readonly ledgerDays: number;
}

interface Options {
  /** How long it takes depends on the amount of data: it has a time limit of minutes, not seconds. */
  readonly takesLong?: boolean;
  /** An indexed read that any call may need first: it does not wait behind other reads. */
  readonly isLookup?: boolean;
  /** A short read that the service needs also while nobody calls: no reading thread is started for it. */
  readonly isOfService?: boolean;
  /** A part of a walk that takes several reads: for operators it waits its turn with the pages of walks. */
  readonly isStepOfWalk?: boolean;
  /** Several statements that must agree: all of them see the database as the first one did. */
  readonly isSnapshot?: boolean;
  /** False for a command that does not exclude other writes of its account. */
  readonly locksAccount?: boolean;
}
export interface Operation<Args, Result> extends Options {
  readonly kind: "command" | "read";
  readonly run: (db: Db, args: Args, context: Context) => Promise<Result>;
}
export interface ListingOperation<Args, Row> {
  readonly kind: "listing";
  /** Whether a page may visit many more rows than it has: no other read waits for it. */
  readonly mayWalk: (args: Args) => boolean;
  readonly page: (db: Db, args: Args, range: PageRange) => Promise<Page<Row>>;
}

type Run<Args, Result> = Operation<Args, Result>["run"];

/**
 * A method that runs in one transaction and may write. If its arguments name an account, that account is
 * locked, unless the options say otherwise. A command is bounded: work that may take long is left to a job.
 */
export const command = <Args, Result>(
  run: Run<Args, Result>,
  options: Pick<Options, "locksAccount"> = {},
): Operation<Args, Result> => ({ kind: "command", run, ...options });

/** A command without a result. */
export const effect = <Args>(
  run: Run<Args, unknown>,
  options: Pick<Options, "locksAccount"> = {},
): Operation<Args, null> =>
  command<Args, null>(async (db, args, context) => {
    await run(db, args, context);
    return null;
  }, options);

export const read = <Args, Result>(
  run: Run<Args, Result>,
  options: Options = {},
): Operation<Args, Result> => ({ kind: "read", run, ...options });

/** The declaration of a method of a port. */
type Declared<Method> =
  Method extends Listing<infer Args, infer Row>
    ? ListingOperation<Args, Row>
    : Method extends (...args: infer Args) => Promise<infer Result>
      ? Operation<Args[0], Result>
      : never;
export type Feature<Port> = { readonly [Method in keyof Port]: Declared<Port[Method]> };

/** Checks that each method of the port is declared, with its arguments and its result. */
export const feature = <Port>(methods: Feature<Port>): Feature<Port> => methods;
