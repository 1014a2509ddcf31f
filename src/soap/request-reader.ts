/**
 * Reads a SOAP request from text into the declared values of one operation, in one pass, without a tree.
 *
 * XML comes first: a document that is not well-formed is refused whatever else is wrong with it. So other problems
 * are noted while the rest is read, and the one that ranks first is what the caller is told. This file does not
 * know where a request came from, nor what the operation does.
 */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { Fault } from "../contract/faults.ts";
import type { SequenceReader } from "./decode.ts";
import type { NotUnderstood } from "./fault-message.ts";
import { type MessageShape, type RecordPlan, ShapeRecorder } from "./message-shape.ts";
import { ParameterReader } from "./parameter-reader.ts";
import { joinSurrogateReferences } from "./surrogate-references.ts";
import { attribute, cut, isTrue } from "./tag.ts";
import { type SoapVersion, soap11, soap12 } from "./version.ts";

/** saxes gets slow faster than linearly beyond such sizes; no real message comes near them. */
const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 64;
const MAX_NAME = 1024;

/** The order in which problems count, once the XML is sound. */
export const Rank = {
  envelope: 1,
  headers: 2,
  namespace: 3,
  operation: 4,
  action: 5,
  parameters: 6,
} as const;
type RankName = keyof typeof Rank;

export interface Namespaces {
  /** What the caller should have written. */
  readonly expected: string;
  accepts(namespace: string): boolean;
}

export interface Message {
  /** null: the root is no Envelope of ours. */
  readonly version: SoapVersion | null;
  readonly namespace: string | null;
  readonly operation: string | null;
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly problem: Problem | null;
}
export interface Problem {
  readonly rank: number;
  readonly fault: Fault;
  readonly notUnderstood: NotUnderstood | null;
}

/**
 * Headers that change nothing about a call, so that they may be marked mustUnderstand and still be passed over:
 * WS-Addressing, whose drafts and versions differ by a date, and what WCF sends in its place.
 */
const HARMLESS =
  /^http:\/\/(?:www\.w3\.org|schemas\.xmlsoap\.org\/ws)\/\d{4}\/\d\d\/addressing(?:\/|$)|^http:\/\/schemas\.microsoft\.com\/ws\/2005\/05\/addressing\/none$/;

const forUs = new Set([
  "",
  "http://schemas.xmlsoap.org/soap/actor/next",
  "http://www.w3.org/2003/05/soap-envelope/role/next",
  "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver",
]);

/** What all messages of a shape have in common, as long as the same namespaces are accepted. */
interface AboutShape {
  readonly namespaces: Namespaces;
  readonly version: SoapVersion;
  readonly namespace: string;
  readonly operation: string;
}
/** More than an installation has callers with habits of their own. */
const MAX_SHAPES = 32;

export class RequestReader {
  readonly #operations: ReadonlyMap<string, SequenceReader>;
  readonly #names: string;
  #parser: SaxesParser<{ xmlns: true }> | null = null;
  #namespaces: Namespaces = { expected: "", accepts: () => false };
  #version: SoapVersion | null = null;
  #namespace: string | null = null;
  #operation: string | null = null;
  #input: Record<string, unknown> | null = null;
  #plan: RecordPlan | null = null;
  #problem: Problem | null = null;
  #part: "none" | "header" | "body" = "none";
  #sawBody = false;
  #depth = 0;
  /** The depth at which an element that is passed over with all its content began, else 0. */
  #skipFrom = 0;
  readonly #recorder = new ShapeRecorder();
  readonly #parameters = new ParameterReader((fault) => this.#note("parameters", fault), this.#recorder);
  /** The one that was used last comes first. */
  readonly #shapes: MessageShape<AboutShape>[] = [];

  constructor(operations: ReadonlyMap<string, SequenceReader>) {
    this.#operations = operations;
    this.#names = [...operations.keys()].join(", ");
  }

  /** Throws a Fault where the text is not XML that we take; every other problem is in the message. */
  read(text: string, namespaces: Namespaces): Message {
    return this.#readByShape(text, namespaces) ?? this.#readInFull(text, namespaces);
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

  #learnShape(): void {
    const namespaces = this.#namespaces;
    const [version, namespace, operation] = [this.#version, this.#namespace, this.#operation];
    if (this.#problem !== null || this.#plan === null) return;
    if (version === null || namespace === null || operation === null) return;
    const shape = this.#recorder.shape({ namespaces, version, namespace, operation }, this.#plan);
    if (shape === null) return;
    if (this.#shapes.length === MAX_SHAPES) this.#shapes.pop();
    this.#shapes.unshift(shape);
  }

  #readInFull(text: string, namespaces: Namespaces): Message {
    this.#reset(namespaces);
    this.#recorder.begin(text);
    const parser = this.#parser ?? this.#newParser();
    this.#parser = null; // A parser that threw is not fit for another document.
    try {
      parser.write(text).close();
    } catch (error) {
      if (error instanceof Fault) throw error;
      const mended = joinSurrogateReferences(text);
      if (mended !== text) return this.#readInFull(mended, namespaces);
      throw notXml(error);
    }
    this.#parser = parser;
    const message = this.#message();
    this.#learnShape();
    return message;
  }

  #reset(namespaces: Namespaces): void {
    this.#namespaces = namespaces;
    this.#version = null;
    this.#namespace = null;
    this.#operation = null;
    this.#input = null;
    this.#plan = null;
    this.#problem = null;
    this.#part = "none";
    this.#sawBody = false;
    this.#depth = 0;
    this.#skipFrom = 0;
    this.#parameters.reset();
  }

  #newParser(): SaxesParser<{ xmlns: true }> {
    const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: "1.0", forceXMLVersion: true });
    parser.on("opentag", (tag) => {
      this.#recorder.opened(parser.position, tag.isSelfClosing);
      this.#open(tag, parser.line);
    });
    parser.on("closetag", () => {
      this.#close();
      this.#recorder.closed();
    });
    parser.on("text", (text) => this.#text(text));
    parser.on("cdata", (text) => this.#text(text));
    parser.on("doctype", () => {
      throw new Fault("InvalidMessage", "A document type declaration (DTD) is not accepted; leave it out.");
    });
    return parser;
  }

  #message(): Message {
    if (this.#version !== null && !this.#sawBody)
      this.#note("envelope", invalid("The Envelope has no Body."));
    else if (this.#operation === null && this.#namespace === null)
      this.#note(
        "operation",
        new Fault("UnknownOperation", `The Body is empty. It must hold one of these: ${this.#names}.`),
      );
    return {
      version: this.#version,
      namespace: this.#namespace,
      operation: this.#operation,
      input: this.#input,
      problem: this.#problem,
    };
  }

  #note(rank: RankName, fault: Fault, notUnderstood: NotUnderstood | null = null): void {
    if (this.#problem === null || Rank[rank] < this.#problem.rank)
      this.#problem = { rank: Rank[rank], fault, notUnderstood };
  }

  #open(tag: SaxesTagNS, line: number): void {
    this.#depth += 1;
    this.#bound(tag);
    if (this.#skipFrom !== 0) return;
    if (this.#depth === 1) this.#root(tag);
    else if (this.#depth === 2) this.#child(tag);
    else if (this.#part === "header") this.#header(tag);
    else if (this.#depth === 3) this.#operationElement(tag, line);
    else if (!this.#parameters.open(tag, line)) this.#skip();
  }

  #bound(tag: SaxesTagNS): void {
    if (this.#depth > MAX_DEPTH) throw invalid(`Elements are nested more than ${MAX_DEPTH} deep.`);
    if (tag.name.length > MAX_NAME) throw invalid(`An element's name is longer than ${MAX_NAME} characters.`);
    let count = 0;
    for (const name in tag.attributes) {
      count += 1;
      if (count > MAX_ATTRIBUTES) throw invalid(`An element has more than ${MAX_ATTRIBUTES} attributes.`);
      if (name.length > MAX_NAME) throw invalid(`An attribute's name is longer than ${MAX_NAME} characters.`);
    }
  }

  #skip(): void {
    this.#skipFrom = this.#depth;
  }

  #root(tag: SaxesTagNS): void {
    if (tag.local === "Envelope" && tag.uri === soap11.namespace) this.#version = soap11;
    else if (tag.local === "Envelope" && tag.uri === soap12.namespace) this.#version = soap12;
    else {
      this.#skip();
      this.#note(
        "envelope",
        tag.local === "Envelope"
          ? new Fault(
              "VersionMismatch",
              `The Envelope is in the namespace "${cut(tag.uri)}". Use ${soap11.namespace} (SOAP 1.1) or ${soap12.namespace} (SOAP 1.2).`,
            )
          : invalid(`The document's root is ${cut(tag.name)}. It must be a SOAP Envelope.`),
      );
    }
  }

  #child(tag: SaxesTagNS): void {
    const isOurs = tag.uri === this.#version?.namespace;
    if (isOurs && tag.local === "Header" && !this.#sawBody) this.#part = "header";
    else if (isOurs && tag.local === "Body" && !this.#sawBody) {
      this.#part = "body";
      this.#sawBody = true;
    } else {
      if (isOurs && tag.local === "Body")
        this.#note("envelope", invalid("The Envelope has two Body elements."));
      this.#skip();
    }
  }

  #header(tag: SaxesTagNS): void {
    this.#skip();
    const { namespace, name } = this.#version ?? soap11;
    if (!isTrue(attribute(tag.attributes, namespace, "mustUnderstand")) || HARMLESS.test(tag.uri)) return;
    if (!forUs.has(attribute(tag.attributes, namespace, name === "1.1" ? "actor" : "role") ?? "")) return;
    this.#note(
      "headers",
      new Fault(
        "MustUnderstand",
        `The header ${tag.local} in the namespace "${cut(tag.uri)}" must be understood, and is not. Leave it out or drop its mustUnderstand.`,
      ),
      { namespace: tag.uri, local: tag.local },
    );
  }

  #operationElement(tag: SaxesTagNS, line: number): void {
    if (this.#namespace !== null) {
      this.#note(
        "envelope",
        invalid("The Body holds more than one element. Send one operation per message."),
      );
      return this.#skip();
    }
    this.#namespace = tag.uri;
    const reader = this.#operations.get(tag.local);
    if (!this.#namespaces.accepts(tag.uri))
      this.#note(
        "namespace",
        new Fault(
          "UnknownNamespace",
          `${cut(tag.local)} is in the namespace "${cut(tag.uri)}". It must be in "${this.#namespaces.expected}".`,
        ),
      );
    else if (reader === undefined)
      this.#note(
        "operation",
        new Fault("UnknownOperation", `There is no operation ${cut(tag.local)}. There are: ${this.#names}.`),
      );
    else {
      this.#operation = tag.local;
      // Hand-written clients often leave parameters in no namespace.
      const { input, plan } = this.#parameters.begin(
        reader,
        tag.local,
        line,
        (uri) => uri === tag.uri || uri === "" || this.#namespaces.accepts(uri),
      );
      this.#input = input;
      this.#plan = plan;
      return;
    }
    this.#skip();
  }

  #text(text: string): void {
    if (this.#skipFrom === 0) this.#parameters.text(text);
  }

  #close(): void {
    const depth = this.#depth;
    this.#depth -= 1;
    if (this.#skipFrom !== 0) {
      // Nobody looks at what is passed over, so another text there changes nothing.
      this.#recorder.value();
      if (depth === this.#skipFrom) this.#skipFrom = 0;
      return;
    }
    if (depth === 2) this.#part = "none";
    else if (depth > 2) this.#parameters.close();
  }
}

const invalid = (text: string): Fault => new Fault("InvalidMessage", text);

/** saxes says "1:23: what"; its text is about the caller's document, never about our files. */
function notXml(error: unknown): Fault {
  const text = error instanceof Error ? error.message : String(error);
  return invalid(`The request is not well-formed XML: ${text.slice(0, 300)}`);
}
