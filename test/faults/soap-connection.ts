/** SOAP calls over keep-alive connections, a given number at a time, with the exact result of each. */
import { Agent, request } from "node:http";
import { KEY } from "../service.ts";
import type { Answer, Call } from "./call-history.ts";

/** Far more than any call may take. */
const SILENCE_MS = 20_000;

const operations = {
  add: "Subscriber.Add",
  "add-named": "Subscriber.AddwithBasicandCustoms",
  remove: "Subscriber.Remove",
  unsubscribe: "Subscriber.Unsubscribe",
} as const satisfies Record<Call["kind"], string>;

/** Parameters in the order of the contract. The addresses and names need no escapes. */
function message(origin: string, call: Call, address: string): string {
  const operation = operations[call.kind];
  const list = "list" in call ? `<SubscribersListID>${call.list}</SubscribersListID>` : "";
  const name = call.kind === "add-named" ? `<FirstName>${call.name}</FirstName>` : "";
  return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${operation} xmlns="${origin}"><APIKey>${KEY}</APIKey>${list}${name}<EMail>${address}</EMail></${operation}></s:Body></s:Envelope>`;
}

export class SoapConnection {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Rejects if the answer is not one that a caller may get, or if there is none. */
  call(origin: string, call: Call, address: string): Promise<Answer> {
    const body = message(origin, call, address);
    return new Promise((resolve, reject) => {
      const sent = request(
        `${origin}/default.asmx`,
        {
          agent: this.#agent,
          method: "POST",
          headers: { "Content-Type": "text/xml; charset=utf-8", "Content-Length": Buffer.byteLength(body) },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (piece: string) => {
            text += piece;
          });
          response.on("error", () => resolve("unknown"));
          response.on("end", () => {
            const answer = read(text);
            if (answer === null) reject(new Error(`${call.kind} was answered with ${text}`));
            else resolve(answer);
          });
        },
      );
      sent.setTimeout(SILENCE_MS, () => {
        reject(new Error(`${call.kind} of ${address} was not answered within ${SILENCE_MS / 1000} s`));
        sent.destroy();
      });
      sent.on("error", (error: NodeJS.ErrnoException) =>
        resolve(error.code === "ECONNREFUSED" ? "not-taken" : "unknown"),
      );
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function read(text: string): Answer | null {
  const [, byte] = /Result>(\d+)<\//.exec(text) ?? [];
  if (byte !== undefined) return { byte: Number(byte) };
  const [, code] = /<code>(\w+)<\/code>/.exec(text) ?? [];
  if (code === "Unavailable") return "unknown";
  return code === "Throttled" ? "not-taken" : null;
}
