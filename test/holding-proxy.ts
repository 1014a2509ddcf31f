/**
 * A way to PostgreSQL that can hold a message: so a test stops a node between two statements of a
 * transaction. Everything before the held text reaches the server, and nothing after it until it is released.
 */
import type { Socket } from "node:net";
import { startProxy } from "./proxy.ts";

export interface HoldingProxy {
  /** The same address, by way of the proxy. */
  readonly url: string;
  /**
   * Holds the next message with this text; resolves when it is there. The driver sends the text of a
   * statement only the first time in a session.
   */
  holdAt(text: string): Promise<void>;
  release(): void;
  close(): Promise<void>;
}

export async function holdingProxy(url: string): Promise<HoldingProxy> {
  let wanted: { readonly text: string; readonly resolve: () => void } | null = null;
  let held: { readonly socket: Socket; readonly far: Socket; readonly chunks: Buffer[] } | null = null;
  const proxy = await startProxy(url, (near, far) => {
    near.on("data", (chunk: Buffer) => {
      if (held?.socket === near) {
        held.chunks.push(chunk);
        return;
      }
      const at = wanted === null ? -1 : chunk.indexOf(wanted.text);
      far.write(at < 0 ? chunk : chunk.subarray(0, at));
      if (at < 0) return;
      held = { socket: near, far, chunks: [chunk.subarray(at)] };
      wanted?.resolve();
      wanted = null;
    });
    far.on("data", (chunk) => near.write(chunk));
    near.on("close", () => far.end());
    far.on("close", () => near.destroy());
  });
  return {
    url: proxy.url,
    holdAt: (text) =>
      new Promise((there) => {
        wanted = { text, resolve: there };
      }),
    release: () => {
      for (const chunk of held?.chunks ?? []) held?.far.write(chunk);
      held = null;
    },
    close: () => proxy.close(),
  };
}
