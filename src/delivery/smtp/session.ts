/** One connection to a relay, for one message after the other. */
import { domainToASCII } from "node:url";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { HandOver, OutgoingMessage } from "#domain/sending/hand-over.ts";
import { abandon, errorText, openConnection, type Refused, type SmtpAddress } from "./connection.ts";
import { exchange } from "./exchange.ts";
import type { SmtpSettings, SmtpTimeouts } from "./settings.ts";

const QUIT_MS = 2000;

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** A domain that is not ASCII has another form that is. */
function asciiDomain(address: string): string {
  if (isAscii(address)) return address;
  const at = address.lastIndexOf("@");
  return address.slice(0, at + 1) + domainToASCII(address.slice(at + 1));
}

/** A part of nodemailer that its types do not show. */
interface CommandSender {
  _sendCommand(command: string, shown?: string): void;
}

export class SmtpSession {
  readonly #connection: SMTPConnection;
  readonly #offersSmtpUtf8: boolean;
  readonly #timeouts: SmtpTimeouts;
  #announcesSmtpUtf8 = false;
  #messages = 0;
  #hasEnded = false;
  #loss = "the relay closed the connection";
  #lose: ((text: string) => void) | null = null;

  private constructor(connection: SMTPConnection, offersSmtpUtf8: boolean, timeouts: SmtpTimeouts) {
    this.#connection = connection;
    this.#offersSmtpUtf8 = offersSmtpUtf8;
    this.#timeouts = timeouts;
    connection.on("error", (error) => {
      this.#loss = errorText(error);
    });
    connection.once("end", () => {
      this.#hasEnded = true;
      // nodemailer reports the error of a message, if there is one, right after the end.
      queueMicrotask(() => this.#lose?.(this.#loss));
    });
    this.#announceSmtpUtf8();
  }

  static async open(
    address: SmtpAddress,
    settings: SmtpSettings,
    signal: AbortSignal | null = null,
  ): Promise<SmtpSession | Refused> {
    const opened = await openConnection(address, settings, signal);
    return "kind" in opened
      ? opened
      : new SmtpSession(opened.connection, opened.offersSmtpUtf8, settings.timeouts);
  }

  /** nodemailer announces SMTPUTF8 for addresses of the envelope only. A header can need it, too. */
  #announceSmtpUtf8(): void {
    const sender = this.#connection as unknown as CommandSender;
    const send = sender._sendCommand.bind(this.#connection);
    sender._sendCommand = (command, shown) => {
      const isMissing =
        this.#announcesSmtpUtf8 && command.startsWith("MAIL FROM:") && !/ SMTPUTF8\b/.test(command);
      send(isMissing ? `${command} SMTPUTF8` : command, shown);
    };
  }

  /** How many messages it was used for. */
  get messages(): number {
    return this.#messages;
  }
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** One at a time. Never rejects, and always comes to an end. */
  async send(message: OutgoingMessage): Promise<HandOver> {
    const from = asciiDomain(message.envelope.from);
    const to = asciiDomain(message.envelope.to);
    const needsSmtpUtf8 = message.needsSmtpUtf8 || !isAscii(from + to);
    if (needsSmtpUtf8 && !this.#offersSmtpUtf8) return { kind: "needs SMTPUTF8" };
    this.#announcesSmtpUtf8 = needsSmtpUtf8;
    this.#messages += 1;
    const envelope = { from, to: [to], size: message.bytes.byteLength, use8BitMime: needsSmtpUtf8 };
    const { outcome, lose } = exchange(this.#connection, envelope, message.bytes, this.#timeouts);
    this.#lose = lose;
    const result = await outcome;
    this.#lose = null;
    return result;
  }

  /** Ends a transaction that was rejected, so that the next message can begin. False: it cannot. */
  reset(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), this.#timeouts.envelope);
    this.#lose = () => resolve(false);
    this.#connection.reset((error) => resolve(error === null));
    return promise.finally(() => {
      clearTimeout(timer);
      this.#lose = null;
    });
  }

  /** Says goodbye; the relay has two seconds for its reply. */
  quit(): void {
    if (this.#hasEnded) return;
    const timer = setTimeout(() => this.end(), QUIT_MS);
    this.#connection.once("end", () => clearTimeout(timer));
    this.#connection.quit();
  }

  /** At once. A message on its way is lost. */
  end(): void {
    abandon(this.#connection);
  }
}
