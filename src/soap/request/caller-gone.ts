/**
 * A client may disconnect while its large message is read. Then the rest is not read and the call not
 * executed. Checked between slices only: a small message is read in one go.
 */
import { setImmediate as eventLoopTurn } from "node:timers/promises";

/** The client has disconnected, so no answer is needed. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/** A client that may disconnect. */
export interface Client {
  readonly isGone: boolean;
}

/** Yields to the event loop before the next slice; throws CallerGone if the client has disconnected. */
export async function nextSlice(client: Client): Promise<void> {
  await eventLoopTurn();
  if (client.isGone) throw new CallerGone();
}
