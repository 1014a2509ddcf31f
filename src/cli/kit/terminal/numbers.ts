/** Formats numbers with digit grouping. Ids are names and are not grouped. */

export const formatNumber = (n: number | bigint): string => n.toLocaleString("en");

/** "1 row", "1,504 rows". */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${formatNumber(n)} ${n === 1 ? one : many}`;
