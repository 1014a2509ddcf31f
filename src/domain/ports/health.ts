/** Health checks of the database. */

/** A stored counter and its recount. */
export interface Recount {
  readonly what: string;
  readonly kept: number;
  readonly counted: number;
  /** Can be derived from others, or counted again: `statistics.correct` makes it right. */
  readonly isCorrectable: boolean;
}

export interface Health {
  /** The current schema version of the database. */
  ping(): Promise<number>;
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
