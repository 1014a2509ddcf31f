/** Live progress: what the stream of a page sends, until there is nothing to follow any more. */
import { type Sleep, sleep } from "#jobs/sleep.ts";
import type { ServerEvent } from "./page.ts";

/** How often a stream looks at what any process may be doing. */
const LOOK_MS = 1000;

/** `look` returns what is shown, whenever it has changed; or, at the end, what the last event says. */
export async function* liveEvents(
  look: () => Promise<{ readonly data: string } | { readonly end: string }>,
  signal: AbortSignal,
  pause: Sleep = sleep,
): AsyncGenerator<ServerEvent> {
  let sent = "";
  while (!signal.aborted) {
    const found = await look();
    if ("end" in found) {
      yield { event: "end", data: found.end };
      return;
    }
    if (found.data !== sent) yield { data: found.data };
    sent = found.data;
    await pause(LOOK_MS, signal);
  }
}
