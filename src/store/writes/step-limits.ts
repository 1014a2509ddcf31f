/** The most refused calls that one transaction searches or drops: others wait for it. */
export const STEP = 1000;
/**
 * The most subscribers that a step of a job changes. Smaller than STEP, because a job has many steps in a
 * row, and callers wait for each.
 */
export const JOB_STEP = 250;
/** The most rows that a step of a job looks at to find the rows that it changes. */
export const VISITED = 1000;
/** The most text of refused calls that one transaction searches; the worst case takes 0.1 s. */
export const STEP_BYTES = 262_144;
