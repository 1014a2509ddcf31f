/**
 * The real program as a child, with a folder and a database of its own and nothing of the tester's
 * environment. A start costs, so calls whose refusal matters more than their process may run here in the
 * test's own.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { openStore } from "#app/database.ts";
import { runCommandLine } from "#cli/command-line.ts";
import { asTyped } from "#shipped.ts";
import { sendRequest } from "../send-request.ts";
import { OpenStores } from "./open-stores.ts";

/** That of this clone, or a built one, which `npm run test:installed` names. */
export const program =
  process.env.TEST_PROGRAM ?? fileURLToPath(new URL("../../bin/mailroll", import.meta.url));
const DEADLINE_MS = 30_000;

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
type Env = Readonly<Record<string, string>>;

export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), "mailroll-cli-"));
  readonly database = join(this.folder, "data", "m.db");
  readonly #servers: Served[] = [];
  readonly #started: ChildProcess[] = [];
  readonly #stores: OpenStores | null;

  /**
   * `keepsOpen`: the commands of `runHere` share a store that stays open. It is for tests that change the
   * database by commands only; opening takes longer than a command.
   */
  constructor({ keepsOpen = false }: { readonly keepsOpen?: boolean } = {}) {
    this.#stores = keepsOpen ? new OpenStores() : null;
  }

  /** Runs a command to its end; `input` is what it reads from standard input. */
  async run(
    words: readonly string[],
    { env = {}, input = "" }: { env?: Env; input?: string } = {},
  ): Promise<Ran> {
    const child = this.#spawn(words, env);
    const output = collect(child);
    child.stdin?.end(input);
    const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
    const code = await ended(child);
    clearTimeout(deadline);
    return { code, ...output };
  }

  /**
   * A command that is still running when it is given back; whatever comes of it, it ends with the
   * installation.
   */
  start(words: readonly string[], env: Env = {}): ChildProcess {
    const child = this.#spawn(words, env);
    this.#started.push(child);
    return child;
  }

  /**
   * As `run`, without a process, which takes a third of the time; nobody is there to be asked, or answers
   * with `confirm`, and types `secret` if asked for one.
   */
  async runHere(
    words: readonly string[],
    confirm: boolean | null = null,
    env: Env = {},
    secret: () => Promise<string | null> = async () => null,
  ): Promise<Ran> {
    const output = { out: "", err: "" };
    const code = await runCommandLine(words, {
      out: (text) => {
        output.out += text;
      },
      err: (text) => {
        output.err += text;
      },
      env: { MAILROLL_DATABASE: `sqlite:${this.database}`, ...env },
      folder: this.folder,
      openStore: this.#stores?.open ?? openStore,
      confirm: async (question) => {
        output.err += confirm === null ? "" : `${question}\n`;
        return confirm;
      },
      askSecret: secret,
    });
    // What users read names commands as they are called in a clone.
    for (const text of Object.values(output)) assert.equal(text, asTyped(text));
    return { code, ...output };
  }

  /** As `runHere`, for a command that reads standard input; one at a time. */
  async runHereOn(input: string, words: readonly string[]): Promise<Ran> {
    const ofProcess = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
    Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([input]) });
    try {
      return await this.runHere(words);
    } finally {
      Object.defineProperty(process, "stdin", ofProcess);
    }
  }

  /** What a command that must succeed prints. */
  readonly output = async (...words: readonly string[]): Promise<string> => {
    const { code, out, err } = await this.runHere(words);
    if (code !== 0) throw new Error(`mailroll ${words.join(" ")} ended with ${code}: ${err}${out}`);
    return out;
  };

  /** The one JSON document that a command which must succeed prints. */
  async json<Document>(...words: readonly string[]): Promise<Document> {
    return JSON.parse(await this.output(...words, "--json")) as Document;
  }

  /** Silent, on a free port, unless the variables want it otherwise. */
  async serve(words: readonly string[] = [], env: Env = {}): Promise<Served> {
    const child = this.#spawn(["serve", ...words], { MAILROLL_PORT: "0", MAILROLL_LOG: "silent", ...env });
    const served = new Served(child);
    this.#servers.push(served);
    await served.started;
    return served;
  }

  async remove(): Promise<void> {
    for (const child of this.#started) child.kill("SIGKILL");
    await this.#stores?.close();
    await Promise.all(this.#servers.map((served) => served.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(words: readonly string[], env: Env): ChildProcess {
    return spawn(program, words, {
      cwd: this.folder,
      env: {
        PATH: process.env.PATH,
        HOME: this.folder,
        MAILROLL_DATABASE: `sqlite:${this.database}`,
        ...forCoverage(),
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
  }
}

/** The service in a folder, with nothing set but the port and these variables. */
export async function startProgram(folder: string, env: Env = {}): Promise<Served> {
  const child = spawn(program, ["serve"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, MAILROLL_PORT: "0", ...env },
  });
  const served = new Served(child);
  await served.started;
  return served;
}

export class Served {
  readonly started: Promise<void>;
  endpoint = "";
  /** What it has said so far, on standard output and error. */
  readonly output: { readonly out: string; readonly err: string };
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = ended(child);
    const output = collect(child);
    this.output = output;
    this.started = new Promise((resolve, reject) => {
      child.stdout?.on("data", () => {
        const [found] = /https?:\/\/\S+\/default\.asmx(?=\n)/.exec(output.out) ?? [];
        if (found === undefined) return;
        this.endpoint = found;
        resolve();
      });
      this.#ended.then((code) => reject(new Error(`the server ended with ${code}: ${output.err}`)), reject);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }
  get origin(): string {
    return new URL(this.endpoint).origin;
  }
  /** The processes that it has started itself, by their ids. */
  get children(): readonly number[] {
    const ids = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, "utf8").trim();
    return ids === "" ? [] : ids.split(" ").map(Number);
  }

  /** The first that there is. */
  killChild(signal: NodeJS.Signals = "SIGKILL"): void {
    const [child] = this.children;
    if (child === undefined) throw new Error("it has started no process");
    process.kill(child, signal);
  }

  /** Its exit code. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }
  /** Its exit code. */
  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.#child.kill(signal);
    return this.#ended;
  }

  /**
   * With -9, so that nothing can be finished. By another process: the caller's own gets to it only between
   * its calls, which is when the server is done with them.
   */
  async kill(afterMs = 0): Promise<void> {
    spawn("sh", ["-c", `sleep ${afterMs / 1000}; kill -9 ${this.#child.pid}`], { stdio: "ignore" });
    await this.#ended;
  }

  /** The result of an operation, as the XML that it is. */
  async call(operation: string, parameters: Readonly<Record<string, string | number>>): Promise<string> {
    const namespace = new URL(this.endpoint).origin;
    const body = Object.entries(parameters).map(([name, value]) => `<${name}>${value}</${name}>`);
    const { body: text } = await sendRequest(this.endpoint, {
      method: "POST",
      headers: { "Content-Type": "text/xml; charset=utf-8", SOAPAction: `"${namespace}/${operation}"` },
      body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${operation} xmlns="${namespace}">${body.join("")}</${operation}></s:Body></s:Envelope>`,
    });
    const form = `<${operation}Result(?: />|[^>]*>(.*)</${operation}Result>)`;
    const found = new RegExp(form, "s").exec(text);
    if (found === null) throw new Error(`${operation} was answered with ${text}`);
    return found[1] ?? "";
  }
}

/** What `npm run coverage` tells the processes of the tests. */
function forCoverage(): Env {
  const { NODE_V8_COVERAGE, NODE_DISABLE_COMPILE_CACHE = "" } = process.env;
  return NODE_V8_COVERAGE === undefined ? {} : { NODE_V8_COVERAGE, NODE_DISABLE_COMPILE_CACHE };
}

function collect(child: ChildProcess): { out: string; err: string } {
  const output = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    output.out += piece;
  });
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    output.err += piece;
  });
  return output;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}
