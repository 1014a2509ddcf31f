/**
 * Makes the messages of one campaign. Its content is parsed once, and the key is read once. A message that is
 * signed is made later: another thread signs it.
 */

import { Worker } from "node:worker_threads";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { OutgoingMessage } from "#domain/sending/hand-over.ts";
import type { SkipReason } from "#domain/sending/recipient.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { threadModule } from "#shipped.ts";
import { unsubscribeUrl } from "#unsubscribe/path.ts";
import { makeToken } from "#unsubscribe/token.ts";
import { type ComposedMessage, problemText } from "../messages.ts";
import { composeSignedBy, identityOf, makeComposer } from "../mime/compose.ts";
import type { Sign } from "../mime/dkim.ts";
import { fixedTexts } from "../templates/compiled-template.ts";
import { prepareContent } from "../templates/prepare.ts";
import { renderFor } from "../templates/render.ts";
import type { MailingToSend } from "./protocol.ts";
import type { Signed, ToSign } from "./signing-thread-entry.ts";

/** Larger messages are not sent: relays refuse them. */
const MAX_BYTES = 10 * 1024 ** 2;

/** The person gets no message. */
export interface NotMade {
  readonly reason: SkipReason;
  readonly reply: string;
  /** Making it took longer than it may. */
  readonly isTooSlow?: boolean;
}
export type MadeOrNot = OutgoingMessage | NotMade;
/** Never throws or rejects. */
export type MakeMessage = (person: MergeData, now: number) => MadeOrNot | Promise<MadeOrNot>;

/** Throws an Error with the problem if no message can be made of the content. */
export function prepareMessages(mailing: MailingToSend, sign: Sign): MakeMessage {
  const { account, campaign, content, sender, baseUrl, linkSecret, fields, name } = mailing;
  const prepared = prepareContent(content, { fields, campaignName: name, sender });
  if ("problems" in prepared) {
    const [first] = prepared.problems;
    throw new Error(first === undefined ? "the content cannot be rendered" : problemText(first));
  }
  const composer = makeComposer(identityOf(sender, { account, campaign, secret: linkSecret }), {
    html: prepared.html === null ? [] : fixedTexts(prepared.html),
    text: fixedTexts(prepared.text),
  });
  const linkOf = ({ subscriber }: MergeData): string =>
    unsubscribeUrl(baseUrl, makeToken(composer.secret, { account, campaign, subscriber }));
  const outgoing = (subscriber: SubscriberId, composed: ComposedMessage): MadeOrNot => {
    const { bytes, envelope, needsSmtpUtf8 } = composed;
    if (bytes.length <= MAX_BYTES)
      return { name: `${campaign}-${subscriber}`, envelope, bytes, needsSmtpUtf8 };
    const reply = `the message has ${bytes.length} bytes; the limit is ${MAX_BYTES}`;
    return { reason: "message too large", reply };
  };
  const make: MakeMessage = (person, now) => {
    const { subscriber, address } = person;
    const link = linkOf(person);
    const rendered = renderFor(prepared, person, link);
    if ("cannotRender" in rendered) return cannotRender(rendered.cannotRender, rendered.isTooSlow);
    const name = `${person.firstName} ${person.lastName}`.trim();
    const message = { rendered, subscriber, address, name, unsubscribeUrl: link, date: now };
    const composed = composeSignedBy(sign, composer, message);
    if (!(composed instanceof Promise)) return outgoing(subscriber, composed);
    return composed.then((signed) => outgoing(subscriber, signed)).catch(failed);
  };
  return (person, now) => {
    try {
      return make(person, now);
    } catch (error) {
      return failed(error);
    }
  };
}

/** Such as an address that cannot be in a header: the others can be sent to. */
const failed = (error: unknown): NotMade =>
  cannotRender(error instanceof Error ? error.message : String(error));
const cannotRender = (reply: string, isTooSlow = false): NotMade => ({
  reason: "cannot be rendered",
  reply,
  isTooSlow,
});

/**
 * Signs in a thread of its own, next to the thread that sends: an RSA signature takes longer than all the
 * rest of a message. The thread starts with the first signature. If it cannot start, or dies, so does the
 * thread that uses it: its recipients stay queued.
 */
const ENTRY = threadModule("delivery/threads/signing-thread-entry.ts");

export class SigningThread {
  readonly #waiting = new Map<number, PromiseWithResolvers<string>>();
  readonly #entry: URL;
  #worker: Worker | null = null;
  #lastId = 0;

  /** `entry`: the module that runs in the thread. */
  constructor(entry = ENTRY) {
    this.#entry = entry;
  }

  readonly sign: Sign = (data, key) => {
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      return endThisThread(error);
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const waiting = Promise.withResolvers<string>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ id, data, key } satisfies ToSign);
    return waiting.promise;
  };

  #start(): Worker {
    const worker = new Worker(this.#entry);
    worker.on("message", (signed: Signed) => {
      const waiting = this.#waiting.get(signed.id);
      this.#waiting.delete(signed.id);
      if ("signature" in signed) waiting?.resolve(signed.signature);
      else waiting?.reject(new Error(signed.problem));
    });
    worker.once(
      "exit",
      (code) => void endThisThread(new Error(`the signing thread ended with code ${code}`)),
    );
    // No message waits for a signature when everything else has ended.
    worker.unref();
    return worker;
  }
}

function endThisThread(error: unknown): Promise<never> {
  queueMicrotask(() => {
    throw error;
  });
  return new Promise(() => {});
}
