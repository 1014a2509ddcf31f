/** The body of an answer: complete if it is short, streamed if it is a long list. */
import type { Pages, PreEncoded } from "#contract/service.ts";
import { CallerGone, type Client } from "../request/caller-gone.ts";
import type { SoapVersion } from "../version.ts";
import type { AnswerWriter } from "./encode.ts";

export type Body = string | Uint8Array | AsyncIterable<string | Uint8Array>;

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
export function bodyOf(call: Answering, answer: unknown, client: Client): Body | Promise<Body> {
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
