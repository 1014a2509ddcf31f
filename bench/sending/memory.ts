/** The memory of the service while it sends, with few and with many selected recipients; and their ledger. */
import { PeakMemory } from "../measure/proc.ts";
import { cancel, makeSender, startCampaign, waitFor } from "./campaigns.ts";
import type { SendingService } from "./service.ts";
import type { Sink } from "./sink.ts";

export interface Footprint {
  readonly selected: number;
  readonly sent: number;
  /** Over what it used before. */
  readonly peakMiB: number;
  readonly ledgerBytes: number;
}

export async function footprint(
  { server, store, ledgerBytes }: SendingService,
  sink: Sink,
  mostSent: number,
): Promise<Footprint> {
  const memory = new PeakMemory(server.own);
  const sender = await makeSender(store, { relay: sink.url, isSigned: false });
  const campaign = await startCampaign(store, sender);
  const { selected, counts } = await waitFor(
    store,
    campaign,
    ({ counts: { sent }, state }) => sent >= mostSent || state === "finished",
  );
  const peakMiB = memory.overIdleMiB();
  const bytes = await ledgerBytes();
  if (counts.sent < selected) await cancel(store, campaign);
  return { selected, sent: counts.sent, peakMiB, ledgerBytes: bytes / selected };
}
