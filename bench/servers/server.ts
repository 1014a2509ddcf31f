/** The interface of every measured server. */
import { setTimeout as delay } from "node:timers/promises";
import { membersIn } from "../data/sqlite.ts";
import { messages, PATH, resultIn } from "../messages.ts";
import type { RunningProgram } from "../processes.ts";

export interface Server {
  readonly name: string;
  /** The endpoint. */
  readonly url: string;
  /**
   * Whose CPU time a request costs: the server's processes and, where it is another program, the database's.
   */
  readonly working: readonly number[];
  /** Whose memory counts: the server's processes. */
  readonly own: readonly number[];
  /** How many members its lists have, by its database; null for a server that keeps nothing. */
  members(): Promise<number> | null;
  /** What it said last, once it has ended by itself; null while it runs. */
  lastWords(): string | null;
  stop(): Promise<void>;
}

export const endpointAt = (port: number): string => `http://127.0.0.1:${port}${PATH}`;

/** How a server of these programs ends: all of them, in this order. */
export const endOf = (...programs: readonly RunningProgram[]): Pick<Server, "lastWords" | "stop"> => ({
  lastWords: () => programs.find(({ hasEnded }) => hasEnded)?.lastWords ?? null,
  stop: async () => {
    for (const program of programs) await program.stop();
  },
});

export const ask = (url: string, message: string): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "Content-Type": "text/xml; charset=utf-8" }, body: message });

/** The text of a good answer. */
export async function post(url: string, message: string): Promise<string> {
  const response = await ask(url, message);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${text.slice(0, 300)}`);
  return text;
}

const START_WITHIN_MS = 20_000;

/** Resolves when the programs answer a call with a right answer. */
export async function isServing(
  name: string,
  url: string,
  ...programs: readonly RunningProgram[]
): Promise<void> {
  let problem = "";
  const said = (): string => [...new Set(programs.map(({ lastWords }) => lastWords))].join(" ");
  for (const deadline = Date.now() + START_WITHIN_MS; Date.now() < deadline; await delay(50)) {
    if (programs.some(({ hasEnded }) => hasEnded)) throw new Error(`${name} ended at its start: ${said()}`);
    try {
      const answer = await post(url, messages.probe);
      if (resultIn(answer, "Client.TestApiConnection") === "true") return;
      problem = answer.slice(0, 300);
    } catch (error) {
      problem = (error as Error).message;
    }
  }
  throw new Error(`${name} does not answer Client.TestApiConnection with true: ${problem}. ${said()}`);
}

/** A peer of one or several programs, which keeps everything in a SQLite file of its own. */
export async function servingFrom(
  database: string,
  name: string,
  port: number,
  ...programs: readonly RunningProgram[]
): Promise<Server> {
  const url = endpointAt(port);
  await isServing(name, url, ...programs);
  const pids = programs.map(({ pid }) => pid);
  return { name, url, working: pids, own: pids, members: () => membersIn(database), ...endOf(...programs) };
}
