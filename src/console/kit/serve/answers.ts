/** Answers of pages as replies: content within the frame, redirects, files, and pages about errors. */

import type { FastifyReply, FastifyRequest } from "fastify";
import { CONSOLE_POLICY } from "#html/served-assets.ts";
import { endFlight, routeOf } from "#http/route-requests.ts";
import { sendChunks } from "#http/send.ts";
import { CONSOLE_PATH } from "../../console-path.ts";
import { sections } from "../../navigation.ts";
import { type Failure, failureOf } from "../errors.ts";
import type { ConsoleOptions } from "../options.ts";
import type { Answer, AnyPage, Content, Download, Framed, Redirect } from "../page.ts";
import { clearSession, setNotice, setSession, setSignIn, setTheme, takeNotice, themeOf } from "./cookies.ts";
import type { PageContexts } from "./page-contexts.ts";
import { failureContent, render } from "./render.ts";

/** Headers of every reply of the console. */
export const consoleHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": CONSOLE_POLICY,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // Without a referrer at all, a browser would not say which origin a form is sent from.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // For browsers that do not know frame-ancestors.
  "X-Frame-Options": "DENY",
};

/**
 * Of a document within a frame of the console, which any user may have written: styles of its own and images
 * that it contains, but no script, no form, no request (other pictures only if the user asks for them), and
 * an origin of its own.
 */
const framedHeaders = ({ showsPictures = false }: Framed): Readonly<Record<string, string>> => ({
  ...consoleHeaders,
  "Content-Security-Policy": [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${showsPictures ? " https: http:" : ""}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox",
  ].join("; "),
  "X-Frame-Options": "SAMEORIGIN",
});

const SEARCH_PATH = "/{account}/search";

/** Whether the public address is https. */
export const isSecure = (request: FastifyRequest, { baseOf }: Pick<ConsoleOptions, "baseOf">): boolean =>
  baseOf(request).startsWith("https:");

export class Answers {
  readonly #pages: readonly AnyPage[];
  readonly #contexts: PageContexts;
  readonly #options: ConsoleOptions;
  readonly #base: string;

  constructor(pages: readonly AnyPage[], contexts: PageContexts, options: ConsoleOptions) {
    this.#pages = pages;
    this.#contexts = contexts;
    this.#options = options;
    this.#base = `${options.prefix}${CONSOLE_PATH}`;
  }

  async send(request: FastifyRequest, reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
    if (answer.kind === "redirect") return this.#redirect(request, reply, answer);
    if (answer.kind === "download") return await this.#download(request, reply, answer);
    if (answer.kind === "framed")
      return await reply
        .headers(framedHeaders(answer))
        .type("text/html; charset=utf-8")
        .send(answer.document);
    return await this.#sendContent(request, reply, answer);
  }

  async #redirect(request: FastifyRequest, reply: FastifyReply, answer: Redirect): Promise<FastifyReply> {
    const { to, notice, session, signIn, theme } = answer;
    const secure = isSecure(request, this.#options);
    const secret = session ?? request.signedIn?.secret ?? null;
    if (session === null) clearSession(reply, secure);
    else if (session !== undefined) setSession(reply, session, secure);
    if (theme !== undefined) setTheme(reply, theme, secure);
    if (signIn !== undefined) setSignIn(reply, signIn, secure);
    if (notice !== null && secret !== null) setNotice(reply, notice, secret, secure);
    return await reply.redirect(to, 303);
  }

  async #sendContent(request: FastifyRequest, reply: FastifyReply, content: Content): Promise<FastifyReply> {
    const { signedIn } = request;
    const params = (request.params ?? {}) as Readonly<Record<string, string>>;
    const secure = isSecure(request, this.#options);
    const page = render(
      {
        prefix: this.#options.prefix,
        base: this.#base,
        theme: themeOf(request, secure),
        path: request.originalUrl,
        version: this.#options.version,
        user: signedIn?.user ?? null,
        ...(await this.#contexts.choices(signedIn, params)),
        sections: sections.filter(({ path }) => this.#pages.some((one) => one.path === `/{account}${path}`)),
        hasSearch: this.#pages.some(({ path }) => path === SEARCH_PATH),
        pagePath: request.routeOptions.config.page?.path ?? null,
        notice: signedIn === null ? null : takeNotice(request, reply, signedIn.secret, secure),
      },
      content,
    );
    return await reply.type("text/html; charset=utf-8").send(page);
  }

  async #download(
    request: FastifyRequest,
    reply: FastifyReply,
    { fileName, contentType, chunks }: Download,
  ): Promise<FastifyReply> {
    const account = Number((request.params as Readonly<Record<string, string>>).account ?? 0);
    const slot = this.#options.admission.takeListSlot(account === 0 ? null : account);
    reply.hijack();
    endFlight(request);
    const headers = {
      ...consoleHeaders,
      "Content-Type": contentType,
      "Content-Disposition": `attachment; filename="${fileName.replaceAll(/[^\w.-]/g, "_")}"`,
    };
    try {
      await sendChunks(reply.raw, 200, headers, chunks, slot);
    } catch (error) {
      this.brokenOff(request, error);
    } finally {
      slot.release();
    }
    return reply;
  }

  /** The status was sent already, so the client only sees that the connection has ended. */
  brokenOff(request: FastifyRequest, error: unknown): void {
    if (failureOf(error) === null) this.#options.onDefect(error, routeOf(request));
  }

  async fail(request: FastifyRequest, reply: FastifyReply, failure: Failure): Promise<FastifyReply> {
    const { status, retryAfterSeconds } = failure;
    if (retryAfterSeconds !== null) reply.header("Retry-After", retryAfterSeconds);
    reply.code(status);
    try {
      return await this.#sendContent(request, reply, failureContent(failure, this.#base));
    } catch {
      // The frame needs the database. Without it, the page is shown as without a session.
      request.signedIn = null;
      return await this.#sendContent(request, reply, failureContent(failure, this.#base));
    }
  }
}
