/**
 * The CPU time that this process needs to read a message with the code of the service: from its bytes to the
 * input of a handler. The work must be linear in the bytes. Twice the size may cost at most three times as
 * much, and a byte of one message at most three times a byte of another.
 */
import type { IncomingMessage } from "node:http";
import { Addresses } from "#asmx/addresses.ts";
import { Fault } from "#contract/faults.ts";
import { contract } from "#contract/operations.ts";
import type { Handlers, Service } from "#contract/service.ts";
import { BodyBuffer } from "#http/body/body.ts";
import { Dispatcher, type SoapCaller } from "#soap/dispatch.ts";
import { parseMediaType } from "#soap/request/media-type.ts";
import { described, type LongMessage, messageOf, type Shape } from "./long-shapes.ts";

const MIB = 1024 ** 2;
const RUNS = 5;
const ATTEMPTS = 5;
const MAX_GROWTH = 3;
const MAX_TIMES_PLAIN = 3;

export interface Cost {
  readonly shape: string;
  readonly msPerMib: number;
  /** The cost of twice the size, divided by the cost of the size. */
  readonly growth: number;
}

const namespace = "http://mailroll.example";
const target = { namespace, key: "0123456789ABCDEF0123456789ABCDEF" };

export class ReadingCost {
  readonly #dispatcher: Dispatcher<SoapCaller>;
  readonly #namespaces = new Addresses({ baseUrl: namespace, namespaces: [], scheme: "http" }).of(
    {} as IncomingMessage,
  );

  constructor() {
    const refuse = async (): Promise<never> => {
      throw new Fault("InvalidApiKey", "Nothing is carried out here.");
    };
    const handlers = Object.fromEntries(Object.keys(contract.operations).map((name) => [name, refuse]));
    this.#dispatcher = new Dispatcher<SoapCaller>(contract, {
      handlers: handlers as Handlers<Service, SoapCaller>,
      onDefect: (error) => {
        throw error;
      },
    });
  }

  /** In milliseconds per MiB: the least of `runs` runs, or the first that is at most `enough`. */
  async least(shape: Shape, size: number, runs: number, enough = 0): Promise<number> {
    const message = messageOf(shape, size, target);
    let cost = Number.POSITIVE_INFINITY;
    for (let run = 0; run < runs && cost > enough; run += 1) cost = Math.min(cost, await this.#once(message));
    return cost;
  }

  /**
   * Compares a message of that size with one of twice that size. What seems too much is measured again: a
   * machine that others share can be slower for a while.
   */
  async of(shape: Shape, size: number): Promise<Cost> {
    let [msPerMib, twice] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      msPerMib = Math.min(msPerMib, await this.least(shape, size, RUNS));
      twice = Math.min(twice, await this.least(shape, 2 * size, RUNS));
      if ((2 * twice) / msPerMib <= MAX_GROWTH) break;
    }
    return { shape: described(shape), msPerMib, growth: (2 * twice) / msPerMib };
  }

  async #once({ body, contentType, soapAction }: LongMessage): Promise<number> {
    const buffer = new BodyBuffer();
    buffer.add(body);
    const chunks = buffer.chunks();
    const namespaces = this.#namespaces;
    const request = { mediaType: parseMediaType(contentType), soapAction, chunks, namespaces };
    const before = process.cpuUsage();
    await this.#dispatcher.respond(request, { client: "client", isGone: false, account: null });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / (body.length / MIB);
  }
}

/**
 * Why the cost is too high, compared with small elements, which any message can contain in numbers; otherwise
 * null.
 */
export function tooMuch({ shape, msPerMib, growth }: Cost, plainMsPerMib: number): string | null {
  if (growth > MAX_GROWTH) return `twice the size costs ${growth.toFixed(1)} times as much: ${shape}`;
  if (msPerMib > MAX_TIMES_PLAIN * plainMsPerMib)
    return `a MiB costs ${Math.round(msPerMib)} ms, and ${Math.round(plainMsPerMib)} ms of small elements: ${shape}`;
  return null;
}
