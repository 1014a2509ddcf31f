/**
 * Tests that need something of the machine. On somebody's own they are skipped where it is missing, and say
 * what to do; in CI, where nobody reads what was skipped, they fail.
 */

/** What a test may give as its `skip`. */
export function skipUnless(isThere: boolean, advice: string): string | false {
  if (isThere) return false;
  if (process.env.CI === "true") throw new Error(`in CI no test may be skipped: ${advice}`);
  return advice;
}
