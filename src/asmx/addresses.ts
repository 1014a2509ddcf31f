/**
 * The service's base address, which is also its namespace. Configured, it is fixed; while somebody is trying the
 * service out, it is the address by which the request came. Forwarded headers are not trusted.
 */
import type { IncomingMessage } from "node:http";
import type { Namespaces } from "../soap/document-reader.ts";

export interface AddressSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string | null;
  /** Further accepted namespaces; "*" for any. */
  readonly namespaces: readonly string[];
  /** How this process itself is spoken to. */
  readonly scheme: "http" | "https";
}

/** Documents and namespaces that depend on a header are remembered for a few hosts only. */
const MAX_HOSTS = 16;
const HOST = /^[a-z0-9._-]+(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/;

const withoutSlash = (namespace: string): string =>
  namespace.endsWith("/") ? namespace.slice(0, -1) : namespace;

export class Addresses {
  readonly #settings: AddressSettings;
  readonly #byHost = new Map<string, Namespaces>();
  readonly #configured: Namespaces | null;
  #port = 0;

  constructor(settings: AddressSettings) {
    this.#settings = settings;
    this.#configured = settings.baseUrl === null ? null : this.#namespaces(settings.baseUrl, []);
  }

  /** Known only once the server listens. */
  set port(port: number) {
    this.#port = port;
  }

  /** The path of the base address: requests come with it or, from a proxy that strips it, without. */
  get prefix(): string {
    const path = this.#settings.baseUrl === null ? "/" : new URL(this.#settings.baseUrl).pathname;
    return withoutSlash(path);
  }

  /** Where a person on this machine reaches the service. */
  get local(): string {
    return this.#settings.baseUrl ?? `${this.#settings.scheme}://localhost:${this.#port}`;
  }

  /** `expected` is the base address of the request. */
  of(request: IncomingMessage): Namespaces {
    if (this.#configured !== null) return this.#configured;
    const host = request.headers.host?.toLowerCase() ?? "";
    const known = this.#byHost.get(host);
    if (known !== undefined) return known;
    const { scheme } = this.#settings;
    const isHost = HOST.test(host) && host.length < 256 && URL.canParse(`http://${host}`);
    const locals = [`${scheme}://localhost:${this.#port}`, `${scheme}://127.0.0.1:${this.#port}`];
    const base = isHost ? `${scheme}://${host}` : this.local;
    const namespaces = this.#namespaces(base, locals);
    if (this.#byHost.size >= MAX_HOSTS) this.#byHost.clear();
    this.#byHost.set(host, namespaces);
    return namespaces;
  }

  #namespaces(expected: string, locals: readonly string[]): Namespaces {
    const further = this.#settings.namespaces;
    if (further.includes("*")) return { expected, accepts: () => true };
    // Both spellings: taking the slash off at every question would hash a long namespace each time.
    const accepted = new Set(
      [expected, ...locals, ...further].map(withoutSlash).flatMap((one) => [one, `${one}/`]),
    );
    return { expected, accepts: (namespace) => accepted.has(namespace) };
  }
}
