/**
 * The service's base URL, which is also its namespace. If it is not configured, as in a trial, it is derived
 * from the Host header of the request. Forwarded headers are not trusted.
 */
import type { IncomingMessage } from "node:http";
import { Recent } from "#http/cached-documents.ts";
import type { Namespaces } from "#soap/request/document-reader.ts";

// The target of a GET, from its URL and headers.

/** Path and query. A proxy may send the whole address (RFC 9112 §3.2.2). */
export function targetOf(url: string): readonly [path: string, query: string] {
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  return mark === -1 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}

interface AddressSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string | null;
  /** Further accepted namespaces; "*" for any. */
  readonly namespaces: readonly string[];
  /** The scheme that this process itself serves. */
  readonly scheme: "http" | "https";
}

/** Documents and namespaces that depend on a header are cached for a few hosts only. */
const MAX_HOSTS = 16;
const MAX_HOST_LENGTH = 255;
const HOST = /^[a-z0-9._-]+(?::\d{0,5})?$|^\[[0-9a-f:.]+\](?::\d{0,5})?$/;

const ADDRESS = /^(https?):\/\/(\[[^\]]*\]|[^/:]+?)\.?(?::(\d*))?(\/.*)?$/i;

/**
 * One address for all that lead to the same server: without the default port, zeros before a port, a colon
 * without a port and the dot at the end of a host name. `withPort` always has the port.
 */
function normalized(address: string): { readonly address: string; readonly withPort: string } {
  const [, scheme, host, given = "", path = ""] = ADDRESS.exec(address) ?? [];
  if (scheme === undefined || host === undefined) return { address, withPort: address };
  const standard = scheme.toLowerCase() === "https" ? 443 : 80;
  const port = given === "" ? standard : Number(given);
  const bare = `${scheme}://${host}`;
  const withPort = `${bare}:${port}${path}`;
  return { address: port === standard ? `${bare}${path}` : withPort, withPort };
}

const withoutSlash = (namespace: string): string =>
  namespace.endsWith("/") ? namespace.slice(0, -1) : namespace;

export class Addresses {
  readonly #settings: AddressSettings;
  readonly #byHost = new Recent<string, Namespaces>(MAX_HOSTS);
  /** Nearly every request has the same host as the last one. */
  #last: { readonly host: string; readonly namespaces: Namespaces } | null = null;
  readonly #configured: Namespaces | null;
  #port = 0;

  constructor(settings: AddressSettings) {
    this.#settings = settings;
    const { baseUrl } = settings;
    this.#configured = baseUrl === null ? null : this.#namespaces(normalized(baseUrl).address, [baseUrl]);
  }

  /** Known only once the server listens. */
  set port(port: number) {
    this.#port = port;
    this.#last = null;
  }

  /** The path of the base address: requests come with it or, from a proxy that strips it, without. */
  get prefix(): string {
    const path = this.#settings.baseUrl === null ? "/" : new URL(this.#settings.baseUrl).pathname;
    return withoutSlash(path);
  }

  /** The address of the service on this machine. */
  get local(): string {
    return this.#configured?.expected ?? this.#address(`localhost:${this.#port}`);
  }

  /** `expected` is the base address of the request. */
  of(request: IncomingMessage): Namespaces {
    if (this.#configured !== null) return this.#configured;
    const given = request.headers.host ?? "";
    if (this.#last?.host === given) return this.#last.namespaces;
    const base = this.#baseFor(given.toLowerCase());
    const namespaces = this.#byHost.get(base, () => {
      const locals = [`localhost:${this.#port}`, `127.0.0.1:${this.#port}`].map((one) => this.#address(one));
      return this.#namespaces(base, locals);
    });
    // An invalid host may be as long as a header, and is not cached.
    if (given.length <= MAX_HOST_LENGTH) this.#last = { host: given, namespaces };
    return namespaces;
  }

  #baseFor(host: string): string {
    const isHost = host.length <= MAX_HOST_LENGTH && HOST.test(host) && URL.canParse(`http://${host}`);
    return isHost ? this.#address(host) : this.local;
  }

  #address(host: string): string {
    return normalized(`${this.#settings.scheme}://${host}`).address;
  }

  #namespaces(expected: string, others: readonly string[]): Namespaces {
    const further = this.#settings.namespaces;
    if (further.includes("*")) return { expected, accepts: () => true };
    // A program may have the default port in its namespace too.
    const own = [expected, normalized(expected).withPort, ...others];
    // With and without the slash: removing it on every check would hash a long namespace each time.
    const accepted = new Set([...own, ...further].map(withoutSlash).flatMap((one) => [one, `${one}/`]));
    return { expected, accepts: (namespace) => accepted.has(namespace) };
  }
}
