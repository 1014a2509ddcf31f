/**
 * The documents that a GET on the endpoint returns: WSDL, discovery, help pages. Each is cached in memory for
 * the most recent addresses, plain and compressed, because some clients fetch the WSDL before every single
 * call.
 */
import { gzipSync } from "node:zlib";
import type { Service } from "../contract/service.ts";
import { helpAssets } from "./help/assets.ts";
import { indexPage } from "./help/index-page.ts";
import { operationPage } from "./help/operation-page.ts";
import { Recent } from "./recent.ts";
import { disco } from "./wsdl/disco.ts";
import { HostTemplate, hostOf, type Written, written } from "./wsdl/host-template.ts";
import { wsdl } from "./wsdl/wsdl.ts";

/** A document as it is sent, with all its headers. */
export interface Representation {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly etag: string;
}

/** As many as hosts whose namespaces are cached. */
const MAX_BASES = 16;
/** Far more than any document has. */
const MAX_QUERY = 1024;
/** How many documents may be compressed in a burst: all documents of several hosts. */
export const COMPRESSED_AT_ONCE = 64;
/**
 * Compressing takes a millisecond, so under an endless stream of new documents only one in so many is
 * compressed.
 */
export const REQUESTS_PER_COMPRESSION = 8;
const NO_SUCH = "no such operation";
const XML = { "Content-Type": "text/xml; charset=utf-8" };
const htmlHeaders = (service: Service): Readonly<Record<string, string>> => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": helpAssets(service).contentSecurityPolicy,
  "Referrer-Policy": "no-referrer",
});

/** Limits compression: each request for a compressed document earns a fraction of one compression. */
class Compressions {
  #left = COMPRESSED_AT_ONCE;

  earn(): void {
    this.#left = Math.min(this.#left + 1 / REQUESTS_PER_COMPRESSION, COMPRESSED_AT_ONCE);
  }
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
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
    if (this.#compressed === null && this.#compressions.spend()) {
      const { status, body } = this.plain;
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
      ...this.#headers,
      ...encoding,
      "Cache-Control": "private, max-age=0",
      "X-Content-Type-Options": "nosniff",
      Vary: "Accept-Encoding",
      ETag: etag,
      "Content-Length": String(body.length),
    };
    return { status, body, etag, headers };
  }
}

export class Documents {
  readonly #service: Service;
  readonly #byBase = new Recent<string, Map<string, Document>>(MAX_BASES);
  readonly #templates = new Map<string, HostTemplate>();
  readonly #compressions = new Compressions();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Whether a query string requests the WSDL, in any of its forms. */
  isWsdl(query: string): boolean {
    return this.#kindOf(query).startsWith("wsdl");
  }

  /** The document for a query string, such as "wsdl" or "op=Client.TestApiConnection". */
  find(base: string, query: string): Document {
    const kind = this.#kindOf(query);
    const documents = this.#byBase.get(base, () => new Map());
    let found = documents.get(kind);
    if (found === undefined) {
      const headers = kind.startsWith("wsdl") || kind === "disco" ? XML : htmlHeaders(this.#service);
      const status = kind === NO_SUCH ? 404 : 200;
      found = new Document(this.#written(base, kind), headers, status, this.#compressions);
      documents.set(kind, found);
    }
    return found;
  }

  /** One of a fixed number of kinds, whatever the query, so that the cache cannot grow with the queries. */
  #kindOf(query: string): string {
    if (query === "wsdl" || query === "WSDL") return "wsdl";
    const keys = new Map(
      [...new URLSearchParams(query.slice(0, MAX_QUERY))].map(([key, value]) => [key.toLowerCase(), value]),
    );
    if (keys.has("wsdl")) {
      const names = keys.get("names")?.toLowerCase();
      return names === "short" || names === "dotted" ? `wsdl ${names}` : "wsdl";
    }
    if (keys.has("disco")) return "disco";
    const operation = keys.get("op");
    if (operation === undefined) return "index";
    return Object.hasOwn(this.#service.operations, operation) ? `op ${operation}` : NO_SUCH;
  }

  #written(base: string, kind: string): Written {
    const render = (address: string): string => this.#render(address, kind);
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

  #render(base: string, kind: string): string {
    const service = this.#service;
    if (kind === "wsdl") return wsdl(service, base);
    if (kind === "wsdl dotted") return wsdl(service, base, ["dotted"]);
    if (kind === "wsdl short") return wsdl(service, base, ["short"]);
    if (kind === "disco") return disco(service, base);
    const page = kind.startsWith("op ") ? operationPage(service, base, kind.slice(3)) : null;
    return page ?? indexPage(service, base, kind === NO_SUCH);
  }
}
