/**
 * What an old service has that offers the thirteen operations over SOAP 1.1. Names and types of records are
 * those of the contract; the namespace is that of the service's WSDL.
 */
import { contract, type Operations } from "#contract/operations.ts";
import {
  type ArrayOf,
  type GivenFields,
  LexicalError,
  type Scalar,
  type Sequence,
  type XsdType,
} from "#contract/xsd.ts";
import { XmlError, XmlRefused } from "#xml/errors.ts";
import { XmlParser } from "#xml/parser.ts";
import type { StartTag } from "#xml/start-tag.ts";
import { PullFailed, type Remote } from "./remote.ts";

type RecordsOf<Result> = Result extends ArrayOf<Sequence<infer Fields>> ? GivenFields<Fields> : never;
/** The operations whose result is a list of records. */
export type ListOperation = {
  [Name in keyof Operations]: Operations[Name]["result"] extends ArrayOf<Sequence<infer _>> ? Name : never;
}[keyof Operations];
export type RecordOf<Name extends ListOperation> = RecordsOf<Operations[Name]["result"]>;

/** Where a pull from an old service reads. */
export interface SoapSource {
  /** Of the server, such as "old.example.org". */
  readonly host: string;
  isKeyValid(): Promise<boolean>;
  list<Name extends ListOperation>(
    operation: Name,
    more?: Readonly<Record<string, number>>,
  ): Promise<readonly RecordOf<Name>[]>;
}

/** A campaign may have lost very many subscribers, and no operation gives them in pages. */
const MAX_BYTES = 256 * 1024 ** 2;
const MAX_WSDL_BYTES = 4 * 1024 ** 2;
const SLICE = 65_536;
const ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/";
const NIL = "http://www.w3.org/2001/XMLSchema-instance";

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => escapes[one] ?? one);

/** What a reply contains: a fault, or the text or the records of its result. */
interface Reply {
  readonly fault: string | null;
  readonly text: string;
  readonly records: readonly ReadonlyMap<string, string>[];
}

// Below the envelope, the body and the element of the reply: its result, the records and their members.
const [BODY, REPLY, RESULT, RECORD, MEMBER] = [2, 3, 4, 5, 6];

function readReply(text: string): Reply {
  const path: string[] = [];
  const records: Map<string, string>[] = [];
  let [result, fault, isFault] = ["", "", false];
  const parser = new XmlParser({
    open: (tag: StartTag) => {
      path.push(tag.local);
      if (path.length === REPLY && path[BODY - 1] === "Body") isFault = tag.local === "Fault";
      if (path.length === RECORD && !isFault && path[BODY - 1] === "Body") records.push(new Map());
      if (path.length === MEMBER && tag.attribute(NIL, "nil") === null) records.at(-1)?.set(tag.local, "");
    },
    close: () => {
      path.pop();
    },
    text: (part) => {
      const record = records.at(-1);
      const name = path[MEMBER - 1] ?? "";
      if (path.length === RESULT && path[RESULT - 1] === "faultstring") fault += part;
      else if (path.length === RESULT) result += part;
      else if (path.length === MEMBER && record !== undefined)
        record.set(name, (record.get(name) ?? "") + part);
    },
  });
  parser.begin();
  // A byte order mark is no part of the document.
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; at += SLICE)
    parser.write(text.slice(at, at + SLICE));
  parser.end();
  return { fault: isFault ? fault.trim() || "a fault without a text" : null, text: result.trim(), records };
}

/** The namespace of the service, at the root of its WSDL. */
function namespaceIn(wsdl: string): string | null {
  let found: string | null = null;
  let isRoot = true;
  const parser = new XmlParser({
    open: (tag: StartTag) => {
      if (isRoot && tag.local === "definitions") found = tag.attribute("", "targetNamespace");
      isRoot = false;
    },
    close: () => {},
    text: () => {},
  });
  parser.begin();
  parser.write(wsdl.startsWith("\ufeff") ? wsdl.slice(1) : wsdl);
  return found;
}

/** An empty element is as good as none. */
function readScalar(type: Scalar<unknown, unknown>, text: string): unknown {
  if (type.xsd === "string") return text;
  return text.trim() === "" ? null : type.read(text.trim());
}

export class SoapService implements SoapSource {
  readonly #remote: Remote;
  readonly #address: URL;
  readonly #key: string;
  #namespace: string | null = null;

  constructor(remote: Remote, address: URL, key: string) {
    this.#remote = remote;
    this.#address = address;
    this.#key = key;
  }

  get host(): string {
    return this.#address.host;
  }

  async isKeyValid(): Promise<boolean> {
    return (await this.#call("Client.TestApiConnection", {})).text === "true";
  }

  async list<Name extends ListOperation>(
    operation: Name,
    more: Readonly<Record<string, number>> = {},
  ): Promise<readonly RecordOf<Name>[]> {
    const { records } = await this.#call(operation, more);
    const { fields } = contract.operations[operation].result.item;
    const readMember = (name: string, type: XsdType, given: string): unknown => {
      const text = given.trim();
      try {
        if (type.kind === "scalar") return readScalar(type, given);
        if (type.kind === "enum" && type.values.includes(text)) return text;
        throw new LexicalError();
      } catch (error) {
        if (!(error instanceof LexicalError)) throw error;
        throw new PullFailed(
          `${this.host} answered ${operation} with the ${name} '${text.slice(0, 60)}', which cannot be read`,
        );
      }
    };
    const members = Object.entries<XsdType>(fields);
    return records.map(
      (record) =>
        Object.fromEntries(
          members.map(([name, type]) => [name, readMember(name, type, record.get(name) ?? "")]),
        ) as RecordOf<Name>,
    );
  }

  async #call(operation: keyof Operations, more: Readonly<Record<string, number>>): Promise<Reply> {
    this.#namespace ??= await this.#findNamespace();
    const namespace = this.#namespace;
    const parameters = Object.entries({ APIKey: this.#key, ...more })
      .map(([name, value]) => `<${name}>${escaped(String(value))}</${name}>`)
      .join("");
    const { status, body } = await this.#remote.send(
      this.#address,
      {
        headers: {
          "Content-Type": "text/xml; charset=utf-8",
          SOAPAction: `"${namespace}${namespace.endsWith("/") ? "" : "/"}${operation}"`,
        },
        body: `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${ENVELOPE}"><soap:Body><${operation} xmlns="${escaped(namespace)}">${parameters}</${operation}></soap:Body></soap:Envelope>`,
        maxBytes: MAX_BYTES,
      },
      (code) => code === 200 || code === 500,
    );
    const reply = this.#parsed(() => readReply(body.toString()), `${operation} (status ${status})`);
    if (reply.fault === null && status === 200) return reply;
    throw new PullFailed(
      `${this.host} answered ${operation} with an error: ${(reply.fault ?? `status ${status}`).slice(0, 300).replaceAll(/\p{Cc}+/gu, " ")}`,
    );
  }

  async #findNamespace(): Promise<string> {
    const wsdl = new URL("?wsdl", this.#address);
    const { body } = await this.#remote.send(wsdl, { headers: {}, maxBytes: MAX_WSDL_BYTES });
    const found = this.#parsed(() => namespaceIn(body.toString()), "?wsdl");
    if (found === null || found === "")
      throw new PullFailed(
        `${wsdl.href} is no WSDL; give the address that programs call, such as https://old.example.org/default.asmx`,
      );
    return found;
  }

  #parsed<Found>(read: () => Found, what: string): Found {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof XmlError || error instanceof XmlRefused)) throw error;
      throw new PullFailed(`${this.host} answered ${what} with something that is not SOAP: ${error.message}`);
    }
  }
}
