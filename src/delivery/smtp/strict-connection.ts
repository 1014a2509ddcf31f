/**
 * Where nodemailer's `SMTPConnection` trusts a relay more than Mailroll does. It is changed through parts
 * that its types do not show; the tests of relays fail if a new version has other ones.
 *
 * - It sends the message after any 2xx or 3xx reply to DATA. A relay that replies with 250 still reads
 *   commands, and a line of the message can be one. Only 354 asks for the message (RFC 5321, 4.3.2).
 * - With PIPELINING, DATA is sent before the reply to RCPT is known. If the relay refuses the recipient and
 *   takes DATA, nodemailer ends an empty message, which some relays deliver. The connection is closed
 *   instead: a message without its end is discarded.
 * - Its errors repeat what the relay said, also if that is our password.
 */
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { type Login, withoutLogin } from "./without-login.ts";

type Done<Result> = (error: Error | null, result?: Result) => void;
interface Inner {
  _formatError(message: unknown, type: string, response: unknown, command: string): Error;
  _envelopeError(reply: string): Error | null;
  _actionDATA(reply: string, done: Done<unknown>): void;
  _actionSMTPStream(reply: string, done: Done<string>): void;
}

const asksForMessage = (reply: string): boolean => /^354(?:[ -]|$)/.test(reply);
const isRefusal = (reply: string): boolean => /^[45]\d\d(?:[ -]|$)/.test(reply);

export function makeStrict(connection: SMTPConnection, login: Login): void {
  const inner = connection as unknown as Inner;
  const usual: Inner = {
    _formatError: inner._formatError.bind(connection),
    _envelopeError: inner._envelopeError.bind(connection),
    _actionDATA: inner._actionDATA.bind(connection),
    _actionSMTPStream: inner._actionSMTPStream.bind(connection),
  };
  const hide = withoutLogin(login);
  const hidden = (words: unknown): unknown => (typeof words === "string" ? hide(words) : words);

  inner._formatError = (message, type, response, command) => {
    if (message instanceof Error) message.message = hide(message.message);
    return usual._formatError(hidden(message), type, hidden(response), command);
  };
  inner._actionSMTPStream = (reply, done) => usual._actionSMTPStream(hide(reply), done);
  inner._actionDATA = (reply, done) => {
    if (isRefusal(reply)) return usual._actionDATA(reply, done);
    const refused = usual._envelopeError(reply);
    if (refused === null && asksForMessage(reply)) return usual._actionDATA(reply, done);
    const error =
      refused ?? inner._formatError("no permission to send the message", "EPROTOCOL", reply, "DATA");
    connection.close();
    done(error);
  };
}
