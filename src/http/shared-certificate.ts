/**
 * One certificate for several processes: the primary looks at the files, and hands the pair in use to its workers, so
 * that a worker can also be started while the files are no good. It goes over the channel between the processes, which
 * nobody else can read.
 */
import cluster from "node:cluster";
import type { Pair, Validity } from "./certificate.ts";

/** What goes between the processes; other messages are none of ours. */
type Message = { readonly certificate: "wanted" } | { readonly certificate: "used"; readonly pair: Pair };
const isOurs = (message: unknown): message is Message =>
  typeof message === "object" && message !== null && "certificate" in message;

/** Takes a new pair for new connections. */
export interface Renewable {
  renew(pair: Pair): void;
}

/** In the primary: a worker gets the pair in use when it asks, and all of them get each later one. */
export function shareCertificate(certificate: { readonly pair: Pair }): Renewable {
  cluster.on("message", (worker, message: unknown) => {
    if (!isOurs(message) || message.certificate !== "wanted" || !worker.isConnected()) return;
    worker.send({ certificate: "used", pair: certificate.pair } satisfies Message, () => {});
  });
  return {
    renew: (pair) => {
      for (const worker of Object.values(cluster.workers ?? {}))
        if (worker?.isConnected() === true)
          worker.send({ certificate: "used", pair } satisfies Message, () => {});
    },
  };
}

/** In a worker: what the primary has. */
export class SharedCertificate {
  #pair: Pair;
  #server: Renewable | null = null;
  readonly #onMessage = (message: unknown): void => {
    if (!isOurs(message) || message.certificate !== "used") return;
    this.#pair = message.pair;
    this.#server?.renew(message.pair);
  };

  private constructor(pair: Pair) {
    this.#pair = pair;
    process.on("message", this.#onMessage);
  }

  /** Waits for the primary, with whose end the worker ends too. */
  static fetch(): Promise<SharedCertificate> {
    return new Promise((resolve) => {
      const onMessage = (message: unknown): void => {
        if (!isOurs(message) || message.certificate !== "used") return;
        process.off("message", onMessage);
        resolve(new SharedCertificate(message.pair));
      };
      process.on("message", onMessage);
      process.send?.({ certificate: "wanted" } satisfies Message, undefined, undefined, () => {});
    });
  }

  get pair(): Pair {
    return this.#pair;
  }
  get validity(): Validity {
    return this.#pair.validity;
  }

  /** Gives back what ends it. */
  renewOn(server: Renewable): () => void {
    this.#server = server;
    // It may have been renewed since the server was made.
    server.renew(this.#pair);
    return () => void process.off("message", this.#onMessage);
  }
}
