/** Webhooks of senders: through which providers tell what became of messages. */
import { Type } from "typebox";
import {
  confirmWebhook,
  countsDocument,
  listUnmatchedEvents,
  removeWebhook,
  setWebhook,
  setWebhookKey,
  showWebhook,
} from "#admin/senders/webhooks.ts";
import type { UnmatchedEvent, Webhook } from "#domain/ports/sending/webhooks.ts";
import { eventWords } from "#domain/sending/provider-event.ts";
import { webhookProviders } from "#domain/sending/providers.ts";
import { idsOf, route } from "../kit/route.ts";
import { Input, Named, Nullable, OneOf, pageOfRows, Time, time, timeOrNull } from "../kit/schemas.ts";

export const EventWord = (description?: string) => OneOf(Object.values(eventWords), description);
const members = {
  provider: OneOf(
    webhookProviders,
    "The provider that posts the events; `plain`: any program, in a form of Mailroll's own.",
  ),
  isKeyMissing: Type.Boolean({
    description:
      "Whether the key that verifies the events is missing. Until it is given, all events are refused.",
  }),
  topic: Nullable(
    Type.String({
      description: "Of `ses`: the topic of Amazon SNS whose events are accepted. null: none yet.",
    }),
  ),
  pendingTopic: Nullable(
    Type.String({
      description: "A topic that waits to be confirmed; null: none. Confirm it only if it is yours.",
    }),
  ),
  createdAt: Time(),
  lastEventAt: Nullable(Time("Of deliveries alone, updated once an hour. null: none yet.")),
  eventCounts: Type.Object(
    {
      bounced: Type.Integer(),
      softBounced: Type.Integer(),
      complained: Type.Integer(),
      unsubscribed: Type.Integer(),
      rejected: Type.Integer(),
      unmatched: Type.Integer(),
    },
    {
      description:
        "Since the webhook was created, without deliveries. `unmatched` are those for unknown addresses.",
    },
  ),
};
const WebhookSchema = Named("Webhook", members);
const toWebhook = ({ createdAt, lastEventAt, counts, ...webhook }: Webhook) => ({
  ...webhook,
  ...{
    createdAt: time(createdAt),
    lastEventAt: timeOrNull(lastEventAt),
    eventCounts: countsDocument(counts),
  },
});
const NewWebhook = Named("NewWebhook", {
  ...members,
  url: Type.String({
    description: "What to enter at the provider. It is a secret, and is never shown again.",
  }),
  userName: Nullable(
    Type.String({
      description: "For providers that sign nothing: with basic authentication. null: not needed.",
    }),
  ),
  password: Nullable(
    Type.String({ description: "With it, or as a bearer token. Never shown again. null: not needed." }),
  ),
});
const UnmatchedSchema = Named("UnmatchedEvent", {
  address: Type.String({ description: "As the provider wrote it." }),
  event: EventWord("What happened."),
  at: Time(),
  receivedAt: Time(),
  detail: Nullable(Type.String({ description: "The words of the server or the provider." })),
});
const toUnmatched = ({ address, kind, at, receivedAt, detail }: UnmatchedEvent) => ({
  ...{ address, event: eventWords[kind], at: time(at), receivedAt: time(receivedAt), detail },
});

const path = "/accounts/{account}/senders/{sender}/webhook";
const shown = { reply: WebhookSchema, answer: toWebhook } as const;

export const webhookRoutes = [
  route(`GET ${path}`, {
    summary: "Show the webhook of a sender",
    action: showWebhook,
    reply: Type.Object({ webhook: Nullable(WebhookSchema) }),
    answer: (webhook) => ({ webhook: webhook === null ? null : toWebhook(webhook) }),
  }),
  route(`POST ${path}`, {
    summary: "Create the webhook of a sender",
    description:
      "Returns, once, the URL to which a provider posts bounces, complaints and unsubscribes. If the sender has a webhook, it is replaced: its URL stops working, and its key, topic and counts are discarded. Whoever bounced, complained or unsubscribed gets no more mail; a campaign is paused when too many complain.",
    action: setWebhook,
    body: Input({
      provider: Type.Optional(
        OneOf(
          webhookProviders,
          "The provider that posts the events; by default that of the sender's relays.",
        ),
      ),
      signingKey: Type.Optional(
        Type.String({
          description:
            "For `sendgrid` and `postal` the public key, for `mailgun` and `resend` the signing key of the webhooks there; if you have it already.",
        }),
      ),
    }),
    args: ({ params, body: { provider, signingKey } }) => ({ ...idsOf(params), provider, key: signingKey }),
    inputs: { key: "signingKey" },
    status: 201,
    reply: NewWebhook,
    answer: ({ webhook, url, login }) => ({
      ...toWebhook(webhook),
      ...{ url, userName: login?.user ?? null, password: login?.password ?? null },
    }),
    hasSecret: true,
  }),
  route(`POST ${path}/key`, {
    summary: "Set the key that verifies the events of a webhook",
    action: setWebhookKey,
    body: Input({ signingKey: Type.String({ description: "As for a new webhook." }) }),
    args: ({ params, body: { signingKey } }) => ({ ...idsOf(params), key: signingKey }),
    inputs: { key: "signingKey" },
    takesPassword: true,
    ...shown,
  }),
  route(`POST ${path}/confirm`, {
    summary: "Confirm the subscription to a topic of Amazon SNS",
    description: "Events of all other topics are refused. Confirm a topic only if it is yours.",
    action: confirmWebhook,
    body: Input({ topic: Type.String({ examples: ["arn:aws:sns:eu-west-1:123456789012:mailroll"] }) }),
    ...shown,
  }),
  route(`DELETE ${path}`, {
    summary: "Remove the webhook of a sender",
    description: "Its URL stops working at once.",
    action: removeWebhook,
    ...shown,
  }),
  route(`GET ${path}/unmatched-events`, {
    summary: "List the events for unknown addresses",
    description: "Of the last 30 days, the newest first; at most 10,000 are kept.",
    action: listUnmatchedEvents,
    ...pageOfRows(UnmatchedSchema, toUnmatched),
  }),
];
