/**
 * One certificate for several processes: the primary reads the files and sends the pair in use to its
 * workers, so that a worker can also start while the files are unusable. It is sent over the IPC channel,
 * which no other process can read.
 */
import cluster from "node:cluster";
import type { Pair, Validity } from "./certificate.ts";

/** Messages between the processes; others share the channel and are ignored. */
type Message = { readonly certificate: "wanted" } | { readonly certificate: "used"; readonly pair: Pair };
const isOurs = (message: unknown): message is Message =>
  typeof message === "object" && message !== null && "certificate" in message;

/** Uses a new pair for new connections. */
export interface CertificateUser {
  useCertificate(pair: Pair): void;
}

/** In the primary: sends the pair in use to a worker that requests it, and each later one to all workers. */
export function shareCertificate(certificate: { readonly pair: Pair }): CertificateUser {
  cluster.on("message", (worker, message: unknown) => {
    if (!isOurs(message) || message.certificate !== "wanted" || !worker.isConnected()) return;
    worker.send({ certificate: "used", pair: certificate.pair } satisfies Message, () => {});
  });
  return {
    useCertificate: (pair) => {
      for (const worker of Object.values(cluster.workers ?? {}))
        if (worker?.isConnected() === true)
          worker.send({ certificate: "used", pair } satisfies Message, () => {});
    },
  };
}

/** In a worker: the pair that the primary uses. */
export class SharedCertificate {
  #pair: Pair;
  #server: CertificateUser | null = null;
  readonly #onMessage = (message: unknown): void => {
    if (!isOurs(message) || message.certificate !== "used") return;
    this.#pair = message.pair;
    this.#server?.useCertificate(message.pair);
  };

  private constructor(pair: Pair) {
    this.#pair = pair;
    process.on("message", this.#onMessage);
  }

  /** Waits for the primary. If that ends, so does the worker. */
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

  /** Returns a function that stops it. */
  updateOn(server: CertificateUser): () => void {
    this.#server = server;
    // The primary may have reloaded it since the server was created.
    server.useCertificate(this.#pair);
    return () => void process.off("message", this.#onMessage);
  }
}
