/**
 * What a message costs to be read, in processor time of this process, by the code that reads it in the
 * service: from its bytes to the input of a handler. The work is to be linear in the bytes: twice the size
 * may not cost more than three times as much, nor a byte of one message more than three times that of
 * another.
 */
import type { IncomingMessage } from "node:http";
import { Addresses } from "../../src/asmx/addresses.ts";
import { Fault } from "../../src/contract/faults.ts";
import { contract } from "../../src/contract/operations.ts";
import type { Handlers, Service } from "../../src/contract/service.ts";
import { BodyBuffer } from "../../src/http/body-buffer.ts";
import { Dispatcher } from "../../src/soap/dispatch.ts";
import { described, type LongMessage, messageOf, type Shape } from "./long-shapes.ts";

const MIB = 1024 ** 2;
const RUNS = 5;
const MOST_GROWTH = 3;
const MOST_TIMES_PLAIN = 3;

export interface Cost {
  readonly shape: string;
  readonly msPerMib: number;
  /** How many times as much twice the size costs. */
  readonly growth: number;
}

const namespace = "http://mailroll.example";
const target = { namespace, key: "0123456789ABCDEF0123456789ABCDEF" };

export class ReadingCost {
  readonly #dispatcher: Dispatcher<null>;
  readonly #namespaces = new Addresses({ baseUrl: namespace, namespaces: [], scheme: "http" }).of(
    {} as IncomingMessage,
  );

  constructor() {
    const refuse = async (): Promise<never> => {
      throw new Fault("InvalidApiKey", "Nothing is carried out here.");
    };
    const handlers = Object.fromEntries(Object.keys(contract.operations).map((name) => [name, refuse]));
    this.#dispatcher = new Dispatcher<null>(contract, {
      handlers: handlers as Handlers<Service, null>,
      isKnownCaller: () => false,
      onDefect: (error) => {
        throw error;
      },
    });
  }

  /** In milliseconds for a MiB: the least of so many runs, or the first that is not above `enough`. */
  async least(shape: Shape, size: number, runs: number, enough = 0): Promise<number> {
    const message = messageOf(shape, size, target);
    let cost = Number.POSITIVE_INFINITY;
    for (let run = 0; run < runs && cost > enough; run += 1) cost = Math.min(cost, await this.#once(message));
    return cost;
  }

  /** How a message of that size compares with one of twice that size. */
  async of(shape: Shape, size: number): Promise<Cost> {
    const msPerMib = await this.least(shape, size, RUNS);
    const twice = await this.least(shape, 2 * size, RUNS);
    return { shape: described(shape), msPerMib, growth: (2 * twice) / msPerMib };
  }

  async #once({ body, contentType, soapAction }: LongMessage): Promise<number> {
    const buffer = new BodyBuffer();
    buffer.add(body);
    const chunks = buffer.chunks();
    const namespaces = this.#namespaces;
    const alone = { isGone: () => false, clientOf: () => "client" };
    const request = { contentType, soapAction, chunks, inflated: null, namespaces, ...alone };
    const before = process.cpuUsage();
    await this.#dispatcher.respond(request, null);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / (body.length / MIB);
  }
}

/**
 * What is too much about it, beside what small elements cost, of which there can be many in any message; else
 * null.
 */
export function tooMuch({ shape, msPerMib, growth }: Cost, plainMsPerMib: number): string | null {
  if (growth > MOST_GROWTH) return `twice the size costs ${growth.toFixed(1)} times as much: ${shape}`;
  if (msPerMib > MOST_TIMES_PLAIN * plainMsPerMib)
    return `a MiB costs ${Math.round(msPerMib)} ms, and ${Math.round(plainMsPerMib)} ms of small elements: ${shape}`;
  return null;
}
