/**
 * Serves pages: who asks, the form, the action, the answer in the frame. Knows no page by name.
 *
 * Before a body is read, it is known that the request comes from a page of this console and who has sent it.
 */

import { setImmediate } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "#contract/faults.ts";
import { programOf } from "#domain/access/client-program.ts";
import { routeOf } from "#http/route-requests.ts";
import { fastifyPath } from "#web/path.ts";
import { CONSOLE_PATH } from "../../console-path.ts";
import { defect, FormRefused, failureOf, formProblems, noSuchPage, sentTwice } from "../errors.ts";
import { emptyForm, Form, type FormProblems, FormState, type SentFile } from "../form.ts";
import { formatsFor } from "../formats.ts";
import type { ConsoleOptions, SignedIn } from "../options.ts";
import type {
  Answer,
  AnyPage,
  EventPage,
  FormHandler,
  GuestContext,
  GuestPage,
  RequestContext,
  UserPage,
} from "../page.ts";
import { Answers, consoleHeaders, isSecure } from "./answers.ts";
import { requireSameOrigin, sessionSecret, signInOf } from "./cookies.ts";
import { PageContexts } from "./page-contexts.ts";
import { withProblems } from "./render.ts";
import { Streams } from "./streams.ts";

/** From the body of a request to a form. The body is in memory, and limited, before it gets here. */
const is = (type: string, contentType: string): boolean =>
  contentType.split(";")[0]?.trim().toLowerCase() === type;

/**
 * Far more than any page has. Parsing takes more than twice as long for twice as many, and nothing else is
 * served meanwhile.
 */
const MAX_FIELDS = 5000;
/** The lines before the content of a part. */
const MAX_HEADER_BYTES = 8192;

const tooLarge = (): Fault =>
  new Fault("TooLarge", `The form has more than ${MAX_FIELDS} fields, or too long names of fields.`);

/** `begins`: what stands before each field. Returns where. Throws TooLarge. */
function placesOf(begins: string, body: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = body.indexOf(begins); at !== -1; at = body.indexOf(begins, at + begins.length)) {
    places.push(at);
    if (places.length > MAX_FIELDS) throw tooLarge();
  }
  return places;
}

function requireShortHeaders(body: Buffer, contentType: string): void {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  for (const at of placesOf(`--${boundary?.[1] ?? boundary?.[2] ?? ""}`, body)) {
    const rest = body.subarray(at, at + MAX_HEADER_BYTES);
    if (rest.length === MAX_HEADER_BYTES && !rest.includes("\r\n\r\n")) throw tooLarge();
  }
}

/** Throws InvalidMessage, UnsupportedMediaType and TooLarge. */
async function readForm(body: Buffer | undefined, contentType: string): Promise<Form> {
  if (body === undefined || body.length === 0) return emptyForm;
  if (is("application/x-www-form-urlencoded", contentType)) {
    placesOf("&", body);
    return new Form(new URLSearchParams(body.toString()));
  }
  if (is("multipart/form-data", contentType)) {
    requireShortHeaders(body, contentType);
    return await readParts(body, contentType);
  }
  throw new Fault("UnsupportedMediaType", "The request must be sent by a form of this page.");
}

async function readParts(body: Buffer, contentType: string): Promise<Form> {
  const texts: [string, string][] = [];
  const files = new Map<string, SentFile>();
  for (const [name, value] of await parts(body, contentType)) {
    if (typeof value === "string") texts.push([name, value]);
    // A browser sends a file without name and bytes if none was chosen.
    else if (value.name !== "" || value.size > 0)
      files.set(name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return new Form(texts, files);
}

async function parts(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { "Content-Type": contentType } }).formData();
  } catch {
    throw new Fault(
      "InvalidMessage",
      "The form could not be read. Open the page again and send it once more.",
    );
  }
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The page of the console. */
    readonly page?: AnyPage;
  }
  interface FastifyRequest {
    signedIn: SignedIn | null;
    /** The Content-Type of the form. */
    formType: string;
  }
}

export const SIGN_IN_PATH = "/sign-in";
/** In the query of the sign-in, for the script: a form was not executed, because its session has ended. */
export const NOT_SAVED = "not-saved";

const LOOPBACK = /^(?:127\.|::1$|0:0:0:0::)/;

/** Pages have a few; very many take long to parse. */
const MAX_PARAMETERS = 100;

class SignInNeeded extends Error {}

/** `scope` serves paths below that of the console. */
export class PageServer {
  readonly #options: ConsoleOptions;
  readonly #pages: readonly AnyPage[];
  readonly #contexts: PageContexts;
  readonly #streams: Streams;
  readonly #answers: Answers;
  readonly #base: string;

  constructor(pages: readonly AnyPage[], options: ConsoleOptions) {
    this.#options = options;
    this.#pages = pages;
    this.#contexts = new PageContexts(options);
    this.#answers = new Answers(pages, this.#contexts, options);
    this.#streams = new Streams(options.closing, options.heartbeatMs);
    this.#base = `${options.prefix}${CONSOLE_PATH}`;
  }

  async serve(scope: FastifyInstance): Promise<void> {
    scope.decorateRequest("signedIn", null);
    scope.decorateRequest("formType", "");
    // Last, because a request may be refused before hooks of this scope run.
    scope.addHook("onSend", async (_request, reply) => {
      // A framed document has a stricter policy.
      if (!reply.hasHeader("Content-Security-Policy")) reply.headers(consoleHeaders);
    });
    scope.setErrorHandler((error, request, reply) => this.#fail(error, request, reply));
    for (const one of this.#pages) {
      this.#add(scope, one);
      // Otherwise no other request is answered in the meantime.
      await setImmediate();
    }
    scope.all(
      "/*",
      { config: { before: (request) => this.#identify(request, false) } },
      async (request, reply) => await this.#answers.fail(request, reply, noSuchPage()),
    );
  }

  #add(scope: FastifyInstance, page: AnyPage): void {
    const url = fastifyPath(page.path);
    const before = (request: FastifyRequest): Promise<void> => this.#identify(request, page.kind === "guest");
    const config = { page, before };
    if (page.kind === "events") {
      scope.get(url, { config, exposeHeadRoute: false }, (request, reply) =>
        this.#stream(request, reply, page),
      );
      return;
    }
    scope.get(url, { config }, async (request, reply) => {
      const requestContext = this.#requestContext(request, emptyForm, null);
      const answer = await this.#show(page, request, requestContext);
      return await this.#answers.send(request, reply, answer);
    });
    if (page.forms === undefined) return;
    const bodyLimit = page.takesFile === true ? { bodyLimit: Number.MAX_SAFE_INTEGER } : {};
    scope.post(
      url,
      { config: { ...config, takesBytes: true }, schema: { body: {} }, ...bodyLimit },
      async (request, reply) => {
        const form = await readForm(request.body as Buffer | undefined, request.formType);
        return await this.#submit(page, request, reply, form);
      },
    );
  }

  /** Runs before the body is read. */
  async #identify(request: FastifyRequest, isForEverybody: boolean): Promise<void> {
    request.formType = request.headers["content-type"] ?? "";
    requireSameOrigin(request, this.#options.baseOf(request));
    const secret = sessionSecret(request, isSecure(request, this.#options));
    const found = secret === null ? null : await this.#options.findSession(secret);
    request.signedIn = found === null || secret === null ? null : { ...found, secret };
    if (request.signedIn === null && !isForEverybody) throw new SignInNeeded();
  }

  #requestContext(request: FastifyRequest, form: Form, problems: FormProblems | null): RequestContext {
    const { clients, clock } = this.#options;
    const [path = "", query = ""] = request.url.split("?", 2);
    return {
      base: this.#base,
      // The server of the request is the scope, which is below the path of the console.
      path: `${this.#base}${path.slice(request.server.prefix.length)}`,
      query: new URLSearchParams(query.split("&", MAX_PARAMETERS).join("&")),
      form,
      formState: (name) => {
        const isRefused = problems !== null && form.name === name;
        return isRefused ? new FormState(form, problems) : new FormState(null, null);
      },
      formats: formatsFor(request.headers["accept-language"], request.signedIn?.user.timeZone ?? null),
      now: clock(),
      client: clients.of(request.raw),
      serviceAddress: this.#options.baseOf(request),
    };
  }

  async #show(
    page: UserPage | GuestPage,
    request: FastifyRequest,
    requestContext: RequestContext,
  ): Promise<Answer> {
    if (page.kind === "guest") return await page.show(this.#guest(request, requestContext));
    return await page.show(await this.#context(page, request, requestContext, false));
  }

  #guest(request: FastifyRequest, requestContext: RequestContext): GuestContext {
    const { user = null, session = null } = request.signedIn ?? {};
    return {
      ...requestContext,
      user,
      session,
      isSecure: isSecure(request, this.#options),
      isLocal: LOOPBACK.test(requestContext.client),
      program: programOf(request.headers["user-agent"]),
      signIn: signInOf(request, isSecure(request, this.#options)),
      performAs: this.#contexts.performAs,
    };
  }

  async #context(
    page: UserPage | EventPage,
    request: FastifyRequest,
    requestContext: RequestContext,
    isChanging: boolean,
  ) {
    if (request.signedIn === null) throw new SignInNeeded();
    const ids = request.params as Readonly<Record<string, string>>;
    return await this.#contexts.contextOf(page, requestContext, request.signedIn, ids, isChanging);
  }

  async #submit(
    page: UserPage | GuestPage,
    request: FastifyRequest,
    reply: FastifyReply,
    form: Form,
  ): Promise<FastifyReply> {
    const { name } = form;
    const found = Object.hasOwn(page.forms ?? {}, name) ? page.forms?.[name] : undefined;
    if (found === undefined) return await this.#answers.fail(request, reply, noSuchPage());
    const handler: FormHandler<never> = typeof found === "function" ? { submit: found } : found;
    const requestContext = this.#requestContext(request, form, null);
    try {
      const asker =
        page.kind === "guest"
          ? this.#guest(request, requestContext)
          : await this.#context(page, request, requestContext, true);
      const answer = await handler.submit(asker as never);
      if (handler.hasSecret === true && "isRepeat" in asker && asker.isRepeat())
        throw new FormRefused({ status: 409, message: sentTwice });
      return await this.#answers.send(request, reply, answer);
    } catch (error) {
      const problems = formProblems(error, form, handler.inputs);
      if (problems === null) throw error;
      const again = await this.#show(page, request, this.#requestContext(request, form, problems));
      return await this.#answers.send(request, reply.code(problems.status), withProblems(again, problems));
    }
  }

  async #stream(request: FastifyRequest, reply: FastifyReply, page: EventPage): Promise<FastifyReply> {
    const requestContext = this.#requestContext(request, emptyForm, null);
    const context = await this.#context(page, request, requestContext, false);
    const secret = request.signedIn?.secret ?? "";
    const ids = request.params as Readonly<Record<string, string>>;
    try {
      await this.#streams.send(request, reply, {
        user: context.user.id,
        headers: consoleHeaders,
        isAllowed: async () => {
          const found = await this.#options.findSession(secret);
          // Throws if the user has lost the role since.
          if (found !== null)
            await this.#contexts.contextOf(page, requestContext, { ...found, secret }, ids, false);
          return found !== null;
        },
        events: (signal) => page.events(context, signal),
      });
    } catch (error) {
      if (!reply.sent) throw error;
      this.#answers.brokenOff(request, error);
    }
    return reply;
  }

  async #fail(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (error instanceof SignInNeeded) return await reply.redirect(this.#signIn(request), 303);
    const known = failureOf(error);
    const failure = known ?? defect(this.#options.onDefect(error, routeOf(request)));
    return await this.#answers.fail(request, reply, failure);
  }

  /** To return to the page afterwards. What a form contained is lost, unless a script has sent it. */
  #signIn(request: FastifyRequest): string {
    const { path, query } = this.#requestContext(request, emptyForm, null);
    const next = query.size === 0 ? path : `${path}?${query.toString()}`;
    const parameters = [
      ...(next === this.#base ? [] : [`next=${encodeURIComponent(next)}`]),
      ...(request.method === "POST" ? [NOT_SAVED] : []),
    ];
    const requestContext = parameters.length === 0 ? "" : `?${parameters.join("&")}`;
    return `${this.#base}${SIGN_IN_PATH}${requestContext}`;
  }
}
