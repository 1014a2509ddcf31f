/** SOAP adds at full rate, alone and while 200 messages a second are sent. */
import { runLoad } from "../load/wrk.ts";
import { messages } from "../messages.ts";
import type { RunFolder } from "../run-folder.ts";
import { ACCOUNT, cancel, makeSender, startCampaign, waitFor } from "./campaigns.ts";
import type { SendingService } from "./service.ts";
import type { Sink } from "./sink.ts";

export const PER_SECOND = 200;
const WINDOW_SECONDS = 4;
const CONNECTIONS = 32;

export interface AddsBeside {
  readonly alone: number;
  readonly beside: number;
  /** Messages per second that were sent meanwhile. */
  readonly sent: number;
}

export async function addsBesideSending(
  folder: RunFolder,
  { server, store }: SendingService,
  sink: Sink,
): Promise<AddsBeside> {
  const adds = async (): Promise<number> => {
    const load = { url: server.url, message: messages.add(), connections: CONNECTIONS };
    return (await runLoad(folder, { ...load, seconds: WINDOW_SECONDS })).perSecond;
  };
  const alone = await adds();
  const sender = await makeSender(store, { relay: sink.url, isSigned: true, perSecond: PER_SECOND });
  const campaign = await startCampaign(store, sender);
  const sentSoFar = async (): Promise<number> =>
    (await store.mailings.byId({ account: ACCOUNT, campaign }))?.mailing.counts.sent ?? 0;
  await waitFor(store, campaign, ({ counts }) => counts.sent > PER_SECOND);
  const [before, began] = [await sentSoFar(), performance.now()];
  const beside = await adds();
  const sent = ((await sentSoFar()) - before) / ((performance.now() - began) / 1000);
  await cancel(store, campaign);
  return { alone, beside, sent };
}
