/**
 * Where providers post what became of messages: `POST /hooks/<secret>`. The secret is checked before the body
 * is read, then the proof of the provider. Whatever is not proved gets the same reply as an unknown secret.
 * What is proved is answered 200 after it is stored, also if it is about nobody.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import { readBounceToken } from "#delivery/mime/compose.ts";
import type { Clock, MonotonicClock } from "#domain/clocks.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { OfSender } from "#domain/ports/sending/senders.ts";
import type { UnsubscribeLinks } from "#domain/ports/sending/unsubscribe-links.ts";
import type { ReceivedEvent, Webhook, WebhookSecrets, Webhooks } from "#domain/ports/sending/webhooks.ts";
import { isNoted, type ProviderEvent } from "#domain/sending/provider-event.ts";
import { eventsOf } from "#domain/sending/providers.ts";
import { hashOfSecret, readWebhookSecret, WEBHOOK_PATH } from "#domain/sending/webhook-address.ts";
import { type Received, readReceived } from "./formats.ts";
import { type Certificates, CertificateUnavailable, isProved } from "./proof.ts";

interface WebhookOptions {
  readonly store: {
    readonly webhooks: Webhooks;
    readonly unsubscribeLinks: Pick<UnsubscribeLinks, "storedSecretOf">;
  };
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly certificates: Certificates;
  /** The path of the service's base address. */
  readonly prefix: string;
  /** At most once a minute, if requests were not proved: how many since the last time, and why. */
  readonly onRefused: (requests: number, reasons: string) => void;
  /** Reports an unexpected error. */
  readonly onDefect: (error: unknown, route: string | null) => unknown;
}

/** Of a request with many events, and with one. */
const BATCH_LIMIT = 2 * 2 ** 20;
const ONE_LIMIT = 512 * 1024;
/** Events of one transaction. */
const MAX_AT_ONCE = 500;
const KEY_BYTES = 16;
const MINUTE_MS = 60_000;

interface KnownWebhook {
  readonly sender: OfSender;
  readonly webhook: Webhook & WebhookSecrets;
  readonly contentType: string;
}

const noMessage = { campaign: null, subscriber: null };

/** It stops the request, before its body is read if possible. The reply is the same for all reasons. */
class NotProved extends Error {}
const WRONG_ADDRESS = "no webhook has this address";

const hashed = (...parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, KEY_BYTES).toString("base64url");

export function addWebhookRoutes(fastify: FastifyInstance, options: WebhookOptions): void {
  const { store, clock, monotonic, certificates } = options;
  const { webhooks, unsubscribeLinks } = store;
  const found = new WeakMap<FastifyRequest, KnownWebhook>();
  const proved = new WeakSet<FastifyRequest>();
  const refused = new Map<string, number>();
  let nextLine = Number.NEGATIVE_INFINITY;

  const before = async (request: FastifyRequest): Promise<void> => {
    const { secret } = request.params as { readonly secret: string };
    const one = readWebhookSecret(secret);
    const webhook = one === null ? null : await webhooks.find(one);
    if (one === null || webhook === null || !timingSafeEqual(webhook.secretHash, hashOfSecret(secret)))
      throw new NotProved(WRONG_ADDRESS);
    const contentType = request.headers["content-type"] ?? "";
    found.set(request, { sender: one, webhook, contentType });
  };

  /** Verifies the token by which an event names its campaign. */
  const named = async (one: OfSender, events: readonly ProviderEvent[]): Promise<ReceivedEvent[]> => {
    const secret = events.some(({ token }) => token !== null)
      ? await unsubscribeLinks.storedSecretOf(one)
      : null;
    return events.map(({ id, token, ...event }) => ({
      ...event,
      key: hashed(id, event.kind, event.address.toLowerCase()),
      ...((secret === null || token === null ? null : readBounceToken(secret, token)) ?? noMessage),
    }));
  };

  const storeEvents = async (
    { sender, webhook }: KnownWebhook,
    { events, once }: Received,
    now: number,
  ): Promise<void> => {
    const { account } = sender;
    const addresses = events.map(({ address }) => address);
    // Most messages are delivered, and most people have no soft bounces: then there is nothing to write.
    const isNothing =
      once === null &&
      isNoted(webhook, now) &&
      events.every(({ kind }) => kind === "delivered") &&
      !(await webhooks.hasSoftBounces({ account, addresses }));
    if (isNothing) return;
    const mark = once === null ? null : hashed(once);
    for (let at = 0; at === 0 || at < events.length; at += MAX_AT_ONCE) {
      const some = await named(sender, events.slice(at, at + MAX_AT_ONCE));
      const given = { ...sender, as: webhook, events: some, once: mark, now };
      if (!(await webhooks.receive(given))) throw new NotProved(WRONG_ADDRESS);
    }
  };

  const receive = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const one = found.get(request);
    if (one === undefined) throw new NotProved(WRONG_ADDRESS);
    const { webhook, sender, contentType } = one;
    const { provider, key } = webhook;
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const now = clock();
    const { proof, sendsBatches = false } = eventsOf(provider);
    if (webhook.isKeyMissing) throw new NotProved("the key is missing");
    if (body.length > ONE_LIMIT && !sendsBatches) throw new NotProved("the request is too large");
    if (
      !(await isProved(
        { proof, key, topic: webhook.topic },
        { headers: request.headers, body },
        now,
        certificates,
      ))
    )
      throw new NotProved(
        proof === "password"
          ? "the password is wrong"
          : proof === "sns"
            ? "the signature or the topic is wrong"
            : "the signature is wrong",
      );
    proved.add(request);
    const received = readReceived(provider, body, contentType, now);
    const { topic, confirmUrl } = received;
    if (topic !== null && confirmUrl !== null) {
      const asks = { ...sender, topic, url: confirmUrl, as: webhook };
      if (topic !== webhook.topic && !(await webhooks.propose(asks))) throw new NotProved(WRONG_ADDRESS);
      return send(reply, 200, "");
    }
    await storeEvents(one, received, now);
    return send(reply, 200, "");
  };

  const noteRefused = (reason: string, known: KnownWebhook | undefined): void => {
    const of = known === undefined ? "" : `sender ${known.sender.id} of account ${known.sender.account}: `;
    refused.set(of + reason, (refused.get(of + reason) ?? 0) + 1);
  };

  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof Fault && proved.has(request) && error.code === "InvalidMessage")
      return send(reply, 400, `${error.message}\n`);
    if (error instanceof NotProved || error instanceof Fault) {
      const fault = error instanceof Fault ? error : null;
      if (fault?.retryAfterSeconds != null) return later(reply, fault.retryAfterSeconds);
      noteRefused(
        fault === null ? error.message : "the request is too large or malformed",
        found.get(request),
      );
      if (monotonic() >= nextLine) {
        const counts = [...refused].map(([reason, count]) => `${reason} (${count})`);
        const requests = [...refused.values()].reduce((sum, count) => sum + count, 0);
        options.onRefused(requests, counts.join(", "));
        refused.clear();
        nextLine = monotonic() + MINUTE_MS;
      }
      return send(reply, 404, NOT_FOUND);
    }
    if (!(error instanceof StoreUnavailable || error instanceof CertificateUnavailable))
      options.onDefect(error, request.routeOptions.url ?? null);
    return later(reply, RETRY_AFTER_SECONDS);
  };

  for (const prefix of new Set(["", options.prefix])) {
    const common = { url: `${prefix}${WEBHOOK_PATH}/:secret`, errorHandler } as const;
    const config = { before, takesBytes: true };
    fastify.route({
      ...common,
      ...{ method: "POST", bodyLimit: BATCH_LIMIT, schema: { body: {} }, config, handler: receive },
    });
  }
}

const NOT_FOUND = "There is nothing here.\n";
const later = (reply: FastifyReply, seconds: number): FastifyReply =>
  send(reply.header("Retry-After", seconds), 503, "Try again later.\n");
const send = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply
    .code(status)
    .headers({ "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" })
    .send(text);
