/**
 * Where nodemailer's `SMTPConnection` trusts a relay more than Mailroll does. It is changed through parts
 * that its types do not show; the tests of relays fail if a new version has other ones.
 *
 * - It sends the message after any 2xx or 3xx reply to DATA. A relay that replies with 250 still reads
 *   commands, and a line of the message can be one. Only 354 asks for the message (RFC 5321, 4.3.2).
 * - With PIPELINING, DATA is sent before the reply to RCPT is known. If the relay refuses the recipient and
 *   takes DATA, nodemailer ends an empty message, which some relays deliver. The connection is closed
 *   instead: a message without its end is discarded.
 */
import type SMTPConnection from "nodemailer/lib/smtp-connection";

type Done<Result> = (error: Error | null, result?: Result) => void;
interface Inner {
  _formatError(message: unknown, type: string, response: unknown, command: string): Error;
  _envelopeError(reply: string): Error | null;
  _actionDATA(reply: string, done: Done<unknown>): void;
}

const asksForMessage = (reply: string): boolean => /^354(?:[ -]|$)/.test(reply);
const isRefusal = (reply: string): boolean => /^[45]\d\d(?:[ -]|$)/.test(reply);

export function makeStrict(connection: SMTPConnection): void {
  const inner = connection as unknown as Inner;
  const usual: Pick<Inner, "_envelopeError" | "_actionDATA"> = {
    _envelopeError: inner._envelopeError.bind(connection),
    _actionDATA: inner._actionDATA.bind(connection),
  };
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
