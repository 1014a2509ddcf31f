/** The documents that a GET on the endpoint returns: WSDL, discovery, help pages. */
import type { Service } from "#contract/service.ts";
import { type Document, DocumentCache } from "#http/cached-documents.ts";
import { indexPage } from "./help/index-page.ts";
import { helpAssets } from "./help/layout.ts";
import { operationPage } from "./help/operation-page.ts";
import { disco, wsdl } from "./wsdl/wsdl.ts";

/** Far more than any document has. */
const MAX_QUERY = 1024;
const NO_SUCH = "no such operation";
const XML = { "Content-Type": "text/xml; charset=utf-8" };
const htmlHeaders = (service: Service): Readonly<Record<string, string>> => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": helpAssets(service).contentSecurityPolicy,
  "Referrer-Policy": "no-referrer",
});

export class Documents {
  readonly #service: Service;
  readonly #cache = new DocumentCache();

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
    return this.#cache.find(base, kind, {
      status: kind === NO_SUCH ? 404 : 200,
      headers: kind.startsWith("wsdl") || kind === "disco" ? XML : htmlHeaders(this.#service),
      render: (address) => this.#render(address, kind),
    });
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
