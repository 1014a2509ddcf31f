/**
 * Documents that are the same for everybody: WSDL, help pages, the reference of the API. Each is cached for
 * the most recent addresses, plain and compressed. Some clients fetch the WSDL before every single call, and
 * a client without a key must not cause the work of making one again and again.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";

/** A document as it is sent, with all its headers. */
interface Representation {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly etag: string;
}

/** As many as hosts whose namespaces are cached. */
const MAX_BASES = 16;
/** How many documents may be compressed in a burst: all documents of several hosts. */
export const COMPRESSED_AT_ONCE = 64;
/**
 * Compressing takes a millisecond, so under an endless stream of new documents only one in so many is
 * compressed.
 */
export const REQUESTS_PER_COMPRESSION = 8;
/** In bytes: a longer document counts as several. */
const COMPRESSION_UNIT = 65_536;

/** Limits compression: each request for a compressed document earns a fraction of one compression. */
class Compressions {
  #left = COMPRESSED_AT_ONCE;

  earn(): void {
    this.#left = Math.min(this.#left + 1 / REQUESTS_PER_COMPRESSION, COMPRESSED_AT_ONCE);
  }
  spend(cost: number): boolean {
    if (this.#left < cost) return false;
    this.#left -= cost;
    return true;
  }
}

export class Document {
  readonly plain: Representation;
  readonly #compressions: Compressions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tag: string;
  #compressed: Representation | null = null;

  constructor(
    { bytes, tag }: Written,
    headers: Readonly<Record<string, string>>,
    status: number,
    compressions: Compressions,
  ) {
    this.#compressions = compressions;
    this.#headers = headers;
    this.#tag = tag;
    this.plain = this.#representation(status, bytes, "", {});
  }

  /** For clients that accept gzip. Each of the two representations has its own ETag. */
  get gzip(): Representation {
    this.#compressions.earn();
    const { status, body } = this.plain;
    if (this.#compressed === null && this.#compressions.spend(Math.ceil(body.length / COMPRESSION_UNIT))) {
      const bytes = gzipSync(body, { level: 9 });
      this.#compressed = this.#representation(status, bytes, "-gzip", { "Content-Encoding": "gzip" });
    }
    return this.#compressed ?? this.plain;
  }

  #representation(
    status: number,
    body: Buffer,
    variant: string,
    encoding: Readonly<Record<string, string>>,
  ): Representation {
    const etag = `"${this.#tag}${variant}"`;
    const headers = {
      "Cache-Control": "private, max-age=0",
      ...this.#headers,
      ...encoding,
      "X-Content-Type-Options": "nosniff",
      Vary: "Accept-Encoding",
      ETag: etag,
      "Content-Length": String(body.length),
    };
    return { status, body, etag, headers };
  }
}

/** How a document is made, for one address of the service. */
interface Rendered {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly render: (base: string) => string;
}

export class DocumentCache {
  readonly #byBase: Recent<string, Map<string, Document>>;
  readonly #templates = new Map<string, HostTemplate>();
  readonly #compressions = new Compressions();

  constructor(mostBases = MAX_BASES) {
    this.#byBase = new Recent(mostBases);
  }

  /** `kind` is one of a fixed number, so that the cache cannot grow with the requests. */
  find(base: string, kind: string, { status = 200, headers, render }: Rendered): Document {
    const documents = this.#byBase.get(base, () => new Map());
    let found = documents.get(kind);
    if (found === undefined) {
      found = new Document(this.#written(base, kind, render), headers, status, this.#compressions);
      documents.set(kind, found);
    }
    return found;
  }

  #written(base: string, kind: string, render: Rendered["render"]): Written {
    const address = hostOf(base);
    if (address === null) return written(render(base));
    const { scheme, host } = address;
    let template = this.#templates.get(scheme + kind);
    if (template === undefined) {
      template = new HostTemplate(scheme, render);
      this.#templates.set(scheme + kind, template);
    }
    return template.for(host);
  }
}

/** What a client gets: the document, or that it has it already. */
export function representationFor({ headers: given }: IncomingMessage, document: Document): Representation {
  const form = takesGzip(given["accept-encoding"]) ? document.gzip : document.plain;
  if (form.status !== 200 || !isCurrent(given["if-none-match"], form.etag)) return form;
  const { "Content-Encoding": _coding, "Content-Length": _length, ...headers } = form.headers;
  return { ...form, status: 304, headers, body: NOTHING };
}
const NOTHING = Buffer.alloc(0);

export function takesGzip(given: string | undefined): boolean {
  const taken = new Map(
    (given ?? "")
      .toLowerCase()
      .split(",")
      .map((one): [string, boolean] => {
        const [name = "", ...parameters] = one.split(";").map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith("q="));
        return [name, weight === undefined || Number(weight.slice(2)) > 0];
      }),
  );
  return taken.get("gzip") ?? taken.get("*") ?? false;
}

/** Whether the client already has this version: `given` is its If-None-Match. */
export function isCurrent(given: string | undefined, tag: string): boolean {
  if (given === undefined) return false;
  return given.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag);
}

/** An LRU cache of fixed size, because callers can send any number of keys. */
export class Recent<Key, Value> {
  readonly #most: number;
  /** The least recently used first. */
  readonly #values = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: Key, make: () => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, known);
      return known;
    }
    const made = make();
    for (const oldest of this.#values.keys()) {
      if (this.#values.size < this.#most) break;
      this.#values.delete(oldest);
    }
    this.#values.set(key, made);
    return made;
  }
}

/** Occurs in no document, and like any host needs no escaping. */
const PLACEHOLDER = "host-of-this-service.invalid";
const SLOTS = new RegExp(`${PLACEHOLDER}|(?<=Content-Length: )\\d+`, "g");
const BASE = /^(https?:\/\/)([a-z0-9._:[\]-]+)$/;

/** Its bytes, and what is the same for the same bytes. */
interface Written {
  readonly bytes: Buffer;
  readonly tag: string;
}

const tagOf = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("base64url").slice(0, 22);
};

function written(text: string): Written {
  const bytes = Buffer.from(text);
  return { bytes, tag: tagOf(bytes) };
}

/**
 * A document as a template for any host, made once: generating it takes half a millisecond or more, which a
 * client with a new Host header in every request could cause each time. The host is inserted, and a sample's
 * Content-Length adjusted.
 */
class HostTemplate {
  /** The literals between the slots, one more than slots. */
  readonly #pieces: readonly Buffer[];
  /** A length with the placeholder in it, or null for the host itself. */
  readonly #slots: readonly (number | null)[];
  readonly #tag: string;

  constructor(scheme: string, render: (base: string) => string) {
    const text = render(scheme + PLACEHOLDER);
    this.#pieces = text.split(SLOTS).map((piece) => Buffer.from(piece));
    this.#slots = Array.from(text.matchAll(SLOTS), ([slot]) => (slot === PLACEHOLDER ? null : Number(slot)));
    this.#tag = tagOf(text);
  }

  for(host: string): Written {
    const longer = host.length - PLACEHOLDER.length;
    const name = Buffer.from(host);
    const parts = this.#pieces.flatMap((piece, nth) => {
      const slot = this.#slots[nth];
      if (slot === undefined) return piece;
      return [piece, slot === null ? name : Buffer.from(String(slot + longer))];
    });
    return { bytes: Buffer.concat(parts), tag: tagOf(this.#tag, host) };
  }
}

/** Scheme and host of a base URL without a path; null for others, whose documents are made separately. */
export function hostOf(base: string): { readonly scheme: string; readonly host: string } | null {
  const [, scheme, host] = BASE.exec(base) ?? [];
  return scheme === undefined || host === undefined ? null : { scheme, host };
}
