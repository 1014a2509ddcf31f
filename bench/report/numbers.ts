/** Formats numbers with three significant digits. */
export const amount = (value: number): string =>
  value >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : value >= 100
      ? value.toFixed(0)
      : value.toPrecision(3);

export const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
