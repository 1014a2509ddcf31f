/**
 * A client may disconnect while its large message is read. Then the rest is not read and the call not
 * executed. Checked between slices only: a small message is read in one go.
 */
import { setImmediate as eventLoopTurn } from "node:timers/promises";

/** The client has disconnected, so no answer is needed. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/** Yields to the event loop before the next slice; throws CallerGone if the client has disconnected. */
export async function nextSlice(isGone: () => boolean): Promise<void> {
  await eventLoopTurn();
  if (isGone()) throw new CallerGone();
}
