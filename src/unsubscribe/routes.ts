/**
 * The routes of unsubscribe links. A GET shows the page and changes nothing, because link scanners open every
 * link. A POST to the link itself is the full opt-out (one-click, RFC 8058), whatever its body; the other
 * buttons of the page have paths of their own. Needs no cookie, never redirects, logs neither token nor
 * address.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { BruteForceGuard } from "#auth/brute-force-guard.ts";
import { Fault, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import type { Clock } from "#domain/clocks.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { LinkRecipient, UnsubscribeLinks } from "#domain/ports/sending/unsubscribe-links.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import {
  invalidPage,
  type Place,
  pageHeaders,
  previewPage,
  statePage,
  throttledPage,
  unavailablePage,
  undonePage,
} from "./page.ts";
import { PREVIEW_TOKEN, UNSUBSCRIBE_PATH } from "./path.ts";
import { isGenuine, type ParsedToken, parseToken } from "./token.ts";

/**
 * Verifies the links of requests. Guessing is rate-limited per client, by failures alone: a genuine link is
 * never refused, because one address of a mail provider acts for many people.
 */
interface GenuineLink {
  readonly leaver: LinkRecipient;
  /** Without what a mail client has added to it. */
  readonly token: string;
}
/** The reply to a link that is not genuine. */
type InvalidLink = "invalid" | { readonly retryAfterSeconds: number };

class Links {
  readonly #unsubscribeLinks: Pick<UnsubscribeLinks, "storedSecretOf">;
  readonly #guard: BruteForceGuard;

  constructor(unsubscribeLinks: Pick<UnsubscribeLinks, "storedSecretOf">, guard: BruteForceGuard) {
    this.#unsubscribeLinks = unsubscribeLinks;
    this.#guard = guard;
  }

  /** Throws what the store throws. */
  async verify(text: string, client: string): Promise<GenuineLink | InvalidLink> {
    const parsed = parseToken(text);
    if (parsed === null || !(await this.#isGenuine(parsed))) return await this.#refuse(client);
    const { account, campaign, subscriber, token } = parsed;
    return { leaver: { account, campaign, subscriber }, token };
  }

  /** The secret is read each time: a link is not genuine any more when its account was deleted. */
  async #isGenuine(parsed: ParsedToken): Promise<boolean> {
    const secret = await this.#unsubscribeLinks.storedSecretOf({ account: parsed.account });
    return secret !== null && isGenuine(secret, parsed);
  }

  async #refuse(client: string): Promise<InvalidLink> {
    try {
      await this.#guard.failed(client, "link");
      return "invalid";
    } catch (error) {
      if (error instanceof Fault && error.retryAfterSeconds !== null)
        return { retryAfterSeconds: error.retryAfterSeconds };
      throw error;
    }
  }
}

interface UnsubscribeOptions {
  readonly store: { readonly unsubscribeLinks: UnsubscribeLinks };
  readonly guard: BruteForceGuard;
  readonly clients: ClientAddresses;
  readonly clock: Clock;
  /** The path of the service's base address. */
  readonly prefix: string;
  /** What a person asked for by a link is stored; also if it was so before. */
  readonly onStored: (action: "unsubscribe" | "leave_list" | "undo") => void;
  /** Reports an unexpected error. */
  readonly onDefect: (error: unknown, route: string | null) => unknown;
}

interface Params {
  readonly token: string;
  readonly list?: string;
}
type Leave = (
  leaver: LinkRecipient & { readonly at: number },
  place: Place,
  params: Params,
) => Promise<string>;

export function addUnsubscribeRoutes(fastify: FastifyInstance, options: UnsubscribeOptions): void {
  const { onStored } = options;
  const { unsubscribeLinks } = options.store;
  const links = new Links(unsubscribeLinks, options.guard);
  const show: Leave = async (leaver, place) => statePage(await unsubscribeLinks.state(leaver), place);
  const leave: Leave = async (leaver, place) => {
    const state = await unsubscribeLinks.leave(leaver);
    if (state !== null) onStored("unsubscribe");
    return statePage(state, place);
  };
  const undo: Leave = async (leaver, place) => {
    const state = await unsubscribeLinks.undo(leaver);
    if (state?.isUndone === true) onStored("undo");
    return undonePage(state, place);
  };
  const leaveList: Leave = async (leaver, place, params) => {
    const list = /^[1-9]\d{0,14}$/.test(params.list ?? "") ? Number(params.list) : null;
    if (list === null) return await show(leaver, place, params);
    const state = await unsubscribeLinks.leaveList({ ...leaver, list });
    if (state?.left.some(({ id }) => id === list) === true) onStored("leave_list");
    return statePage(state, place);
  };

  const answer = async (
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
    run: Leave,
  ): Promise<FastifyReply> => {
    const { params, raw } = request;
    if (params.token === PREVIEW_TOKEN) return send(reply, 200, previewPage());
    const link = await links.verify(params.token, options.clients.of(raw));
    if (link === "invalid") return send(reply, 404, invalidPage());
    if ("retryAfterSeconds" in link)
      return send(reply.header("Retry-After", link.retryAfterSeconds), 429, throttledPage());
    const now = options.clock();
    const place = { path: `${options.prefix}${UNSUBSCRIBE_PATH}/${link.token}`, now };
    return send(reply, 200, await run({ ...link.leaver, at: now }, place, params));
  };

  /** Whatever has happened: the same request may succeed later, and repeating it does no harm. */
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const fault = error instanceof Fault ? error : null;
    if (fault === null && !(error instanceof StoreUnavailable))
      options.onDefect(error, request.routeOptions.url ?? null);
    reply.header("Retry-After", fault?.retryAfterSeconds ?? RETRY_AFTER_SECONDS);
    return send(reply, 503, unavailablePage(request.method === "POST"));
  };

  const posts = [
    ["", leave],
    ["/", leave],
    ["/undo", undo],
    ["/list/:list", leaveList],
  ] as const;
  for (const prefix of new Set(["", options.prefix]))
    for (const [path, run] of posts) {
      const url = `${prefix}${UNSUBSCRIBE_PATH}/:token${path}`;
      const common = { url, errorHandler } as const;
      fastify.route<{ Params: Params }>({
        ...common,
        method: "GET",
        handler: (request, reply) => answer(request, reply, show),
      });
      fastify.route<{ Params: Params }>({
        ...common,
        method: "POST",
        handler: (request, reply) => answer(request, reply, run),
      });
    }
}

const send = (reply: FastifyReply, status: number, page: string): FastifyReply =>
  reply.code(status).headers(pageHeaders).send(page);
