/** Health checks of the database. */

/** A stored counter and its recount. */
export interface Recount {
  readonly what: string;
  readonly kept: number;
  readonly counted: number;
  /** Can be derived from others, or counted again: `statistics.correct` makes it right. */
  readonly isCorrectable: boolean;
}

/** The service that wrote to the database last. */
export interface Program {
  readonly version: string;
  readonly schemaVersion: number;
  /** Its first start with this schema. */
  readonly since: number;
  /** Where it can be reached; null: it has never listened. */
  readonly address: string | null;
  /** Whether this is a demo: messages are written to files whatever is set. */
  readonly isDemo: boolean;
  /** Whether a start is filling this demo, or was interrupted while it did. */
  readonly isFilling: boolean;
}

export interface Health {
  /** The current schema version of the database. */
  ping(): Promise<number>;
  /** null: no service has started on this database since it stores that. */
  program(): Promise<Program | null>;
  /** To be called by each start of the service. Returns what is stored then; a demo remains one. */
  startProgram(started: Program): Promise<Program>;
  /** A backup was taken. Nothing is stored if no service has started yet. */
  backedUp(args: { readonly at: number }): Promise<null>;
  /** Takes the path of every write, down to the disk, and changes nothing. */
  probeWrite(): Promise<null>;
  databaseBytes(): Promise<number>;
  /** The wall clock of the database's server; null: it has none of its own. */
  clock(): Promise<number | null>;
  /** Compares every stored counter with a recount; slow on a large database. */
  recount(): Promise<readonly Recount[]>;
  /** The result of the database's own integrity check; empty if it is sound. */
  integrity(): Promise<readonly string[]>;
}
