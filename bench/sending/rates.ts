/**
 * Messages per second: of the service, of bare connections that send equal bytes, and of RSA signatures. The
 * measurements alternate in one run, and what the service is compared with is measured before and after it,
 * so that whatever else the machine does meets all of them.
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { SMTP_CONNECTIONS } from "#domain/sending/relay.ts";
import { mean } from "../statistics.ts";
import { bareRate } from "./bare.ts";
import { cancel, makeSender, rateOf, sampleMessage, startCampaign } from "./campaigns.ts";
import type { SendingService } from "./service.ts";
import type { Sink } from "./sink.ts";

const SIGN_MS = 1500;

/** Signatures per second of one thread, of a header as DKIM signs it. */
function signRate(): number {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const header = Buffer.alloc(1200, "a");
  const began = performance.now();
  let count = 0;
  for (; performance.now() - began < SIGN_MS; count += 1) sign("sha256", header, privateKey);
  return count / ((performance.now() - began) / 1000);
}

export interface Rates {
  readonly bare: number;
  readonly unsigned: number;
  readonly signatures: number;
  readonly signed: number;
}

async function serviceRate(
  { store }: SendingService,
  sink: Sink,
  isSigned: boolean,
  messages: number,
): Promise<number> {
  const sender = await makeSender(store, { relay: sink.url, isSigned });
  const campaign = await startCampaign(store, sender);
  const warmUp = Math.floor(messages / 4);
  const rate = await rateOf(store, campaign, warmUp, messages + warmUp);
  await cancel(store, campaign);
  return rate;
}

export async function measureRates(service: SendingService, sink: Sink, messages: number): Promise<Rates> {
  const measureBare = (): Promise<number> =>
    bareRate({ port: sink.port, connections: SMTP_CONNECTIONS, messages, bytes: sampleMessage() });
  const bareBefore = await measureBare();
  const unsigned = await serviceRate(service, sink, false, messages);
  const bareAfter = await measureBare();
  const signaturesBefore = signRate();
  const signed = await serviceRate(service, sink, true, Math.ceil(messages / 2));
  const signaturesAfter = signRate();
  return {
    bare: mean([bareBefore, bareAfter]),
    unsigned,
    signatures: mean([signaturesBefore, signaturesAfter]),
    signed,
  };
}
