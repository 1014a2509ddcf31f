/**
 * The contents of a database before a measurement: members of the first list, and campaigns with hard
 * bounces.
 */
export interface Dataset {
  readonly name: string;
  /** Members of the first list. */
  readonly members: number;
  /**
   * How many hard bounces each campaign has, in the order of the campaigns' ids; the people are no members.
   * They bounce in an order that is scattered over their ids: mail does not bounce in the order of sign-ups.
   */
  readonly bounces: readonly number[];
}

export const empty: Dataset = { name: "empty", members: 0, bounces: [] };
export const withMembers = (members: number): Dataset => ({
  name: `members-${members}`,
  members,
  bounces: [],
});

export const SMALL_BOUNCES = 100;
export const campaigns = { small: 1, tenThousand: 2, million: 3 } as const;
export const withBounces = (...larger: readonly number[]): Dataset => ({
  name: `bounces-${Math.max(...larger)}`,
  members: 0,
  bounces: [SMALL_BOUNCES, ...larger],
});

/**
 * Every name is as long as the others but each hundredth, which has to be escaped; every address is as long
 * as the others and scattered over the index. So the size of a list follows from its number of rows, which is
 * a multiple of 100.
 */
export const JOINED_AT = Date.UTC(2025, 0, 12, 9, 30);
export const BOUNCED_AT = Date.UTC(2026, 0, 12, 9, 30);
export const SCATTER = 2_654_435_761;

/**
 * The id of the subscriber who is the i-th to bounce, of so many, in SQL of both databases. The factor is a
 * prime, so each id occurs once, and each hundredth bounce is of a hundredth name.
 */
export const bouncing = (subscribers: number): string => `${subscribers} - (i * ${SCATTER}) % ${subscribers}`;
