/**
 * Reads one document into the declared values of one operation, in one pass, without a tree, as its text comes in: whole
 * or in slices.
 *
 * XML comes first: a document that is not well-formed is refused whatever else is wrong with it. So other problems
 * are noted while the rest is read, and the one that ranks first is what the caller is told. This file does not
 * know where a request came from, nor what the operation does.
 */
import { type SaxesOptions, SaxesParser, type SaxesTagNS } from "saxes";
import { Fault } from "../contract/faults.ts";
import type { SequenceReader } from "./decode.ts";
import type { NotUnderstood } from "./fault-message.ts";
import type { RecordPlan, ShapeRecorder } from "./message-shape.ts";
import { NamespaceScope } from "./namespace-scope.ts";
import { ParameterReader } from "./parameter-reader.ts";
import { attribute, cut, isTrue } from "./tag.ts";
import { type SoapVersion, soap11, soap12 } from "./version.ts";

/** saxes gets slow faster than linearly beyond such sizes; no real message comes near them. */
const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 64;
const MAX_NAME = 1024;
/** What has not ended is kept by the parser in parts, at up to 100 bytes each: it begins a new one after each of these. */
const MAX_PARTS = 262_144;
const PART_ENDS = /[&\r\n\t\-\]?<>"']/g;
/** White space behind the root is no value, and one part. */
const PART_ENDS_BEHIND_ROOT = /[&\r\-?]/g;

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

const options = {
  xmlns: true,
  defaultXMLVersion: "1.0",
  forceXMLVersion: true,
} as const satisfies SaxesOptions;

/** With the prefixes looked up by us: whoever listens to it tells the scope of attributes and of what opens and closes. */
export class ScopedParser extends SaxesParser<typeof options> {
  readonly scope = new NamespaceScope();
  constructor() {
    super(options);
  }
  override resolve(prefix: string): string | undefined {
    return this.scope.resolve(prefix);
  }
}

export class DocumentReader {
  readonly #operations: ReadonlyMap<string, SequenceReader>;
  readonly #names: string;
  /** One that read a document to its end; one that broke off is not fit for another. */
  #idle: ScopedParser | null = null;
  #parser: ScopedParser | null = null;
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
  #attributes = 0;
  /** Whether the parser had something to tell of the text that was written last, and what it keeps, where it had not. */
  #hasTold = false;
  #parts = 0;
  /** Whether the root has been read to its end. */
  #hasRoot = false;
  /** The depth at which an element that is passed over with all its content began, else 0. */
  #skipFrom = 0;
  readonly #recorder: ShapeRecorder;
  readonly #parameters: ParameterReader;

  constructor(operations: ReadonlyMap<string, SequenceReader>, recorder: ShapeRecorder) {
    this.#operations = operations;
    this.#names = [...operations.keys()].join(", ");
    this.#recorder = recorder;
    this.#parameters = new ParameterReader((fault) => this.#note("parameters", fault), recorder);
  }

  /** Forgets the document before, whatever became of it. */
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
    this.#attributes = 0;
    this.#parts = 0;
    this.#hasRoot = false;
    this.#skipFrom = 0;
    this.#parameters.reset();
    this.#parser = this.#idle ?? this.#newParser();
    this.#idle = null;
  }

  /** Throws a Fault where we do not take the document, and the parser's error where it is not XML. */
  write(text: string): void {
    this.#hasTold = false;
    this.#parser?.write(text);
    if (this.#hasTold) this.#parts = 0;
    else this.#parts += text.match(this.#hasRoot ? PART_ENDS_BEHIND_ROOT : PART_ENDS)?.length ?? 0;
    if (this.#parts > MAX_PARTS)
      throw invalid(
        `A value, a comment or a tag is in more than ${MAX_PARTS} parts: references, line ends, quotes and the like.`,
      );
  }

  /** Throws as `write` does; every other problem is in the message. */
  end(): Message {
    this.#parser?.close();
    this.#idle = this.#parser;
    return this.#message();
  }

  /** How to make the input from another message of the same shape. */
  get plan(): RecordPlan | null {
    return this.#plan;
  }

  #newParser(): ScopedParser {
    const parser = new ScopedParser();
    // Six at most: a seventh makes saxes four times slower.
    parser.on("attribute", (attribute) => {
      parser.scope.see(attribute);
      this.#attribute(attribute.name);
    });
    parser.on("opentag", (tag) => {
      parser.scope.open();
      this.#recorder.opened(parser.position, tag.isSelfClosing);
      this.#open(tag, parser.line);
    });
    parser.on("closetag", () => {
      parser.scope.close();
      this.#close();
      this.#recorder.closed();
    });
    parser.on("text", (text) => this.#text(text));
    parser.on("cdata", (text) => this.#text(text));
    parser.on("doctype", () => {
      throw invalid("A document type declaration (DTD) is not accepted; leave it out.");
    });
    return parser;
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

  /** An error is costly to make, and a large document may have a million problems: only what counts is made. */
  #note(rank: RankName, fault: () => Fault, notUnderstood: NotUnderstood | null = null): void {
    if (this.#problem === null || Rank[rank] < this.#problem.rank)
      this.#problem = { rank: Rank[rank], fault: fault(), notUnderstood };
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
    this.#attributes = 0;
    this.#hasTold = true;
    if (this.#depth > MAX_DEPTH) throw invalid(`Elements are nested more than ${MAX_DEPTH} deep.`);
    if (tag.name.length > MAX_NAME) throw invalid(`An element's name is longer than ${MAX_NAME} characters.`);
  }

  /** One by one, because the parser's work on a tag that has very many begins where the tag ends. */
  #attribute(name: string): void {
    this.#attributes += 1;
    this.#hasTold = true;
    if (this.#attributes > MAX_ATTRIBUTES)
      throw invalid(`An element has more than ${MAX_ATTRIBUTES} attributes.`);
    if (name.length > MAX_NAME) throw invalid(`An attribute's name is longer than ${MAX_NAME} characters.`);
  }

  #skip(): void {
    this.#skipFrom = this.#depth;
  }

  #root(tag: SaxesTagNS): void {
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

  #child(tag: SaxesTagNS): void {
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

  #header(tag: SaxesTagNS): void {
    this.#skip();
    const { namespace, name } = this.#version ?? soap11;
    if (!isTrue(attribute(tag.attributes, namespace, "mustUnderstand")) || HARMLESS.test(tag.uri)) return;
    if (!forUs.has(attribute(tag.attributes, namespace, name === "1.1" ? "actor" : "role") ?? "")) return;
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

  #operationElement(tag: SaxesTagNS, line: number): void {
    if (this.#namespace !== null) {
      this.#note("envelope", () =>
        invalid("The Body holds more than one element. Send one operation per message."),
      );
      return this.#skip();
    }
    this.#namespace = tag.uri;
    const reader = this.#operations.get(tag.local);
    if (!this.#namespaces.accepts(tag.uri))
      this.#note(
        "namespace",
        () =>
          new Fault(
            "UnknownNamespace",
            `${cut(tag.local)} is in the namespace "${cut(tag.uri)}". It must be in "${this.#namespaces.expected}".`,
          ),
      );
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
    this.#hasTold = true;
    if (this.#skipFrom === 0) this.#parameters.text(text);
  }

  #close(): void {
    this.#hasTold = true;
    const depth = this.#depth;
    this.#depth -= 1;
    this.#hasRoot = depth === 1;
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
