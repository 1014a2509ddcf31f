/**
 * Where nodemailer's `SMTPConnection` trusts a relay more than Mailroll does. It is changed through parts
 * that its types do not show; the tests of relays fail if a new version has other ones.
 *
 * - It sends the message after any 2xx or 3xx reply to DATA. A relay that replies with 250 still reads
 *   commands, and a line of the message can be one. Only 354 asks for the message (RFC 5321, 4.3.2).
 * - With PIPELINING, DATA is sent before the reply to RCPT is known. If the relay refuses the recipient and
 *   takes DATA, nodemailer ends an empty message, which some relays deliver. The connection is closed
 *   instead: a message without its end is discarded.
 * - It reads a reply by its first line. If another line has another code, nobody knows which one counts.
 * - It takes a reply that came too early for the reply to the next command, or to the message. A relay that
 *   replies to what it has not read does not follow the protocol.
 * - It answers each 334 after the login was sent with an empty line, for as long as the relay likes.
 * - Its errors repeat what the relay said, also if that is our password.
 */
import { Buffer } from "node:buffer";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { hasOneCode } from "./reply.ts";
import { type Login, withoutLogin } from "./without-login.ts";

type Done<Result> = (error: Error | null, result?: Result) => void;
interface Inner {
  /** Replies that were not read yet, one character for each byte; the last one may be incomplete. */
  readonly _responseQueue: readonly string[];
  /** What to do with the replies to the commands that were sent. */
  readonly _responseActions: readonly unknown[];
  readonly _responsePartial: boolean;
  /** A line whose end is missing. */
  _remainder: string;
  /** The recipients of RCPT commands without a reply. Not before the first message. */
  readonly _recipientQueue?: readonly string[];
  _processResponse(): void;
  _onClose(): void;
  _onError(error: Error, type: string, response: string, command: string): void;
  _formatError(message: unknown, type: string, response: unknown, command: string): Error;
  _envelopeError(reply: string): Error | null;
  /** Of the mechanisms for a password, the reply to the last line. */
  _actionAUTHComplete(reply: string, done: Done<unknown>): void;
  _actionMAIL(reply: string, done: Done<unknown>): void;
  _actionRCPT(reply: string, done: Done<unknown>): void;
  _actionDATA(reply: string, done: Done<unknown>): void;
  _actionSMTPStream(reply: string, done: Done<string>): void;
}

const asksForMessage = (reply: string): boolean => /^354(?:[ -]|$)/.test(reply);
const decoded = (reply: string): string => Buffer.from(reply, "latin1").toString();
const repliesIn = ({ _responseQueue, _remainder }: Inner): readonly string[] =>
  [..._responseQueue, _remainder].filter((reply) => reply.trim() !== "").map(decoded);
/** The replies that wait although every command has its reply. An empty line is none. */
const earlyReplies = (inner: Inner): readonly string[] =>
  inner._responseActions.length > 0 ? [] : repliesIn(inner);
/** What the relay has sent and nobody has read yet, also if it is only the beginning of a reply. */
export const unreadReplies = (connection: SMTPConnection): readonly string[] =>
  repliesIn(connection as unknown as Inner);
const isRefusal = (reply: string): boolean => /^[45]\d\d(?:[ -]|$)/.test(reply);

export function makeStrict(connection: SMTPConnection, login: Login): void {
  const inner = connection as unknown as Inner;
  const usual = {
    _processResponse: inner._processResponse.bind(connection),
    _onClose: inner._onClose.bind(connection),
    _formatError: inner._formatError.bind(connection),
    _envelopeError: inner._envelopeError.bind(connection),
    _actionAUTHComplete: inner._actionAUTHComplete.bind(connection),
    _actionMAIL: inner._actionMAIL.bind(connection),
    _actionRCPT: inner._actionRCPT.bind(connection),
    _actionDATA: inner._actionDATA.bind(connection),
    _actionSMTPStream: inner._actionSMTPStream.bind(connection),
  };
  const hide = withoutLogin(login);
  const hidden = (words: unknown): unknown => (typeof words === "string" ? hide(words) : words);

  inner._formatError = (message, type, response, command) => {
    if (message instanceof Error) message.message = hide(message.message);
    return usual._formatError(hidden(message), type, hidden(response), command);
  };
  inner._processResponse = () => {
    const [reply = ""] = inner._responseQueue;
    if (hasOneCode(reply)) return usual._processResponse();
    const error = new Error("the lines of a reply have different codes");
    // It may be about this recipient only.
    const command = (inner._recipientQueue?.length ?? 0) > 0 ? "RCPT TO" : "CONN";
    inner._onError(error, "EPROTOCOL", decoded(reply), command);
  };
  inner._onClose = () => {
    // It would be read as a reply, without the lines before it.
    if (inner._responsePartial) inner._remainder = "";
    usual._onClose();
  };
  inner._actionAUTHComplete = (reply, done) => {
    if (!reply.startsWith("334")) return usual._actionAUTHComplete(reply, done);
    done(
      inner._formatError(
        "the relay asked for more than user and password; check which login methods it offers",
        "EAUTH",
        reply,
        "AUTH",
      ),
    );
  };
  inner._actionSMTPStream = (reply, done) => usual._actionSMTPStream(hide(reply), done);
  /** A refusal counts in any case: 421 may follow it at once. Otherwise nothing more is written. */
  const unlessEarly =
    (step: "MAIL FROM" | "RCPT TO" | "DATA", act: Inner["_actionDATA"]): Inner["_actionDATA"] =>
    (reply, done) => {
      const early = isRefusal(reply) ? [] : earlyReplies(inner);
      if (early.length === 0) return act(reply, done);
      const words = [reply, ...early].join("\n");
      const error = inner._formatError("the relay replied before it was asked", "EPROTOCOL", words, step);
      connection.close();
      done(error);
    };
  inner._actionMAIL = unlessEarly("MAIL FROM", usual._actionMAIL);
  inner._actionRCPT = unlessEarly("RCPT TO", usual._actionRCPT);
  inner._actionDATA = unlessEarly("DATA", (reply, done) => {
    if (isRefusal(reply)) return usual._actionDATA(reply, done);
    const refused = usual._envelopeError(reply);
    if (refused === null && asksForMessage(reply)) return usual._actionDATA(reply, done);
    const error =
      refused ?? inner._formatError("no permission to send the message", "EPROTOCOL", reply, "DATA");
    connection.close();
    done(error);
  });
}
