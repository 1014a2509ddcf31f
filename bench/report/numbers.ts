/** Numbers as people read them. */
export const amount = (value: number): string =>
  value >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value.toFixed(2);

export const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
