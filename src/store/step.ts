/**
 * The most subscribers, memberships or refused calls that one transaction of a large job processes: others
 * wait for it.
 */
export const STEP = 1000;
/**
 * The most subscribers that a step of a job changes. Smaller, because callers wait for many steps in a row.
 */
export const JOB_STEP = 250;
/** The most text of refused calls that one transaction searches; the worst case takes 0.1 s. */
export const STEP_BYTES = 262_144;
