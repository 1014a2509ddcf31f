/**
 * The rows after a time and an id, as two merged index seeks: the remaining rows of that time, and the later
 * ones. For `(time, id) > (?, ?)` SQLite uses only the time in the index. It would skip over all rows of one
 * time, such as those of an import, for every page.
 */
export interface Keyset {
  /** The columns, and the parameters they are compared with. */
  readonly time: readonly [column: string, parameter: string];
  readonly id: readonly [column: string, parameter: string];
  readonly comes: "later" | "earlier";
}

/** `select` makes a statement from a condition. The caller adds the ORDER BY. */
export function afterCursor(select: (condition: string) => string, { time, id, comes }: Keyset): string {
  const sign = comes === "later" ? ">" : "<";
  const sameMoment = `${time[0]} = ${time[1]} AND ${id[0]} ${sign} ${id[1]}`;
  return `${select(sameMoment)} UNION ALL ${select(`${time[0]} ${sign} ${time[1]}`)}`;
}
