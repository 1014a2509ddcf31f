/**
 * Reads one document into the declared values of one operation, in one pass and without a tree, complete or
 * in slices.
 *
 * XML errors come first: a document that is not well-formed is rejected whatever else is wrong with it. So
 * other problems are recorded while the rest is read, and the one that ranks first is reported.
 */
import { Fault } from "#contract/faults.ts";
import { trimSpace } from "#xml/characters.ts";
import { cut } from "#xml/errors.ts";
import { XmlParser } from "#xml/parser.ts";
import type { StartTag } from "#xml/start-tag.ts";
import type { NotUnderstood } from "../reply/fault-message.ts";
import { type SoapVersion, soap11, soap12 } from "../version.ts";
import type { SequenceReader } from "./decode.ts";
import type { RecordPlan, ShapeRecorder } from "./message-shape.ts";
import { hasFlag } from "./message-shape.ts";
import { ParameterReader } from "./parameter-reader.ts";

/** The order in which problems are reported, once the XML is well-formed. */
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
  /** The namespace that faults recommend. */
  readonly expected: string;
  accepts(namespace: string): boolean;
}

export interface Message {
  /** null: the root is not an Envelope of a known version. */
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
 * Headers that do not change a call, so that they are ignored even with mustUnderstand: WS-Addressing, whose
 * drafts and versions differ by a date, and what WCF sends in its place.
 */
const HARMLESS =
  /^http:\/\/(?:www\.w3\.org|schemas\.xmlsoap\.org\/ws)\/\d{4}\/\d\d\/addressing(?:\/|$)|^http:\/\/schemas\.microsoft\.com\/ws\/2005\/05\/addressing\/none$/;

const forUs = new Set([
  "",
  "http://schemas.xmlsoap.org/soap/actor/next",
  "http://www.w3.org/2003/05/soap-envelope/role/next",
  "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver",
]);

export class DocumentReader {
  readonly #operations: ReadonlyMap<string, SequenceReader>;
  readonly #names: string;
  readonly #parser = new XmlParser({
    open: (tag) => this.#open(tag),
    close: () => {
      this.#close();
      this.#recorder.closed();
    },
    text: (part) => this.#text(part),
  });
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
  /** The depth of the ignored element that is being skipped with its content; 0: none. */
  #skipFrom = 0;
  readonly #recorder: ShapeRecorder;
  readonly #parameters: ParameterReader;

  constructor(operations: ReadonlyMap<string, SequenceReader>, recorder: ShapeRecorder) {
    this.#operations = operations;
    this.#names = [...operations.keys()].join(", ");
    this.#recorder = recorder;
    this.#parameters = new ParameterReader((fault) => this.#note("parameters", fault), recorder);
  }

  /** Discards the state of the previous document. */
  begin(namespaces: Namespaces): void {
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
    this.#parser.begin();
  }

  /** Throws XmlError if the text is not well-formed, XmlRefused if it is XML that is not accepted. */
  write(text: string): void {
    this.#parser.write(text);
  }

  /** Throws as `write` does; every other problem is part of the message. */
  end(): Message {
    this.#parser.end();
    return this.#message();
  }

  /** How to build the input from another message of the same shape. */
  get plan(): RecordPlan | null {
    return this.#plan;
  }

  #message(): Message {
    if (this.#version !== null && !this.#sawBody)
      this.#note("envelope", () => invalid("The Envelope has no Body."));
    else if (this.#operation === null && this.#namespace === null)
      this.#note(
        "operation",
        () => new Fault("UnknownOperation", `The Body is empty. It must hold one of these: ${this.#names}.`),
      );
    return {
      version: this.#version,
      namespace: this.#namespace,
      operation: this.#operation,
      input: this.#input,
      problem: this.#problem,
    };
  }

  /**
   * Creating an error is expensive, and a large document may have a million problems: only the first in rank
   * is created.
   */
  #note(rank: RankName, fault: () => Fault, notUnderstood: NotUnderstood | null = null): void {
    if (this.#problem === null || Rank[rank] < this.#problem.rank)
      this.#problem = { rank: Rank[rank], fault: fault(), notUnderstood };
  }

  #open(tag: StartTag): void {
    this.#recorder.opened(tag.end, tag.isSelfClosing);
    this.#depth += 1;
    if (this.#skipFrom !== 0) return;
    if (this.#depth === 1) this.#root(tag);
    else if (this.#depth === 2) this.#child(tag);
    else if (this.#part === "header") this.#header(tag);
    else if (this.#depth === 3) this.#operationElement(tag);
    else if (!this.#parameters.open(tag)) this.#skip();
  }

  #skip(): void {
    this.#skipFrom = this.#depth;
  }

  #root(tag: StartTag): void {
    if (tag.local === "Envelope" && tag.uri === soap11.namespace) this.#version = soap11;
    else if (tag.local === "Envelope" && tag.uri === soap12.namespace) this.#version = soap12;
    else {
      this.#skip();
      this.#note("envelope", () =>
        tag.local === "Envelope"
          ? new Fault(
              "VersionMismatch",
              `The Envelope is in the namespace "${cut(tag.uri)}". Use ${soap11.namespace} (SOAP 1.1) or ${soap12.namespace} (SOAP 1.2).`,
            )
          : invalid(`The document's root is ${cut(tag.name)}. It must be a SOAP Envelope.`),
      );
    }
  }

  #child(tag: StartTag): void {
    const isOurs = tag.uri === this.#version?.namespace;
    if (isOurs && tag.local === "Header" && !this.#sawBody) this.#part = "header";
    else if (isOurs && tag.local === "Body" && !this.#sawBody) {
      this.#part = "body";
      this.#sawBody = true;
    } else {
      if (isOurs && tag.local === "Body")
        this.#note("envelope", () => invalid("The Envelope has two Body elements."));
      this.#skip();
    }
  }

  #header(tag: StartTag): void {
    this.#skip();
    const { namespace, name } = this.#version ?? soap11;
    if (!hasFlag(tag, namespace, "mustUnderstand") || HARMLESS.test(tag.uri)) return;
    if (!forUs.has(trimSpace(tag.attribute(namespace, name === "1.1" ? "actor" : "role") ?? ""))) return;
    this.#note(
      "headers",
      () =>
        new Fault(
          "MustUnderstand",
          `The header ${tag.local} in the namespace "${cut(tag.uri)}" must be understood, and is not. Leave it out or drop its mustUnderstand.`,
        ),
      { namespace: tag.uri, local: tag.local },
    );
  }

  #operationElement(tag: StartTag): void {
    if (this.#namespace !== null) {
      // Other elements are ignored: RPC clients add values there that an operation may refer to.
      if (this.#operation !== null && this.#operations.has(tag.local) && this.#namespaces.accepts(tag.uri))
        this.#note("envelope", () =>
          invalid("The Body holds more than one operation. Send one operation per message."),
        );
      return this.#skip();
    }
    const { uri: namespace, line } = tag;
    this.#namespace = namespace;
    const reader = this.#operations.get(tag.local);
    if (!this.#namespaces.accepts(tag.uri))
      this.#note("namespace", () => unknownNamespace(tag, this.#namespaces.expected));
    else if (reader === undefined)
      this.#note(
        "operation",
        () =>
          new Fault(
            "UnknownOperation",
            `There is no operation ${cut(tag.local)}. There are: ${this.#names}.`,
          ),
      );
    else {
      this.#operation = tag.local;
      // Hand-written clients often send parameters without a namespace.
      const { input, plan } = this.#parameters.begin(
        reader,
        tag.local,
        line,
        (uri) => uri === namespace || uri === "" || this.#namespaces.accepts(uri),
      );
      this.#input = input;
      this.#plan = plan;
      this.#parameters.checkReference(tag);
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
      // Ignored elements may have any text, so it is recorded as a value of the shape.
      this.#recorder.value();
      if (depth === this.#skipFrom) this.#skipFrom = 0;
      return;
    }
    if (depth === 2) this.#part = "none";
    else if (depth > 2) this.#parameters.close();
  }
}

const invalid = (text: string): Fault => new Fault("InvalidMessage", text);

function unknownNamespace({ local, uri }: StartTag, expected: string): Fault {
  const name = cut(local);
  if (uri === "")
    return new Fault("UnknownNamespace", `${name} is in no namespace. It must be in "${expected}".`);
  return new Fault(
    "UnknownNamespace",
    `${name} is in the namespace "${cut(uri)}". It must be in "${expected}". If the program cannot be changed, the operator of this service can accept ${acceptance(uri)}.`,
    { unknown: uri },
  );
}

/** These can be copied as they are into a setting, also in a shell. */
const COPIED = /^[\w.~:/?#@=+%-]{1,100}$/;

function acceptance(uri: string): string {
  if (COPIED.test(uri)) return `its namespace: MAILROLL_NAMESPACES=${uri} (several are separated by commas)`;
  if (/[\s,]|^\*$/.test(uri)) return "any namespace: MAILROLL_NAMESPACES=* (this one cannot be listed)";
  return "its namespace by adding it, whole and as the program writes it, to the setting MAILROLL_NAMESPACES";
}
