/**
 * Reads a SOAP request from text into the declared values of one operation: by a learned shape
 * (message-shape.ts), else with the parser (document-reader.ts), slice by slice if it is large.
 */
import { Fault } from "#contract/faults.ts";
import { XmlError, XmlRefused } from "#xml/errors.ts";
import type { SoapVersion } from "../version.ts";
import { type Client, nextSlice } from "./caller-gone.ts";
import type { SequenceReader } from "./decode.ts";
import { detached } from "./detached.ts";
import { DocumentReader, type Message, type Namespaces } from "./document-reader.ts";
import {
  type MessageShape,
  type RecordedMessage,
  type RecordPlan,
  ShapeRecorder,
  shapeOf,
} from "./message-shape.ts";

/** What all messages of a shape have in common, valid for the same accepted namespaces. */
interface AboutShape {
  readonly namespaces: Namespaces;
  readonly version: SoapVersion;
  readonly namespace: string;
  readonly operation: string;
}
/** More than the kinds of clients that an installation has. */
export const MAX_SHAPES = 32;

/** A parsed message, with what its shape can be built from. */
interface Learnable {
  readonly recorded: RecordedMessage;
  readonly about: AboutShape;
  readonly plan: RecordPlan;
}

export class RequestReader {
  readonly #operations: ReadonlyMap<string, SequenceReader>;
  readonly #recorder = new ShapeRecorder();
  readonly #document: DocumentReader;
  /** The most recently used first. */
  readonly #shapes: MessageShape<AboutShape>[] = [];
  readonly #learnable = new WeakMap<Message, Learnable>();

  constructor(operations: ReadonlyMap<string, SequenceReader>) {
    this.#operations = operations;
    this.#document = new DocumentReader(operations, this.#recorder);
  }

  /** Throws a Fault if the text is not acceptable XML; every other problem is part of the message. */
  read(text: string, namespaces: Namespaces): Message {
    return this.#readByShape(text, namespaces) ?? this.#readInFull(text, namespaces);
  }

  /** As `read`, for a large document. Yields to the event loop between slices; throws CallerGone. */
  async readSlices(slices: readonly string[], namespaces: Namespaces, client: Client): Promise<Message> {
    // A recorder without a source records nothing: shapes of large messages are not learned.
    const document = new DocumentReader(this.#operations, new ShapeRecorder());
    document.begin(namespaces);
    try {
      for (const slice of slices) {
        await nextSlice(client);
        document.write(slice);
      }
      return document.end();
    } catch (error) {
      throw asFault(error);
    }
  }

  #readByShape(text: string, namespaces: Namespaces): Message | null {
    const shapes = this.#shapes;
    for (let index = 0; index < shapes.length; index += 1) {
      const shape = shapes[index];
      if (shape === undefined || shape.about.namespaces !== namespaces) continue;
      const input = shape.read(text);
      if (input === null) continue;
      if (index > 0) {
        shapes.copyWithin(1, 0, index);
        shapes[0] = shape;
      }
      const { version, namespace, operation } = shape.about;
      return { version, namespace, operation, input, problem: null };
    }
    return null;
  }

  #readInFull(text: string, namespaces: Namespaces): Message {
    const document = this.#document;
    document.begin(namespaces);
    this.#recorder.begin(text);
    try {
      document.write(text);
      const message = document.end();
      this.#noteLearnable(message, namespaces);
      return message;
    } catch (error) {
      throw asFault(error);
    }
  }

  #noteLearnable(message: Message, namespaces: Namespaces): void {
    const { problem, version, namespace, operation } = message;
    const { plan } = this.#document;
    if (problem !== null || plan === null) return;
    if (version === null || namespace === null || operation === null) return;
    const recorded = this.#recorder.recorded();
    if (recorded === null) return;
    const about = { namespaces, version, namespace: detached(namespace), operation };
    this.#learnable.set(message, { recorded, about, plan });
  }

  /**
   * Learns the shape of this message. For authenticated callers only: others could evict the shapes that are
   * in use.
   */
  learn(message: Message): void {
    const learnable = this.#learnable.get(message);
    if (learnable === undefined) return;
    const { recorded, about, plan } = learnable;
    // The same shape may have been learned since this message was read.
    if (this.#readByShape(recorded.source, about.namespaces) !== null) return;
    if (this.#shapes.length === MAX_SHAPES) this.#shapes.pop();
    this.#shapes.unshift(shapeOf(recorded, about, plan));
  }
}

/** XML errors become faults for the caller; any other error is internal. */
function asFault(error: unknown): unknown {
  if (error instanceof XmlError)
    return new Fault("InvalidMessage", `The request is not well-formed XML: ${error.message}.`);
  return error instanceof XmlRefused ? new Fault("InvalidMessage", error.message) : error;
}
