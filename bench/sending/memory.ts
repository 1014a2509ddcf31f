/** The memory of the service while it sends, with few and with many selected recipients; and their ledger. */
import { PeakMemory } from "../measure/proc.ts";
import { cancel, makeSender, startCampaign, waitFor } from "./campaigns.ts";
import type { SendingService } from "./service.ts";
import type { Sink } from "./sink.ts";

export interface Footprint {
  /** By each campaign. */
  readonly selected: number;
  /** By all campaigns together. */
  readonly sent: number;
  /** Over what it used before. */
  readonly peakMiB: number;
  readonly ledgerBytes: number;
}

/**
 * Sends so many messages with one campaign after the other: memory grows for some ten thousand messages,
 * until garbage collection has found its rhythm, however many are selected.
 */
export async function footprint(
  { server, store, ledgerBytes }: SendingService,
  sink: Sink,
  messages: number,
): Promise<Footprint> {
  const memory = new PeakMemory(server.own);
  const sender = await makeSender(store, { relay: sink.url, isSigned: false });
  let [sent, recipients, selected] = [0, 0, 0];
  while (sent < messages) {
    const campaign = await startCampaign(store, sender);
    const left = messages - sent;
    const mailing = await waitFor(
      store,
      campaign,
      ({ counts, state }) => counts.sent >= left || state === "finished",
    );
    ({ selected } = mailing);
    recipients += selected;
    sent += mailing.counts.sent;
    if (mailing.state !== "finished") await cancel(store, campaign);
  }
  const peakMiB = memory.overIdleMiB();
  return { selected, sent, peakMiB, ledgerBytes: (await ledgerBytes()) / recipients };
}
