/**
 * The relays of a sender, as one. A message that a relay cannot take goes to another one. Only if none of
 * them works, the sender has no relay.
 */
import type { HandOver, OutgoingMessage } from "#domain/sending/hand-over.ts";
import type { Relay } from "#domain/sending/sender.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import { chooseRelay, newStanding, noteFailure, noteSuccess } from "./choose-relay.ts";
import { openRelay } from "./relay.ts";
import type { SmtpOptions } from "./settings.ts";
import type { RelayTransport } from "./transport.ts";

/** At least one relay. The number of connections is that of all together: each relay may get all of them. */
export function openRelays(relays: readonly Relay[], options: SmtpOptions = {}): RelayTransport {
  const all = relays.map(({ url, weight, allowsInner }) => ({
    ...newStanding(weight),
    transport: openRelay(url, {
      ...options,
      allowsInnerAddresses: options.allowsInnerAddresses === true || allowsInner === true,
    }),
  }));
  const [only] = all;
  if (only !== undefined && all.length === 1) return only.transport;

  async function send(message: OutgoingMessage, mayBegin?: () => boolean): Promise<HandOver> {
    let outcome: HandOver = { kind: "relay failed", stage: "connect", text: "the sender has no relay" };
    const untried = new Set(all);
    for (;;) {
      const now = performance.now();
      const candidates = [...untried];
      const relay = chooseRelay(candidates, now);
      // One that is known to fail is tried only if nothing was tried yet.
      if (relay === null || (relay.failsUntil > now && untried.size < all.length)) return outcome;
      untried.delete(relay);
      outcome = await relay.transport.send(message, mayBegin);
      if (classify(outcome).relayFailure === null) {
        if (outcome.kind === "accepted") noteSuccess(relay);
        return outcome;
      }
      noteFailure(relay, performance.now());
    }
  }
  return {
    connections: all.reduce((most, { transport }) => Math.max(most, transport.connections), 0),
    send,
    close: async () => {
      await Promise.all(all.map(({ transport }) => transport.close()));
    },
  };
}
