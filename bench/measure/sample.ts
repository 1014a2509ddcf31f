/** The result of one measurement of one server. */
export interface Sample {
  /** In the unit of the figure. */
  readonly value: number;
  /** CPU time of a request, of all processes that worked for it. */
  readonly cpuMs: number | null;
  /** What the server used before. */
  readonly idleMiB: number | null;
  /** How far its memory went over that. */
  readonly overIdleMiB: number | null;
  readonly p99Ms: number | null;
  readonly firstByteMs: number | null;
}

export const sampleOf = (value: number, more: Partial<Sample> = {}): Sample => ({
  value,
  cpuMs: null,
  idleMiB: null,
  overIdleMiB: null,
  p99Ms: null,
  firstByteMs: null,
  ...more,
});
