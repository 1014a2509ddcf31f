/**
 * A connection to an SMTP server: commands out, replies in, in the same order. It knows nothing of what the
 * commands mean. It trusts the relay with nothing:
 *
 * - Lines and replies are bounded, and a reply whose lines have different codes ends the connection.
 * - What arrives before the command that it would be a reply to is no reply. It ends the connection, so that
 *   it cannot be taken for the reply to the next command, also not over STARTTLS.
 * - After 421 the relay closes the connection (RFC 5321, 4.2.1), and nothing more is written.
 *
 * How a connection ended is one value, which every command without a reply gets. Nothing here ever rejects.
 */
import type { Socket } from "node:net";
import { type ConnectionOptions, connect } from "node:tls";
import { type Login, type Reply, ReplyReader, withoutLogin } from "./reply.ts";

/** Why a connection has ended. `relay failed`: the relay is silent, or does not follow the protocol. */
export interface Failure {
  readonly kind: "relay failed" | "lost";
  readonly text: string;
}
export type Answer = Reply | Failure;
export const isFailure = (answer: Answer): answer is Failure => "kind" in answer;
export const isPositive = (answer: Answer): boolean =>
  !isFailure(answer) && answer.code >= 200 && answer.code < 300;

interface Waiting {
  readonly give: (answer: Answer) => void;
  /** Whether the reply counts although another one follows it at once. */
  readonly isLast: boolean;
}

/** Several addresses of one host fail with an error that has no text of its own. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorText).join("; ");
  return error instanceof Error ? error.message : String(error);
}
const lost = (text: string): Failure => ({ kind: "lost", text });

export class SmtpConnection {
  /** Takes the password out of the relay's words. */
  readonly hide: (words: string) => string;
  readonly #waiting: Waiting[] = [];
  #reader = new ReplyReader();
  #socket: Socket;
  #failure: Failure | null = null;

  constructor(socket: Socket, login: Login) {
    this.hide = withoutLogin(login);
    this.#socket = socket;
    this.#listen(socket);
  }

  /** null: it is open. */
  get failure(): Failure | null {
    return this.#failure;
  }
  /** What has arrived of a reply that is not complete. */
  get unread(): string {
    return this.hide(this.#reader.unread);
  }

  /** Ends it at once: nothing more is written, not even what waits in the socket. */
  end(failure: Failure): void {
    if (this.#failure !== null) return;
    this.#failure = failure;
    for (const { give } of this.#waiting.splice(0)) give(failure);
    this.#socket.destroy();
  }

  ask(command: string): Promise<Answer> {
    const answer = this.nextReply();
    this.write(`${command}\r\n`);
    return answer;
  }
  /** Sends commands in one packet, and waits for the reply to each of them (PIPELINING, RFC 2920). */
  askAll(commands: readonly string[]): readonly Promise<Answer>[] {
    const answers = commands.map(() => this.nextReply());
    this.write(...commands.map((command) => `${command}\r\n`));
    return answers;
  }
  /** Waits for a reply to what is not written as a command. `isLast`: nothing is written after it. */
  nextReply(isLast = false): Promise<Answer> {
    if (this.#failure !== null) return Promise.resolve(this.#failure);
    return new Promise((give) => this.#waiting.push({ give, isLast }));
  }

  write(...parts: readonly (string | Uint8Array)[]): void {
    if (this.#failure !== null) return;
    this.#socket.cork();
    for (const part of parts) this.#socket.write(part);
    this.#socket.uncork();
  }
  /** When the socket has passed on what was written. It waits for ever if the connection ends before. */
  passedOn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#socket.writableNeedDrain) this.#socket.once("drain", resolve);
    else resolve();
    return promise;
  }

  /** Says goodbye. */
  async quit(ms: number): Promise<void> {
    const timer = setTimeout(() => this.end(lost("no reply to QUIT")), ms);
    const socket = this.#socket.once("close", () => clearTimeout(timer));
    await this.ask("QUIT");
    socket.end();
  }

  /** The rest of the connection is encrypted. Of what was read before, nothing is left. */
  async startTls(options: ConnectionOptions): Promise<Failure | null> {
    if (this.#failure !== null) return this.#failure;
    const { promise, resolve } = Promise.withResolvers<void>();
    try {
      this.#socket = connect({ ...options, socket: this.#socket }, resolve);
    } catch (error) {
      this.end(lost(`Error initiating TLS - ${errorText(error)}`));
      return this.#failure;
    }
    this.#reader = new ReplyReader();
    this.#listen(this.#socket);
    this.#socket.once("close", resolve);
    await promise;
    return this.#failure;
  }

  /** The plain socket below TLS is not listened to: all of it happens to the encrypted one, too. */
  #listen(socket: Socket): void {
    const ifCurrent =
      <Values extends unknown[]>(act: (...values: Values) => void) =>
      (...values: Values): void => {
        if (socket === this.#socket && this.#failure === null) act(...values);
      };
    socket.on(
      "data",
      ifCurrent((chunk: Buffer) => this.#read(chunk)),
    );
    // It stays: an error of a socket without such a listener would end the process.
    socket.on(
      "error",
      ifCurrent((error: Error) => this.end(lost(this.hide(errorText(error))))),
    );
    const closed = ifCurrent(() => this.#close());
    socket.once("end", closed);
    socket.once("close", closed);
  }

  #read(chunk: Buffer): void {
    const replies = this.#reader.read(chunk);
    for (const [index, reply] of replies.entries()) {
      const { code, words, problem } = reply;
      if (problem !== null) return this.#break(problem, [words]);
      const [next] = this.#waiting;
      if (next === undefined) return this.#break("Unexpected Response", [words]);
      // A refusal counts in any case: 421 may follow it at once.
      if (this.#waiting.length === 1 && code < 400 && !next.isLast) {
        const others = [...replies.slice(index + 1).map((other) => other.words), this.#reader.unread];
        const early = others.filter((other) => other !== "");
        if (early.length > 0) return this.#break("the relay replied before it was asked", [words, ...early]);
      }
      this.#waiting.shift();
      next.give(reply);
      if (code === 421) return this.end(lost("Server closed the connection"));
    }
    if (this.#waiting.length === 0 && this.#reader.unread !== "")
      this.#break("Unexpected Response", [this.#reader.unread]);
  }
  #break(problem: string, words: readonly string[]): void {
    this.end({ kind: "relay failed", text: this.hide(`${problem}: ${words.join("\n")}`) });
  }
  #close(): void {
    const refusal = this.#reader.readRefusal();
    if (refusal !== null) this.#waiting.shift()?.give(refusal);
    this.end(lost("Connection closed unexpectedly"));
  }
}
