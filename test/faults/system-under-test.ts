/** The system under test: the real program with its own database, and callers that record every answer. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Installation, type Served } from "../cli/program.ts";
import { KEY } from "../service.ts";
import { Callers } from "./callers.ts";
import { verify } from "./verify.ts";

/** How long the service may take to resume after a fault has ended. */
const RESUME_MS = 30_000;

export class SystemUnderTest {
  readonly #installation = new Installation();
  readonly #env: Readonly<Record<string, string>>;
  readonly database: string;
  readonly callers: Callers;

  private constructor(database: string | null, connections: number) {
    this.database = database ?? `sqlite:${this.#installation.database}`;
    this.#env = { MAILROLL_DATABASE: this.database, MAILROLL_API_KEY: KEY };
    this.callers = new Callers(connections, [1, 2]);
  }

  /** On a SQLite file if no address is given. */
  static async make(database: string | null, connections: number): Promise<SystemUnderTest> {
    const site = new SystemUnderTest(database, connections);
    // The first start creates the account and a list; the callers need a second one.
    const served = await site.serve();
    await served.stop();
    const { code, err } = await site.run("list", "create", "Second");
    assert.equal(code, 0, err);
    return site;
  }

  serve(): Promise<Served> {
    return this.#installation.serve([], this.#env);
  }

  run(...words: readonly string[]) {
    return this.#installation.run(words, { env: this.#env });
  }

  /** Kills the program while it starts. */
  async serveAndKill(afterMs: number): Promise<void> {
    const child = this.#installation.start(["serve", "--port", "0", "--log", "silent"], this.#env);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await delay(afterMs);
    child.kill("SIGKILL");
    await ended;
  }

  /** Checks that the database matches what the callers know, and that `mailroll doctor` finds nothing. */
  async verify(): Promise<void> {
    await verify(this.database, this.callers);
    const { code, out, err } = await this.run("doctor");
    assert.equal(code, 0, `the doctor is not content:\n${out}${err}`);
  }

  /** Waits until calls succeed again without intervention. */
  async serves(seed: number, origins: readonly string[]): Promise<void> {
    const run = this.callers.start(seed, origins);
    const since = performance.now();
    const enough = 500;
    while (run.tally.acknowledged < enough && performance.now() - since < RESUME_MS) await delay(20);
    await run.stop();
    assert.ok(run.tally.acknowledged >= enough, `only ${run.tally.acknowledged} calls were acknowledged`);
  }

  async remove(): Promise<void> {
    this.callers.close();
    await this.#installation.remove();
  }
}

export const originOf = ({ endpoint }: Served): string => new URL(endpoint).origin;
