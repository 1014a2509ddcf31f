/**
 * Replies of more than 1 KiB are compressed, for clients that take gzip. zlib works in its own threads, so no
 * other request waits.
 *
 * A reply with a secret is never compressed: its length would tell somebody who sees the encrypted bytes, and
 * chooses a part of the text, how much that part is like the secret (BREACH). The console has cookies and
 * tokens of forms in its pages, so it does not use this.
 */
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { takesGzip } from "#http/documents.ts";
import { isStream } from "../route.ts";

const MAX_UNCOMPRESSED = 1024;
const compress = promisify<string | Buffer, Buffer>(gzip);

export const GZIP = { "Content-Encoding": "gzip" } as const;
/** The reply depends on this header of the request, for caches. */
export const VARY = { Vary: "Accept-Encoding" } as const;

export function compressReplies(scope: FastifyInstance): void {
  scope.addHook("onSend", async (request, reply, payload) => {
    const { route } = request.routeOptions.config;
    if (route !== undefined && !isStream(route) && route.hasSecret === true) return payload;
    reply.headers(VARY);
    if (typeof payload !== "string" || !takesGzip(request.headers["accept-encoding"])) return payload;
    if (Buffer.byteLength(payload) <= MAX_UNCOMPRESSED) return payload;
    const etag = reply.getHeader("ETag");
    // Other bytes of the same version.
    if (typeof etag === "string") reply.header("ETag", `W/${etag}`);
    reply.headers(GZIP);
    return await compress(payload);
  });
}

/** An error or an early end of one side ends the other. */
export const compressed = (chunks: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(chunks), createGzip(), () => {});
