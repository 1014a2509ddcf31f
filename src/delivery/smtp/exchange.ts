/**
 * One message on a connection: MAIL, RCPT, DATA, the bytes and the final dot. It knows whether the dot was
 * written, and so whether the relay can have accepted the message if the connection is lost.
 *
 * How it knows: nodemailer asks the message to write itself, by `pipe`, when the relay has replied to DATA
 * with 354 (strict-connection.ts). The message is written first; a long one until the socket has passed it
 * on. Then `isDotWritten` is set, and then the dot is written. Until then no dot can have left; from then on
 * one may have. A connection that was abandoned writes nothing more.
 *
 * What the relay sends between 354 and the dot is no reply to the message, which it has not read. The socket
 * is therefore read once more before the message is written, and again before the dot of a long one. If there
 * is anything, the relay has failed, and the message stays incomplete. Only a refusal in the middle of a long
 * message counts: relays refuse large messages so.
 *
 * If this process was suspended since MAIL, another process may have taken the recipient over. Then the
 * message stays incomplete, too.
 *
 * What remains: a reply that is still on its way when the dot is written, sent by a relay that had not read
 * the message (in breach of RFC 5321, 4.1.1.4). From here it looks like the reply to the dot. To hold the dot
 * back for longer would not help, as the relay can be as early as it likes, and a dot of its own would cost a
 * short message a second packet.
 */
import type { Readable, Transform } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { HandOver, SmtpStage } from "#domain/sending/hand-over.ts";
import { countSuspensions } from "../moment.ts";
import { abandon, errorText, replyIn, type SmtpError } from "./connection.ts";
import { afterNextRead, writeMessage } from "./message-writer.ts";
import { cleanText, parseReply } from "./reply.ts";
import type { SmtpTimeouts } from "./settings.ts";
import { unreadReplies } from "./strict-connection.ts";

/** nodemailer notes in it which recipients were accepted, and which were not sent to the relay yet. */
interface TrackedEnvelope {
  readonly from: string;
  readonly to: string[];
  readonly size: number;
  readonly use8BitMime: boolean;
  accepted?: readonly string[];
  rejected?: readonly string[];
  rcptQueue?: readonly string[];
}

export interface Exchange {
  readonly outcome: Promise<HandOver>;
  /** The connection has ended. */
  readonly lose: (text: string) => void;
}

const TOO_EARLY = "the relay replied before the end of the message";
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
  let isBegun = false;
  let isDotWritten = false;
  let isSettled = false;
  const suspensions = countSuspensions();
  let timer = setTimeout(() => giveUp("the envelope", timeouts.envelope), timeouts.envelope);

  const stage = (): SmtpStage => {
    if (isDotWritten) return "dot";
    if (isDataAccepted || (envelope.accepted?.length ?? 0) > 0) return "data";
    // With PIPELINING, it is sent together with MAIL: the relay may be silent because of the recipient.
    return envelope.rcptQueue?.length === 0 ? "rcpt" : "mail";
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

  const repliedEarly = (words: string): void =>
    settle({ kind: "relay failed", stage: "data", text: cleanText(`${TOO_EARLY}: ${words}`) });
  /**
   * Whether more of the message may be written: nobody has given it up, the process was not
   * suspended, and the relay has said nothing.
   */
  const mayWrite = (): boolean => {
    if (isSettled) return false;
    if (countSuspensions() !== suspensions) {
      lose("this process was suspended meanwhile");
      return false;
    }
    const early = unreadReplies(connection);
    if (early.length > 0) repliedEarly(early.join(" "));
    return early.length === 0;
  };
  const mayEnd = (): boolean => {
    if (!mayWrite()) return false;
    isDotWritten = true;
    wait("the end of the message", timeouts.dot);
    return true;
  };
  const pipe = (stream: Transform): void => {
    isDataAccepted = true;
    wait("the message", timeouts.data);
    afterNextRead(() => {
      if (!mayWrite()) return;
      isBegun = true;
      const socket = connection._socket;
      if (socket) writeMessage({ socket, stream, bytes, mayEnd });
      else lose("the connection was closed");
    });
  };

  connection.send(envelope, { pipe } as unknown as Readable, (error, info) => {
    if (error !== null) return fail(error);
    if (!isDotWritten) return repliedEarly(info.response);
    const reply = parseReply(info.response);
    if (reply === null) return lose(unreadable(info.response));
    settle({ kind: "accepted", ...reply });
  });

  function fail(error: SmtpError): void {
    const reply = replyIn(error);
    const isToMessage = isDataAccepted && error.code === "EMESSAGE";
    if (isToMessage && !isDotWritten && !(isBegun && reply !== null))
      return repliedEarly(String(error.response));
    if (reply !== null)
      return settle({ kind: "rejected", stage: rejectedStage(error.command ?? ""), ...reply });
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
