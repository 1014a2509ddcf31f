/** The memory of the service while it sends, with few and with many selected recipients; and their ledger. */
import { PeakMemory } from "../measure/proc.ts";
import { cancel, makeSender, startCampaign, waitFor } from "./campaigns.ts";
import type { SendingService } from "./service.ts";
import type { Sink } from "./sink.ts";

export interface Footprint {
  /** Recipients of each campaign. */
  readonly selected: number;
  /** Messages of all campaigns together. */
  readonly sent: number;
  /** Over what it used before. */
  readonly peakMiB: number;
  readonly ledgerBytes: number;
}

/**
 * Sends as many messages as wanted, with one campaign after the other. Memory grows during the first 20,000
 * or so, however many recipients are selected; so it can only be compared after equally many messages.
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
    if (mailing.counts.sent === 0) throw new Error("a campaign has ended without a message");
    recipients += selected;
    sent += mailing.counts.sent;
    if (mailing.state !== "finished") await cancel(store, campaign);
  }
  const peakMiB = memory.overIdleMiB();
  return { selected, sent, peakMiB, ledgerBytes: (await ledgerBytes()) / recipients };
}
