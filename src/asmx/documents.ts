/**
 * What a GET on the endpoint shows: WSDL, discovery, help pages. Each is made once per base address and kept in memory,
 * plain and compressed, because some clients fetch the WSDL before every single call.
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Service } from "../contract/service.ts";
import { disco } from "./disco.ts";
import { contentSecurityPolicy } from "./help/assets.ts";
import { indexPage } from "./help/index-page.ts";
import { operationPage } from "./help/operation-page.ts";
import { wsdl } from "./wsdl.ts";

/** A document as it is sent, with all its headers. */
export interface Representation {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly etag: string;
}
export interface Document {
  readonly plain: Representation;
  readonly gzip: Representation;
}

/** As many as there are hosts whose namespaces are remembered. */
const MAX_BASES = 16;
const XML = { "Content-Type": "text/xml; charset=utf-8" };
const HTML = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": contentSecurityPolicy,
  "Referrer-Policy": "no-referrer",
};

function document(text: string, headers: Readonly<Record<string, string>>, status = 200): Document {
  const bytes = Buffer.from(text);
  const tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const representation = (body: Buffer, etag: string, encoding: Readonly<Record<string, string>>) => ({
    status,
    body,
    etag,
    headers: {
      ...headers,
      ...encoding,
      "Cache-Control": "private, max-age=0",
      "X-Content-Type-Options": "nosniff",
      Vary: "Accept-Encoding",
      ETag: etag,
      "Content-Length": String(body.length),
    },
  });
  // Two representations, so each has a tag of its own.
  return {
    plain: representation(bytes, `"${tag}"`, {}),
    gzip: representation(gzipSync(bytes, { level: 9 }), `"${tag}-gzip"`, { "Content-Encoding": "gzip" }),
  };
}

export class Documents {
  readonly #service: Service;
  readonly #byBase = new Map<string, Map<string, Document>>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** The document for a query string, such as "wsdl" or "op=Client.TestApiConnection". */
  find(base: string, query: string): Document {
    const kind = this.#kindOf(query);
    let documents = this.#byBase.get(base);
    if (documents === undefined) {
      if (this.#byBase.size >= MAX_BASES) this.#byBase.clear();
      documents = new Map();
      this.#byBase.set(base, documents);
    }
    let found = documents.get(kind);
    if (found === undefined) {
      found = this.#make(base, kind);
      documents.set(kind, found);
    }
    return found;
  }

  /** One of a fixed number of words, whatever the query: what is kept cannot grow with what is asked. */
  #kindOf(query: string): string {
    if (query === "wsdl" || query === "WSDL") return "wsdl";
    const keys = new Map([...new URLSearchParams(query)].map(([key, value]) => [key.toLowerCase(), value]));
    if (keys.has("wsdl")) return keys.get("names")?.toLowerCase() === "short" ? "wsdl short" : "wsdl";
    if (keys.has("disco")) return "disco";
    const operation = keys.get("op");
    if (operation === undefined) return "index";
    return Object.hasOwn(this.#service.operations, operation) ? `op ${operation}` : "no such operation";
  }

  #make(base: string, kind: string): Document {
    const service = this.#service;
    if (kind === "wsdl") return document(wsdl(service, base, "dotted"), XML);
    if (kind === "wsdl short") return document(wsdl(service, base, "short"), XML);
    if (kind === "disco") return document(disco(service, base), XML);
    const page = kind.startsWith("op ") ? operationPage(service, base, kind.slice(3)) : null;
    if (page !== null) return document(page, HTML);
    return kind === "index"
      ? document(indexPage(service, base), HTML)
      : document(indexPage(service, base, true), HTML, 404);
  }
}
