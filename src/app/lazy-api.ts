/**
 * Loads the JSON API with its first request. Most installations only answer SOAP, and the API with its
 * schemas costs a second of processor time and 40 MiB at the start.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isApiPath } from "../api/v2/api-path.ts";
import { sendWhole } from "../http/send.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export interface LazyApiOptions {
  /** The path of the service's base address. */
  readonly prefix: string;
  readonly load: () => Promise<Handle>;
  readonly onLoadFailed: (error: unknown) => void;
}

/** What the target of a request begins with if the client sends it as to a proxy (RFC 9112, section 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Returns true if it has taken the request. */
export function lazyApi({ prefix, load, onLoadFailed }: LazyApiOptions) {
  const isOwn = isApiPath(prefix);
  let loaded: Promise<Handle> | null = null;
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const target = (request.url ?? "").replace(ORIGIN, "");
    const [path = ""] = target.split("?");
    if (!isOwn(path)) return false;
    request.url = target;
    loaded ??= load();
    void loaded.then(
      (handle) => handle(request, response),
      (error: unknown) => {
        // The next request tries again.
        loaded = null;
        onLoadFailed(error);
        sendWhole(response, 500, { "Content-Type": "text/plain" }, "The API could not be loaded.\n");
      },
    );
    return true;
  };
}
