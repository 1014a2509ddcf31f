/**
 * The rows that come after a time and an id, as two seeks that are merged: the rest of that moment, and what
 * comes later. Of `(time, id) > (?, ?)` SQLite takes only the time into the index, and so would step over all
 * rows of one moment, such as those of an import, for every page of them.
 */
export interface Keyset {
  /** The columns, and the parameters that they are compared with. */
  readonly time: readonly [column: string, parameter: string];
  readonly id: readonly [column: string, parameter: string];
  readonly comes: "later" | "earlier";
}

/** `select` makes a statement of a condition; the whole is still to be ordered. */
export function afterCursor(select: (condition: string) => string, { time, id, comes }: Keyset): string {
  const sign = comes === "later" ? ">" : "<";
  const sameMoment = `${time[0]} = ${time[1]} AND ${id[0]} ${sign} ${id[1]}`;
  return `${select(sameMoment)} UNION ALL ${select(`${time[0]} ${sign} ${time[1]}`)}`;
}
