/**
 * The scale of a chart: round numbers that enclose all values, and which days get a label. Charts are drawn
 * in percentages of width and height, so that text keeps its size at any width.
 */
export interface Scale {
  readonly low: number;
  readonly high: number;
  /** From the lowest to the highest, at even distances. */
  readonly ticks: readonly number[];
}

const ROUGH_TICKS = 4;

const extentOf = (values: readonly number[], first: number): readonly [least: number, most: number] =>
  values
    .filter(Number.isFinite)
    .reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [first, first]);

/** For amounts: zero is always on it. */
export const scaleOf = (values: readonly number[]): Scale => scaleBetween(...extentOf(values, 0));

/** For a level, where the change is what matters: zero is on it only if it is near. */
export function levelScaleOf(values: readonly number[]): Scale {
  const [least, most] = extentOf(values, values.find(Number.isFinite) ?? 0);
  const isNearZero = least - (most - least) * 2 <= 0;
  return most === least || isNearZero ? scaleOf(values) : scaleBetween(least, most);
}

function scaleBetween(least: number, most: number): Scale {
  // People are counted in whole numbers.
  const step = Math.max(1, roundStep((most - least) / ROUGH_TICKS));
  const low = Math.floor(least / step) * step;
  const high = Math.max(Math.ceil(most / step) * step, low + step);
  const count = Math.round((high - low) / step);
  return { low, high, ticks: Array.from({ length: count + 1 }, (_, at) => low + at * step) };
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(rough: number): number {
  if (rough <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5].find((one) => one * power >= rough) ?? 10;
  return factor * power;
}

/** Where a value is, in per cent from the top. */
export const percentOf = ({ low, high }: Scale, value: number): number =>
  Number.isFinite(value) ? rounded(Math.min(1, Math.max(0, (high - value) / (high - low))) * 100) : 100;

export const rounded = (percent: number): number => Math.round(percent * 100) / 100;

/** Which of `count` things get a label: the last one, and others before it at even distances. */
export function labelledOf(count: number, most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => count - 1 - at * step);
}
