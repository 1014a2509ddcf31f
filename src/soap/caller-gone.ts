/**
 * Reading a large message takes a while, and its caller may go away meanwhile. Then there is nobody to
 * answer, so it is read no further and not carried out. Asked between slices only: a small message is read
 * before anybody can leave.
 */
import { setImmediate as eventLoopTurn } from "node:timers/promises";

/** Nobody waits for the answer any more. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/** Yields to the event loop before the next slice; throws CallerGone where none needs to be read. */
export async function nextSlice(isGone: () => boolean): Promise<void> {
  await eventLoopTurn();
  if (isGone()) throw new CallerGone();
}
