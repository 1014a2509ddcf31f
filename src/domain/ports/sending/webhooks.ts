/** Webhooks: by which a provider tells what became of messages of a sender. Rules: `provider-event.ts`. */
import type { Audited } from "../../access/audit.ts";
import type { CampaignId } from "../../campaign.ts";
import type { EventKindCounts, ProviderEvent, ProviderEventKind } from "../../sending/provider-event.ts";
import type { WebhookProvider } from "../../sending/providers.ts";
import type { SubscriberId } from "../../subscriber/subscriber.ts";
import type { OfAccount } from "../command.ts";
import type { Listing } from "../listing.ts";
import type { OfSender } from "./senders.ts";

/** What operators see of it. */
export interface Webhook {
  readonly provider: WebhookProvider;
  /** Whether the provider signs with a key that nobody has given yet: until then, nothing is proved. */
  readonly isKeyMissing: boolean;
  /** Of Amazon SNS: the topic that a person has confirmed, and one that waits for it. */
  readonly topic: string | null;
  readonly pendingTopic: string | null;
  readonly createdAt: number;
  readonly lastEventAt: number | null;
  readonly counts: EventKindCounts;
}
/** And what its requests are checked with. */
export interface WebhookSecrets {
  /** SHA-256 of the secret in its address. */
  readonly secretHash: Uint8Array;
  /** What its requests are proved by. */
  readonly key: string;
  /** Where the topic that waits is confirmed. */
  readonly pendingUrl: string | null;
}

/** As which webhook a request was proved: it may have been replaced since. */
export type ProvedAs = Pick<WebhookSecrets, "secretHash" | "key"> & Pick<Webhook, "topic">;

/** A provider's event; `campaign` and `subscriber` are those that the verified token of the message names. */
export interface ReceivedEvent extends Omit<ProviderEvent, "id" | "token"> {
  /** At most 22 characters, the same for the same event. */
  readonly key: string;
  readonly campaign: CampaignId | null;
  readonly subscriber: SubscriberId | null;
}

/** An event of an address that is no subscriber's. */
export interface UnmatchedEvent {
  readonly key: string;
  readonly address: string;
  readonly kind: ProviderEventKind;
  readonly at: number;
  readonly receivedAt: number;
  readonly detail: string | null;
}

/** What providers told of one subscriber, or of an address that was no subscriber's. */
export interface EventOfPerson {
  readonly sender: OfSender["id"];
  readonly kind: ProviderEventKind;
  readonly at: number;
  readonly campaign: CampaignId | null;
  readonly detail: string | null;
}

export interface Webhooks {
  /** null: it has none, or there is no such sender. */
  find(args: OfSender): Promise<(Webhook & WebhookSecrets) | null>;
  /** Replaces one that is there. null: no such sender. */
  set(
    args: OfSender &
      Audited &
      Pick<Webhook, "provider" | "createdAt"> &
      Pick<WebhookSecrets, "secretHash" | "key">,
  ): Promise<Webhook | null>;
  /** What a provider shows only after it knows the address. null: there is no webhook. */
  setKey(args: OfSender & Audited & Pick<WebhookSecrets, "key">): Promise<Webhook | null>;
  /** A topic asks to be confirmed; a person decides. False: the webhook is another one now. */
  propose(
    args: OfSender & { readonly as: ProvedAs; readonly topic: string; readonly url: string },
  ): Promise<boolean>;
  /** The topic that waits becomes the one whose events count. null: none waits, or it is another one now. */
  confirm(args: OfSender & Audited & { readonly topic: string }): Promise<Webhook | null>;
  /** null: there is none. */
  remove(args: OfSender & Audited): Promise<Webhook | null>;
  /** Whether any of these addresses has soft bounces that a delivery would clear. A short read. */
  hasSoftBounces(args: OfAccount & { readonly addresses: readonly string[] }): Promise<boolean>;
  /**
   * Applies events that no earlier call has applied. `once`: what may be received only once, all of it.
   * False: the webhook is another one now.
   */
  receive(
    args: OfSender & {
      readonly as: ProvedAs;
      readonly events: readonly ReceivedEvent[];
      readonly once: string | null;
      readonly now: number;
    },
  ): Promise<boolean>;
  /** The newest first. */
  readonly unmatched: Listing<OfSender, UnmatchedEvent>;
  /** By address, for the report about a person; at most some hundred, the newest. */
  ofPerson(args: OfAccount & { readonly addressKey: string }): Promise<readonly EventOfPerson[]>;
  /** Complaints about the newest started campaign of the sender, except for one. null: there is none. */
  complaintsBefore(
    args: OfSender & { readonly campaign: CampaignId },
  ): Promise<{ readonly campaign: CampaignId; readonly complaints: number; readonly sent: number } | null>;
}
