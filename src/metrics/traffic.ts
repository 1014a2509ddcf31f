/** Connections, TLS and HTTP responses. */
import { Counter, Gauge } from "./families.ts";
import type { Registry } from "./registry.ts";

/** SOAP calls, the documents that describe them (WSDL, help pages), and every other route. */
export type Handler = "soap" | "document" | "route";
const handlers: readonly Handler[] = ["soap", "document", "route"];
const classes = ["2xx", "3xx", "4xx", "5xx"];

export class TrafficMetrics {
  readonly #responses: Counter;
  readonly #opened: Counter;
  readonly #dropped: Counter;
  readonly #failedHandshakes: Counter;
  readonly #abortedLists: Counter;
  readonly #wsdlUnfollowed: Counter;
  readonly #certificate: Gauge;
  #open = 0;

  constructor(registry: Registry) {
    this.#responses = registry.add(
      new Counter(
        { name: "mailroll_http_responses", help: "HTTP responses by handler and status class." },
        handlers.flatMap((handler) => classes.map((status) => ({ handler, status }))),
      ),
    );
    this.#opened = registry.add(
      new Counter({ name: "mailroll_connections_opened", help: "Connections that clients have opened." }),
    );
    this.#dropped = registry.add(
      new Counter({
        name: "mailroll_connections_dropped",
        help: "Connections that the service closed: too many open, too many unread responses or too many pipelined requests.",
      }),
    );
    this.#failedHandshakes = registry.add(
      new Counter({
        name: "mailroll_tls_handshakes_failed",
        help: "TLS handshakes that failed.",
      }),
    );
    const open = registry.add(
      new Gauge({ name: "mailroll_connections", help: "Connections that are open now." }),
    );
    this.#abortedLists = registry.add(
      new Counter({
        name: "mailroll_lists_aborted",
        help: "Streamed lists that were aborted because the database went away.",
      }),
    );
    this.#wsdlUnfollowed = registry.add(
      new Counter({
        name: "mailroll_wsdl_unfollowed",
        help: "Clients that read the WSDL and did not call within ten minutes; each once a day.",
      }),
    );
    // All processes read the same file.
    this.#certificate = registry.add(
      new Gauge(
        {
          name: "mailroll_tls_certificate_expiry_time_seconds",
          unit: "seconds",
          help: "Expiry time of the TLS certificate in use, in seconds since 1970.",
        },
        [{}],
        "max",
      ),
    );
    registry.onCollect(() => open.set(this.#open));
  }

  answered(handler: Handler, status: number): void {
    const nth = Math.min(Math.max(Math.floor(status / 100) - 2, 0), classes.length - 1);
    this.#responses.add(1, handlers.indexOf(handler) * classes.length + nth);
  }
  listAborted(): void {
    this.#abortedLists.add();
  }
  wsdlUnfollowed(): void {
    this.#wsdlUnfollowed.add();
  }
  dropped(): void {
    this.#dropped.add();
  }
  handshakeFailed(): void {
    this.#failedHandshakes.add();
  }
  certificateExpires(at: number): void {
    this.#certificate.set(at / 1000);
  }
  /** Returns a function to call when the connection is closed. */
  connected(): () => void {
    this.#opened.add();
    this.#open += 1;
    return () => {
      this.#open -= 1;
    };
  }
}
