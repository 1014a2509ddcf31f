/**
 * The service's base URL, which is also its namespace. If it is not configured, as in a trial, it is derived
 * from the Host header of the request. Forwarded headers are not trusted.
 */
import type { IncomingMessage } from "node:http";
import type { Namespaces } from "../soap/document-reader.ts";
import { Recent } from "./recent.ts";

export interface AddressSettings {
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
const HOST = /^[a-z0-9._-]+(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/;

/** Default ports: an address with and without one is the same. */
const DEFAULT_PORTS = { http: ":80", https: ":443" } as const;

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
    this.#configured = settings.baseUrl === null ? null : this.#namespaces(settings.baseUrl, []);
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
    return this.#settings.baseUrl ?? this.#address(`localhost:${this.#port}`);
  }

  /** `expected` is the base address of the request. */
  of(request: IncomingMessage): Namespaces {
    if (this.#configured !== null) return this.#configured;
    const given = request.headers.host ?? "";
    if (this.#last?.host === given) return this.#last.namespaces;
    const base = this.#baseFor(given.toLowerCase());
    const namespaces = this.#byHost.get(base, () => {
      const locals = [`localhost:${this.#port}`, `127.0.0.1:${this.#port}`].map((one) => this.#address(one));
      // A program may have the port in its namespace too.
      const withPort = /:\d+$/.test(base) ? base : base + DEFAULT_PORTS[this.#settings.scheme];
      return this.#namespaces(base, [withPort, ...locals]);
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
    const { scheme } = this.#settings;
    const port = DEFAULT_PORTS[scheme];
    return `${scheme}://${host.endsWith(port) ? host.slice(0, -port.length) : host}`;
  }

  #namespaces(expected: string, locals: readonly string[]): Namespaces {
    const further = this.#settings.namespaces;
    if (further.includes("*")) return { expected, accepts: () => true };
    // With and without the slash: removing it on every check would hash a long namespace each time.
    const accepted = new Set(
      [expected, ...locals, ...further].map(withoutSlash).flatMap((one) => [one, `${one}/`]),
    );
    return { expected, accepts: (namespace) => accepted.has(namespace) };
  }
}
