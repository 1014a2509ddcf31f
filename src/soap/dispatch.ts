/**
 * One request in, one reply out: decode, check, call the handler, encode. The contract is a parameter, so no
 * operation is named here. Sockets are the endpoint's: it reads the bytes and sends the reply.
 *
 * The order of the checks is part of the interface: XML, envelope, headers, namespace, operation, action,
 * parameters; then the checks of the handler (key, scope, rules). The endpoint checks the size and the media
 * type before all of them.
 */

import { SerialQueue } from "#admission/serial-queue.ts";
import { Fault } from "#contract/faults.ts";
import type { Handlers, Pages, PreEncoded, Service } from "#contract/service.ts";
import { memoize } from "./memoize.ts";
import { type AnswerWriter, answerWriter } from "./reply/encode.ts";
import { faultMessage, type NotUnderstood } from "./reply/fault-message.ts";
import { CallerGone, type Client } from "./request/caller-gone.ts";
import { sequenceReader } from "./request/decode.ts";
import { type Message, type Namespaces, Rank } from "./request/document-reader.ts";
import { decodeBytes, decodeChunks } from "./request/encoding.ts";
import type { MediaType } from "./request/media-type.ts";
import { RequestReader } from "./request/request-reader.ts";
import { type SoapVersion, soap11, soap12 } from "./version.ts";

// Checks SOAPAction (1.1) and the action parameter (1.2). The Body decides which operation runs; an action
// can only contradict it.

/** Quotes are optional. */
const unquoted = (action: string): string =>
  action
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();

/** Some clients percent-encode. */
function decoded(action: string): string {
  if (!action.includes("%")) return action;
  try {
    return decodeURIComponent(action);
  } catch {
    return action;
  }
}

interface Action {
  readonly written: string;
  readonly namespace: string;
  readonly named: string;
}
function parse(action: string): Action {
  const written = unquoted(action);
  const given = decoded(written);
  // PHP without a WSDL sends "#" where other clients send a slash.
  const slash = Math.max(given.lastIndexOf("/"), given.lastIndexOf("#"));
  return { written, namespace: given.slice(0, Math.max(slash, 0)), named: given.slice(slash + 1) };
}
const parseAction = memoize(parse);

export function checkAction(
  action: string | null,
  version: SoapVersion,
  operation: string,
  namespaces: Namespaces,
  operations: { has(name: string): boolean },
): void {
  if (action === null) return;
  const { written, namespace, named } = parseAction(action);
  if (written === "") return;
  if (namespace !== "" && operations.has(named) && namespaces.accepts(namespace)) {
    if (named === operation) return;
    throw mismatch(
      `The action names ${named}, but the Body holds ${operation}. Make them agree, or leave the action out.`,
    );
  }
  if (version === soap11)
    throw mismatch(
      `There is no action "${written.slice(0, 200)}". Use "${namespaces.expected}/${operation}", or leave SOAPAction empty.`,
    );
}

const mismatch = (text: string): Fault => new Fault("ActionMismatch", text);

/** The body of an answer: complete if it is short, streamed if it is a long list. */
type Body = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** What an answer is encoded with. */
interface Answering {
  readonly writer: AnswerWriter;
  readonly version: SoapVersion;
  readonly namespace: string;
}

const isPages = (answer: object): answer is Pages<unknown> => Symbol.asyncIterator in answer;
const isPreEncoded = (answer: object): answer is PreEncoded<Readonly<Record<string, unknown>>> =>
  "encode" in answer;

/** A list is encoded while it is read; everything else at once. Throws CallerGone. */
function bodyOf(call: Answering, answer: unknown, client: Client): Body | Promise<Body> {
  if (typeof answer === "object" && answer !== null) {
    if (isPages(answer)) return listBody(call, answer, client);
    if (isPreEncoded(answer)) return preEncodedBody(call, answer);
  }
  return call.writer.whole(call.version, call.namespace, answer);
}

/** A single page is encoded at once; more are streamed in chunks. */
async function listBody(
  { writer, version, namespace }: Answering,
  pages: Pages<unknown>,
  client: Client,
): Promise<Body> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return writer.whole(version, namespace, []);
  if (client.isGone) {
    await iterator.return?.();
    throw new CallerGone();
  }
  const second = await iterator.next();
  if (second.done === true) return writer.whole(version, namespace, first.value);
  const start = writer.start(version, namespace) + writer.rows(first.value) + writer.rows(second.value);
  return chunks(start, iterator, (page) => writer.rows(page), writer.end(version));
}

async function preEncodedBody(
  { writer, version, namespace }: Answering,
  answer: PreEncoded<Readonly<Record<string, unknown>>>,
): Promise<Body> {
  if (writer.form === null) throw new Error("pre-encoded rows for a result that is not a list");
  const iterator = answer.encode(writer.form)[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return writer.whole(version, namespace, []);
  const { bytes, isLast } = first.value;
  const begun = [Buffer.from(writer.start(version, namespace)), bytes];
  const end = writer.end(version);
  if (isLast) return Buffer.concat([...begun, Buffer.from(end)]);
  return chunks(Buffer.concat(begun), iterator, (page) => page.bytes, end);
}

async function* chunks<Page>(
  first: string | Uint8Array,
  rest: AsyncIterator<Page>,
  write: (page: Page) => string | Uint8Array,
  end: string,
): AsyncGenerator<string | Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield write(next.value);
    yield end;
  } finally {
    await rest.return?.();
  }
}

interface SoapRequest {
  readonly mediaType: MediaType;
  readonly soapAction: string | undefined;
  /** The body, decompressed; more than one chunk if it is large. */
  readonly chunks: readonly Buffer[];
  readonly namespaces: Namespaces;
}
/** Who sent a request; handlers get it too. */
export interface SoapCaller extends Client {
  /** The client address, to queue fairly; read only if the request has to wait. */
  readonly client: string;
  /** null until a handler has authenticated the caller. */
  readonly account: unknown;
}
export interface Reply {
  readonly status: number;
  readonly version: SoapVersion;
  /** Complete, or streamed in chunks. */
  readonly body: Body;
  readonly operation: string | null;
  /** The outcome's name, "ok" for a value, or the fault's code: for the log. */
  readonly outcome: string;
  readonly retryAfterSeconds: number | null;
  readonly mislabelled: boolean;
  /** The error behind an Unavailable fault: for the log, never for the caller. */
  readonly cause: unknown;
  /** The path or namespace of the request if it is not served: for the log. */
  readonly unknown: string | null;
}

const NOTHING = Buffer.alloc(0);

/** An operation, prepared at the start. */
interface Prepared<Caller> {
  readonly writer: AnswerWriter;
  readonly bytes: Readonly<Record<string, number>> | null;
  readonly handle: (input: unknown, caller: Caller) => Promise<unknown>;
}

/** A message that passed every check except those of the handler. */
interface Call<Caller> extends Prepared<Caller> {
  readonly version: SoapVersion;
  readonly namespace: string;
  readonly operation: string;
}

/** Reports an error that is not a Fault; returns the reference for the caller. */
export type OnDefect = (error: unknown, operation: string | null) => string;

interface DispatcherOptions<Caller> {
  readonly handlers: Handlers<Service, Caller>;
  readonly onDefect: OnDefect;
}

export class Dispatcher<Caller extends SoapCaller> {
  readonly #operations = new Map<string, Prepared<Caller>>();
  readonly #reader: RequestReader;
  readonly #largeMessages = new SerialQueue();
  readonly #onDefect: OnDefect;

  constructor(service: Service, options: DispatcherOptions<Caller>) {
    const entries = Object.entries(service.operations);
    for (const [name, operation] of entries) {
      const handle = options.handlers[name];
      if (handle === undefined) throw new Error(`no handler for ${name}`);
      const outcomes = Object.entries(operation.outcomes);
      this.#operations.set(name, {
        writer: answerWriter(name, operation),
        bytes: outcomes.length === 0 ? null : Object.fromEntries(outcomes.map(([key, o]) => [key, o.byte])),
        handle: handle as Prepared<Caller>["handle"],
      });
    }
    this.#reader = new RequestReader(
      new Map(entries.map(([name, { params }]) => [name, sequenceReader(params)])),
    );
    this.#onDefect = options.onDefect;
  }

  /** For a fault that the endpoint found before the message was read. */
  refuse(mediaType: MediaType, namespaces: Namespaces, fault: Fault): Reply {
    return this.#fault(versionOf(mediaType), namespaces.expected, fault, null);
  }

  /** Throws CallerGone if the client has disconnected, and nothing else. */
  async respond(request: SoapRequest, caller: Caller): Promise<Reply> {
    const { mediaType, chunks, namespaces } = request;
    let version = versionOf(mediaType);
    let message: Message | null = null;
    let mislabelled = false;
    try {
      if (chunks.length > 1) {
        message = await this.#largeMessages.run(caller.client, async () => {
          const decoded = await decodeChunks(chunks, mediaType.charset, caller);
          mislabelled = decoded.mislabelled;
          return await this.#reader.readSlices(decoded.slices, namespaces, caller);
        });
      } else {
        const decoded = decodeBytes(chunks[0] ?? NOTHING, mediaType.charset);
        mislabelled = decoded.mislabelled;
        message = this.#reader.read(decoded.text, namespaces);
      }
      // An unknown SOAP version is answered in 1.1, which every client understands.
      version = message.version ?? (message.problem?.fault.code === "VersionMismatch" ? soap11 : version);
      const call = this.#checked(message, request);
      const answer = await call.handle(message.input, caller);
      if (caller.account !== null) this.#reader.learn(message);
      const outcome = call.bytes === null ? "ok" : String(answer);
      const body = bodyOf(call, call.bytes === null ? answer : byteOf(call, outcome), caller);
      return reply(call, outcome, body instanceof Promise ? await body : body, mislabelled);
    } catch (error) {
      if (error instanceof CallerGone) throw error;
      const operation = message?.operation ?? null;
      const fault = error instanceof Fault ? error : this.#defect(error, operation);
      const notUnderstood = message?.problem?.fault === fault ? message.problem.notUnderstood : null;
      const namespace =
        message?.namespace != null && namespaces.accepts(message.namespace)
          ? message.namespace
          : namespaces.expected;
      return { ...this.#fault(version, namespace, fault, notUnderstood), operation, mislabelled };
    }
  }

  #checked(message: Message, { mediaType, soapAction, namespaces }: SoapRequest): Call<Caller> {
    const { problem, version, operation, namespace } = message;
    if (
      version === soap11 &&
      mediaType.type === soap12.mediaType &&
      problem?.fault.code !== "VersionMismatch"
    )
      throw new Fault(
        "UnsupportedMediaType",
        "A SOAP 1.1 Envelope was sent as application/soap+xml. Send it as text/xml, or use a SOAP 1.2 Envelope.",
      );
    if (problem !== null && problem.rank < Rank.action) throw problem.fault;
    // SOAP 1.2 has no SOAPAction header: if there is one, it is ignored, as ASMX does.
    const action = version === soap12 ? mediaType.action : (soapAction ?? null);
    if (operation !== null && version !== null)
      checkAction(action, version, operation, namespaces, this.#operations);
    if (problem !== null) throw problem.fault;
    const prepared = this.#operations.get(operation ?? "");
    if (prepared === undefined || version === null || namespace === null)
      throw new Error("a valid message without an operation");
    const { writer, bytes, handle } = prepared;
    return { version, namespace, operation: operation ?? "", writer, bytes, handle };
  }

  #fault(version: SoapVersion, namespace: string, fault: Fault, notUnderstood: NotUnderstood | null): Reply {
    return {
      status: fault.kind.status,
      version,
      body: faultMessage(version, namespace, fault, notUnderstood),
      operation: null,
      outcome: fault.code,
      retryAfterSeconds: fault.retryAfterSeconds,
      mislabelled: false,
      cause: fault.code === "Unavailable" ? fault.cause : null,
      unknown: fault.unknown,
    };
  }

  #defect(error: unknown, operation: string | null): Fault {
    const reference = this.#onDefect(error, operation);
    return new Fault(
      "InternalError",
      `Something went wrong on our side. Nothing is known to be wrong with your request. Reference: ${reference}`,
      { cause: error },
    );
  }
}

/** If the envelope could not be read, the media type says which version the client understands. */
const versionOf = (mediaType: MediaType): SoapVersion =>
  mediaType.type === soap12.mediaType ? soap12 : soap11;

function reply(
  { version, operation }: Call<never>,
  outcome: string,
  body: Reply["body"],
  mislabelled: boolean,
): Reply {
  return {
    status: 200,
    version,
    body,
    operation,
    outcome,
    retryAfterSeconds: null,
    mislabelled,
    cause: null,
    unknown: null,
  };
}

function byteOf({ bytes, operation }: Call<never>, outcome: string): number {
  const byte = bytes?.[outcome];
  if (byte === undefined) throw new Error(`${operation} does not declare the outcome ${outcome}`);
  return byte;
}
