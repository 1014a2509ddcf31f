/** Connections, what secures them, and answers, whatever was asked for. */
import { Counter, Gauge } from "./families.ts";
import type { Registry } from "./registry.ts";

/** Calls by SOAP, the documents that describe them, and everything else. */
export type Part = "soap" | "document" | "route";
const parts: readonly Part[] = ["soap", "document", "route"];
const classes = ["2xx", "3xx", "4xx", "5xx"];

export class TrafficMetrics {
  readonly #responses: Counter;
  readonly #opened: Counter;
  readonly #dropped: Counter;
  readonly #failedHandshakes: Counter;
  readonly #brokenLists: Counter;
  readonly #wsdlUnfollowed: Counter;
  readonly #certificate: Gauge;
  #open = 0;

  constructor(registry: Registry) {
    this.#responses = registry.add(
      new Counter(
        { name: "mailroll_http_responses", help: "HTTP answers by what was asked for and class of status." },
        parts.flatMap((part) => classes.map((status) => ({ part, status }))),
      ),
    );
    this.#opened = registry.add(
      new Counter({ name: "mailroll_connections_opened", help: "Connections that callers have opened." }),
    );
    this.#dropped = registry.add(
      new Counter({
        name: "mailroll_connections_dropped",
        help: "Connections that were closed: too many open, too many unread answers or too many pipelined requests.",
      }),
    );
    this.#failedHandshakes = registry.add(
      new Counter({
        name: "mailroll_tls_handshakes_failed",
        help: "Connections to HTTPS that ended before they were encrypted.",
      }),
    );
    const open = registry.add(
      new Gauge({ name: "mailroll_connections", help: "Connections that are open now." }),
    );
    this.#brokenLists = registry.add(
      new Counter({
        name: "mailroll_lists_broken",
        help: "Lists that were broken off in the middle, because the database went away.",
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
          help: "When the certificate that HTTPS is served with expires; in seconds since 1970.",
        },
        [{}],
        "max",
      ),
    );
    registry.before(() => open.set(this.#open));
  }

  answered(part: Part, status: number): void {
    const nth = Math.min(Math.max(Math.floor(status / 100) - 2, 0), classes.length - 1);
    this.#responses.add(1, parts.indexOf(part) * classes.length + nth);
  }
  listBroken(): void {
    this.#brokenLists.add();
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
  /** Gives back what to call at its end. */
  connected(): () => void {
    this.#opened.add();
    this.#open += 1;
    return () => {
      this.#open -= 1;
    };
  }
}
