/**
 * Loads a part of the service with its first request. Most installations only answer SOAP, and the JSON API
 * with its schemas costs a second of processor time and 40 MiB at the start; the console has pages besides.
 */

import { readdir } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { sendWhole } from "#http/send.ts";
import { isBuilt, shippedFile } from "#shipped.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export interface LazyRoutesOptions {
  /** Such as "the JSON API". */
  readonly name: string;
  readonly isOwn: (path: string) => boolean;
  /** The path that was meant by a mistyped one, to which a browser is redirected; null: none. */
  readonly meant?: (path: string) => string | null;
  readonly load: () => Promise<Handle>;
  readonly onLoadFailed: (error: unknown) => void;
}

/**
 * What the target of a request begins with if the client sends it as to a proxy (RFC 9112, section 3.2.2).
 */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

const loads = new Map<string, Promise<void>>();
const depth = (path: string): number => path.split(sep).length;

async function importEach(folder: string): Promise<void> {
  // Its modules are then one file, which is compiled already.
  if (isBuilt) return;
  // Its modules import one another, so it is the largest piece.
  await import("typebox");
  const root = shippedFile(`${folder}/`);
  const files = (await readdir(root, { recursive: true })).filter((path) => path.endsWith(".ts"));
  // The others are made of the deepest ones.
  for (const file of files.toSorted((a, b) => depth(b) - depth(a))) {
    await setImmediate();
    await import(new URL(file.replaceAll(sep, "/"), root).href);
  }
}

/**
 * Imports the modules of a folder one by one, with a turn of the event loop in between. Node imports a module
 * with everything that it needs in one turn, in which no request is answered.
 */
export function importInTurns(folder: "api/v2" | "console"): Promise<void> {
  const load = loads.get(folder) ?? importEach(folder);
  loads.set(folder, load);
  load.catch(() => loads.delete(folder));
  return load;
}

/** Returns true if it has taken the request. */
export function lazyRoutes({ name, isOwn, meant, load, onLoadFailed }: LazyRoutesOptions) {
  let loaded: Promise<Handle> | null = null;
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const target = (request.url ?? "").replace(ORIGIN, "");
    const [path = ""] = target.split("?", 1);
    const isRead = request.method === "GET" || request.method === "HEAD";
    const right = isRead ? (meant?.(path) ?? null) : null;
    if (right !== null) {
      sendWhole(response, 302, { Location: `${right}${target.slice(path.length)}` }, "");
      return true;
    }
    if (!isOwn(path)) return false;
    request.url = target;
    loaded ??= load();
    void loaded.then(
      (handle) => handle(request, response),
      (error: unknown) => {
        // The next request tries again.
        loaded = null;
        onLoadFailed(error);
        const text = `${name.charAt(0).toUpperCase()}${name.slice(1)} could not be loaded.\n`;
        sendWhole(response, 500, { "Content-Type": "text/plain" }, text);
      },
    );
    return true;
  };
}
