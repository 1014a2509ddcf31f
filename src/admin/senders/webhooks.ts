/** Webhooks of senders. The address and the password are returned once, and stored as hashes. */
import { randomBytes } from "node:crypto";
import type { Page } from "#domain/ports/listing.ts";
import type { UnmatchedEvent, Webhook, WebhookSecrets } from "#domain/ports/sending/webhooks.ts";
import type { EventKindCounts } from "#domain/sending/provider-event.ts";
import {
  eventsOf,
  recognisedProviders,
  type WebhookProvider,
  webhookProviders,
} from "#domain/sending/providers.ts";
import type { SenderId } from "#domain/sending/sender.ts";
import { hashOfSecret, newWebhookSecret, webhookUrl } from "#domain/sending/webhook-address.ts";
import { keyProblem, WEBHOOK_USER } from "#webhooks/proof.ts";
import { audited, type InAccount, type Performing, query } from "../kit/action.ts";
import { existing, InvalidInput, NotPossible } from "../kit/errors.ts";
import { requireMail } from "../kit/mail-tools.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { relaysOf } from "./senders.ts";

/** In the words of the API. */
export const countsDocument = ({ unmatched, rejected, ...counts }: EventKindCounts) => ({
  bounced: counts.hard,
  softBounced: counts.soft,
  complained: counts.complaint,
  unsubscribed: counts.unsubscribe,
  ...{ rejected, unmatched },
});

interface OfSender extends InAccount {
  readonly id: SenderId;
}
const PASSWORD_BYTES = 24;

export interface NewWebhook {
  readonly webhook: Webhook;
  readonly url: string;
  /** null: the provider signs. */
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** The provider of the relays that the sender uses, if it has events. */
async function usualProvider(admin: Performing, one: OfSender): Promise<WebhookProvider | undefined> {
  const sender = existing("sender", one.id, await admin.store.senders.toSendWith(one));
  const names = recognisedProviders(relaysOf(admin, sender));
  return webhookProviders.find((name) => names.some((recognised) => recognised === name));
}

/** Replaces the webhook that the sender has: its address does not work any more. */
export const setWebhook = audited(
  "sender.setWebhook",
  "owner",
  async (
    admin,
    {
      account,
      id,
      provider: wanted,
      key = "",
    }: OfSender & { readonly provider?: WebhookProvider | undefined; readonly key?: string | undefined },
  ): Promise<NewWebhook> => {
    const { store, clock, audit } = admin;
    const { baseUrl } = requireMail(admin);
    const usual = await usualProvider(admin, { account, id });
    const provider = wanted ?? usual;
    if (provider === undefined)
      throw new InvalidInput(
        "provider",
        "must be given: no relay of the sender belongs to a provider that Mailroll knows",
      );
    const { label, proof, key: asked } = eventsOf(provider);
    if (baseUrl === null)
      throw new NotPossible(
        "the public address of the service is not set, so no provider can reach it; set MAILROLL_BASE_URL, such as https://mail.example.org, and restart the service",
      );
    if (proof === "password" && !baseUrl.toLowerCase().startsWith("https:"))
      throw new NotPossible(
        `${label} does not sign its events, so a password would be sent without encryption to ${baseUrl}; set MAILROLL_BASE_URL to an https address`,
      );
    if (asked === undefined && key !== "") throw new InvalidInput("key", `is not needed for ${label}`);
    if (key !== "") requireKey(provider, key);

    const secret = newWebhookSecret(account, id);
    const password = proof === "password" ? randomBytes(PASSWORD_BYTES).toString("base64url") : null;
    const stored = await store.webhooks.set({
      ...{ account, id, provider, audit, createdAt: clock(), secretHash: hashOfSecret(secret) },
      key: password === null ? key.trim() : hashOfSecret(password).toString("hex"),
    });
    return {
      webhook: existing("sender", id, stored),
      url: webhookUrl(baseUrl, secret),
      login: password === null ? null : { user: WEBHOOK_USER, password },
    };
  },
);

function requireKey(provider: WebhookProvider, key: string): void {
  const problem = keyProblem(eventsOf(provider).proof, key.trim());
  if (problem !== null) throw new InvalidInput("key", problem);
}

/** The key that verifies events; most providers show it only after they know the URL of the webhook. */
export const setWebhookKey = audited(
  "sender.setWebhookKey",
  "owner",
  async ({ store, audit }, { account, id, key }: OfSender & { readonly key: string }): Promise<Webhook> => {
    const found = await webhookOf(store, { account, id });
    const { label, key: asked } = eventsOf(found.provider);
    if (asked === undefined) throw new NotPossible(`${label} has no key for its events`);
    requireKey(found.provider, key);
    return existing("sender", id, await store.webhooks.setKey({ account, id, key: key.trim(), audit }));
  },
);

async function webhookOf(store: Performing["store"], one: OfSender): Promise<Webhook & WebhookSecrets> {
  existing("sender", one.id, await store.senders.byId(one));
  const found = await store.webhooks.find(one);
  if (found === null) throw new NotPossible(`sender ${one.id} has no webhook`);
  return found;
}

function shownOf(found: Webhook & WebhookSecrets): Webhook {
  const { provider, isKeyMissing, topic, pendingTopic, createdAt, lastEventAt, counts } = found;
  return { provider, isKeyMissing, topic, pendingTopic, createdAt, lastEventAt, counts };
}

/** null: it has none. */
export const showWebhook = query(
  "sender.showWebhook",
  "viewer",
  async ({ store }, { account, id }: OfSender): Promise<Webhook | null> => {
    existing("sender", id, await store.senders.byId({ account, id }));
    const found = await store.webhooks.find({ account, id });
    return found && shownOf(found);
  },
);

/** Tells Amazon SNS that the topic may send events, and takes events of no other one. */
export const confirmWebhook = audited(
  "sender.confirmWebhook",
  "owner",
  async (admin, { account, id, topic }: OfSender & { readonly topic: string }): Promise<Webhook> => {
    const { store, audit } = admin;
    const found = await webhookOf(store, { account, id });
    // Of a request that was repeated, the first one has done it.
    if (found.topic === topic && found.pendingTopic === null) return shownOf(found);
    if (found.pendingUrl === null || found.pendingTopic !== topic)
      throw new InvalidInput("topic", "is not the one that waits to be confirmed");
    const problem = await requireMail(admin).confirmTopic(found.pendingUrl);
    if (problem !== null)
      throw new NotPossible(
        `Amazon SNS did not accept the confirmation (${problem}); have it sent again: in the subscription there, choose to request confirmation`,
      );
    const confirmed = await store.webhooks.confirm({ account, id, topic, audit });
    if (confirmed === null) throw new InvalidInput("topic", "is not the one that waits to be confirmed");
    return confirmed;
  },
);

export const removeWebhook = audited(
  "sender.removeWebhook",
  "owner",
  async ({ store, audit }, { account, id }: OfSender): Promise<Webhook> => {
    const found = await webhookOf(store, { account, id });
    return (await store.webhooks.remove({ account, id, audit })) ?? shownOf(found);
  },
);

/** What matched no subscriber, the newest first. */
export const listUnmatchedEvents = query(
  "sender.unmatchedEvents",
  "viewer",
  async ({ store }, { account, id, ...page }: OfSender & PageInputs): Promise<Page<UnmatchedEvent>> => {
    existing("sender", id, await store.senders.byId({ account, id }));
    return await pageOf(store.webhooks.unmatched, { account, id }, page);
  },
);
