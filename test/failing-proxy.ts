/**
 * A way to a server that fails: it can fall silent with its connections open, or break one at the worst
 * moment.
 */
import { startProxy } from "./proxy.ts";

export interface FailingProxy {
  /** The same address, by way of the proxy. */
  readonly url: string;
  /** Connections stay and new ones are taken, but nothing gets through any more. */
  fallSilent(): void;
  /** Ends the silence. What was said meanwhile is lost, and with it the connections that it was said on. */
  speakAgain(): void;
  /** The next message with this text, or the nth one, reaches the server, and the answer reaches nobody. */
  breakAt(text: string, nth?: number): void;
  close(): Promise<void>;
}

export async function failingProxy(url: string): Promise<FailingProxy> {
  let isSilent = false;
  let fatal: { readonly text: string; left: number } | null = null;
  const proxy = await startProxy(url, (near, far) => {
    near.on("data", (chunk) => {
      if (isSilent) return;
      far.write(chunk);
      if (fatal === null || !chunk.includes(fatal.text)) return;
      fatal.left -= 1;
      if (fatal.left > 0) return;
      fatal = null;
      near.destroy();
    });
    far.on("data", (chunk) => isSilent || near.write(chunk));
    near.on("close", () => isSilent || far.end());
    far.on("close", () => isSilent || near.destroy());
  });
  return {
    url: proxy.url,
    fallSilent: () => {
      isSilent = true;
    },
    speakAgain: () => {
      isSilent = false;
      for (const socket of proxy.sockets) socket.destroy();
      proxy.sockets.clear();
    },
    breakAt: (text, nth = 1) => {
      fatal = { text, left: nth };
    },
    close: () => proxy.close(),
  };
}
