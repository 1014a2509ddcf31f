/**
 * Collects what the delivery thread needs to send a campaign, from the store and the settings. The checks of
 * `campaign send` are made before; here are the checks whose result may have changed since then.
 */
import { collect } from "#domain/paging.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Relay } from "#domain/sending/relay.ts";
import { paceKeyOf, usedRelays } from "#domain/sending/relay.ts";
import type { Sender, SenderSecrets } from "#domain/sending/sender.ts";
import { signingOf } from "#domain/sending/sender-rules.ts";
import type { MailingToSend } from "../threads/protocol.ts";
import type { DeliveryStore } from "./ledger-writer.ts";

export interface DeliverySettings {
  /** The public address of the service, without a slash at the end; the local one if none is set. */
  readonly baseUrl: () => string;
  /** The relay of senders that have none of their own. */
  readonly relay: string;
  /** A demo uses no other relay: it sends nothing. */
  readonly isDemo?: boolean;
}

/** A text: why the campaign cannot be sent, and what to do. */
export async function prepareMailing(
  store: DeliveryStore,
  settings: DeliverySettings,
  of: OfMailing,
  now: number,
): Promise<MailingToSend | string> {
  const { account } = of;
  const composed = await store.mailings.byId(of);
  if (composed === null) return "The campaign was deleted.";
  const { campaign, content, mailing } = composed;
  const baseUrl = settings.baseUrl();
  if (!mailing.allowsHttp && !baseUrl.startsWith("https:"))
    return "Unsubscribe links would not be https. Set MAILROLL_BASE_URL to the public https address, restart the service, then resume the campaign.";
  const sender =
    content.sender === null ? null : await store.senders.toSendWith({ account, id: content.sender });
  if (sender === null)
    return "The sender of the campaign does not exist any more. Cancel the campaign, and choose another sender for a copy.";
  if (sender.postalAddress.trim() === "")
    return "The sender has no postal address. Add one in the settings of the sender, then resume the campaign.";
  const problem = signingProblem(sender);
  if (problem !== null) return problem;
  const linkSecret = await store.unsubscribeLinks.secretOf({ account });
  if (linkSecret === null) return "The account does not exist any more.";
  const fields = await collect(store.fields.all.pages({ account }));
  const relays = usedRelays(sender.relays, {
    defaultRelay: settings.relay,
    isDemo: settings.isDemo === true,
  });
  const paces = await store.paces.ofRelays({ keys: paceKeysOf(relays), now });
  return {
    account,
    campaign: of.campaign,
    name: campaign.name,
    content,
    sender: { ...sender, relays },
    baseUrl,
    linkSecret,
    fields: fields.map(({ name }) => name),
    paced: paces.map(({ key }) => key),
  };
}

function signingProblem(sender: Sender & SenderSecrets): string | null {
  const signing = signingOf(sender);
  if (signing.kind === "nobody signs")
    return "Nobody signs the messages of this sender. Choose who does in the settings of the sender, then resume the campaign.";
  if (signing.kind === "incomplete key")
    return "The sender has no complete DKIM key. Complete or replace it in the settings of the sender, then resume the campaign.";
  if (signing.kind === "not aligned")
    return `The From address ${sender.fromAddress} is not aligned with the signing domain ${signing.domain}, so DMARC fails. Change one of them in the settings of the sender, then resume the campaign.`;
  return null;
}

export const paceKeysOf = (relays: readonly Relay[]): readonly string[] =>
  relays.map(({ url }) => paceKeyOf(url)).filter((key) => key !== null);
