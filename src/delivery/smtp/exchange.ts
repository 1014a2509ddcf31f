/**
 * One message on a connection: MAIL, RCPT, DATA, the bytes and the final dot. It knows whether the dot was
 * written, and so whether the relay can have accepted the message if the connection is lost.
 *
 * How it knows: nodemailer asks the message to write itself, by `pipe`, when the relay has replied to DATA
 * with 354 (strict-connection.ts). The message is written first; a long one until the socket has passed it
 * on. Then `isDotWritten` is set, and then the dot is written. Until then no dot can have left; from then on
 * one may have. A connection that was abandoned writes nothing more.
 */
import type { Readable, Transform } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { HandOver, SmtpStage } from "../../domain/sending/hand-over.ts";
import { abandon, errorText, replyIn, type SmtpError } from "./connection.ts";
import { writeMessage } from "./message-writer.ts";
import { cleanText, parseReply } from "./reply.ts";
import type { SmtpTimeouts } from "./settings.ts";

/** nodemailer notes in it which recipients were accepted. */
interface TrackedEnvelope {
  readonly from: string;
  readonly to: string[];
  readonly size: number;
  readonly use8BitMime: boolean;
  accepted?: readonly string[];
  rejected?: readonly string[];
}

export interface Exchange {
  readonly outcome: Promise<HandOver>;
  /** The connection has ended. */
  readonly lose: (text: string) => void;
}

const unreadable = (reply: string): string => `the reply to the message cannot be read: ${reply}`;

/**
 * Never rejects, and always comes to an end. Of a connection that cannot be used any more, nothing is left.
 */
export function exchange(
  connection: SMTPConnection,
  envelope: TrackedEnvelope,
  bytes: Uint8Array,
  timeouts: SmtpTimeouts,
): Exchange {
  const { promise: outcome, resolve } = Promise.withResolvers<HandOver>();
  let isDataAccepted = false;
  let isDotWritten = false;
  let isSettled = false;
  let timer = setTimeout(() => giveUp("the envelope", timeouts.envelope), timeouts.envelope);

  const stage = (): SmtpStage => {
    if (isDotWritten) return "dot";
    if (isDataAccepted || (envelope.accepted?.length ?? 0) > 0) return "data";
    return (envelope.rejected?.length ?? 0) > 0 ? "rcpt" : "mail";
  };
  const settle = (result: HandOver): void => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    // A message whose end was not written must stay incomplete, also if the relay replied to its beginning.
    const isCutOff = isDataAccepted && !isDotWritten;
    if (isCutOff || result.kind === "lost" || result.kind === "relay failed") abandon(connection);
    resolve(result);
  };
  const lose = (text: string): void =>
    settle({ kind: "lost", stage: stage(), mayBeHandedOver: isDotWritten, text: cleanText(text) });
  const giveUp = (what: string, ms: number): void => {
    const text = `no reply to ${what} within ${ms / 1000} s`;
    if (isDotWritten) lose(text);
    else settle({ kind: "relay failed", stage: stage(), text });
  };
  const wait = (what: string, ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(what, ms), ms);
  };

  const mayEnd = (): boolean => {
    if (isSettled) return false;
    isDotWritten = true;
    wait("the end of the message", timeouts.dot);
    return true;
  };
  const pipe = (stream: Transform): void => {
    isDataAccepted = true;
    wait("the message", timeouts.data);
    const socket = connection._socket;
    if (socket) writeMessage({ socket, stream, bytes, mayEnd });
    else lose("the connection was closed");
  };

  connection.send(envelope, { pipe } as unknown as Readable, (error, info) => {
    if (error !== null) return fail(error);
    if (!isDotWritten) return lose("the relay replied before the end of the message");
    const reply = parseReply(info.response);
    if (reply === null) return lose(unreadable(info.response));
    settle({ kind: "accepted", ...reply });
  });

  function fail(error: SmtpError): void {
    const reply = replyIn(error);
    if (reply !== null) {
      return settle({ kind: "rejected", stage: rejectedStage(error.command ?? ""), ...reply });
    }
    const text = cleanText(errorText(error));
    // nodemailer compares the size with what the relay announced, and looks for characters that end an
    // address.
    if (error.code === "EMESSAGE" && error.command === "MAIL FROM")
      return settle({ kind: "rejected", stage: "mail", code: 552, status: "5.3.4", text });
    if (error.code === "EENVELOPE" && error.command === "API") {
      const isSender = text.startsWith("Invalid sender");
      return settle({ kind: "rejected", stage: isSender ? "mail" : "rcpt", code: 553, status: null, text });
    }
    // A relay that does not follow the protocol here would not do so for the next message either.
    if (error.code === "EPROTOCOL" && !isDotWritten)
      return settle({ kind: "relay failed", stage: brokenStage(error.command ?? ""), text });
    // nodemailer calls it a failed message; it may have been accepted.
    const isUnreadable = isDotWritten && error.code === "EMESSAGE" && typeof error.response === "string";
    lose(isUnreadable ? unreadable(String(error.response)) : text);
  }
  function brokenStage(command: string): SmtpStage {
    return isDataAccepted ? "data" : rejectedStage(command);
  }
  function rejectedStage(command: string): SmtpStage {
    if (isDataAccepted) return "dot";
    if (command === "MAIL FROM") return "mail";
    if (command === "RCPT TO") return "rcpt";
    return command === "DATA" ? "data" : stage();
  }
  return { outcome, lose };
}
