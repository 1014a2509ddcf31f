/**
 * One message on a connection: MAIL, RCPT, DATA, the bytes and the final dot. It knows whether the dot was
 * written, and so whether the relay can have accepted the message if the connection is lost.
 *
 * How it knows: the relay asks for the message with 354. The message is written first; a long one until the
 * socket has passed it on. Then the stage becomes `dot`, and then the dot is written. Until then no dot can
 * have left; from then on one may have. A connection that was ended writes nothing more.
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
import { Buffer } from "node:buffer";
import type { HandOver, SmtpStage } from "#domain/sending/hand-over.ts";
import { countSuspensions } from "../clock-reading.ts";
import { type Answer, type Failure, isFailure, isPositive, type SmtpConnection } from "./connection.ts";
import { cleanText, keptOf, type Reply } from "./reply.ts";
import type { SmtpTimeouts } from "./settings.ts";

/** Up to this size the socket takes message and dot together: they are sent in one packet if possible. */
const AT_ONCE = 32_768;
const END = ".\r\n";
const TOO_EARLY = "the relay replied before the end of the message";

/**
 * A message as it is sent: lines end with CRLF, also the last one, and a line that begins with a dot gets
 * another one. A bare CR or LF becomes CRLF, because some receivers take it for the end of a line: what
 * follows it could be the final dot for them, and then commands.
 */
export function dotStuffed(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  // Messages that Mailroll composes seldom need it.
  if (isReadyToSend(text)) return bytes;
  const lines = text.replace(/\r\n|\r|\n/g, "\r\n").replace(/^\./gm, "..");
  return Buffer.from(lines.endsWith("\r\n") ? lines : `${lines}\r\n`, "latin1");
}
/** Searching a string is quicker than looking at every byte. */
function isReadyToSend(text: string): boolean {
  let lineStart = 0;
  while (lineStart < text.length) {
    const end = text.indexOf("\n", lineStart);
    if (end < 0 || text.indexOf("\r", lineStart) !== end - 1 || text[lineStart] === ".") return false;
    lineStart = end + 1;
  }
  return text.length > 0;
}

/**
 * Later, when the event loop has read once from every socket that has something to read. An immediate alone
 * can come before that: those of a callback for a socket run right after it. It costs no packet, and a busy
 * event loop no time.
 */
const afterNextRead = (): Promise<null> =>
  new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve, null));
  });

export interface Transaction {
  /** The commands. */
  readonly mail: string;
  readonly rcpt: string;
  /** Whether they are sent together, and DATA with them. */
  readonly isPipelined: boolean;
  readonly bytes: Uint8Array;
}

/**
 * Never rejects, and always comes to an end. Of a connection that cannot be used any more, nothing is left.
 */
export async function exchange(
  connection: SmtpConnection,
  { mail, rcpt, isPipelined, bytes }: Transaction,
  timeouts: SmtpTimeouts,
): Promise<HandOver> {
  // `dot`: it may have been written.
  let stage: SmtpStage = "mail";
  let timer: NodeJS.Timeout | undefined;
  const suspensions = countSuspensions();
  const limit = (what: string, ms: number): void => {
    clearTimeout(timer);
    const text = `no reply to ${what} within ${ms / 1000} s`;
    timer = setTimeout(() => connection.end({ kind: "relay failed", text }), ms);
  };

  const abandon = (): void => connection.end({ kind: "lost", text: "the message stays incomplete" });
  const ended = ({ kind, text }: Failure): HandOver => {
    connection.end({ kind, text });
    return kind === "lost" || stage === "dot"
      ? { kind: "lost", stage, mayBeHandedOver: stage === "dot", text: cleanText(text) }
      : { kind, stage, text: cleanText(text) };
  };
  const broken = (problem: string, words: string): HandOver =>
    ended({ kind: "relay failed", text: `${problem}: ${words}` });
  const lost = (text: string): HandOver => ended({ kind: "lost", text });
  const said = ({ words }: Reply): string => connection.hide(words);
  const kept = (reply: Reply) => keptOf({ code: reply.code, words: said(reply) });
  const rejected = (at: SmtpStage, reply: Reply): HandOver => ({
    kind: "rejected",
    stage: at,
    ...kept(reply),
  });

  /** A reply to a command of the envelope that is not the expected one. */
  const refused = (step: SmtpStage, reply: Reply): HandOver => {
    if (reply.code >= 400) return rejected(step, reply);
    // A relay that does not follow the protocol here would not do so for the next message either.
    if (step === "data") return broken("no permission to send the message", said(reply));
    return lost(`${step === "mail" ? "Mail" : "Recipient"} command failed: ${said(reply)}`);
  };
  /** null: the relay waits for the message. */
  async function sendEnvelope(): Promise<HandOver | null> {
    limit("the envelope", timeouts.envelope);
    const steps = [
      ["mail", mail],
      ["rcpt", rcpt],
      ["data", "DATA"],
    ] as const;
    const sent = isPipelined ? connection.askAll(steps.map(([, command]) => command)) : null;
    let refusal: HandOver | null = null;
    for (const [index, [step, command]] of steps.entries()) {
      // With PIPELINING, RCPT is sent together with MAIL: the relay may be silent because of the recipient.
      if (refusal === null) stage = sent !== null && step === "mail" ? "rcpt" : step;
      const answer = await (sent?.[index] ?? connection.ask(command));
      if (isFailure(answer)) return refusal ?? ended(answer);
      // Only 354 asks for the message (RFC 5321, 4.3.2). After 250, its lines would be commands.
      const isAccepted = step === "data" ? answer.code === 354 : isPositive(answer);
      // A relay that takes DATA without a recipient might deliver an empty message, if it got its end.
      if (refusal !== null && step === "data" && answer.code < 400) abandon();
      if (!isAccepted) refusal ??= refused(step, answer);
      if (refusal !== null && sent === null) break;
    }
    return refusal;
  }

  /** Why no more of the message may be written; null: it may. */
  const reasonToStop = (): HandOver | null => {
    if (connection.failure !== null) return ended(connection.failure);
    if (countSuspensions() !== suspensions) return lost("this process was suspended meanwhile");
    return connection.unread === "" ? null : broken(TOO_EARLY, connection.unread);
  };
  async function sendMessage(): Promise<HandOver> {
    const reply = connection.nextReply(true);
    limit("the message", timeouts.data);
    const body = dotStuffed(bytes);
    const isLong = bytes.length > AT_ONCE;
    const early = await Promise.race([reply, afterNextRead()]);
    if (early !== null) return isFailure(early) ? ended(early) : broken(TOO_EARLY, said(early));
    let reason = reasonToStop();
    if (reason === null && isLong) {
      connection.write(body);
      const inBetween = await Promise.race([reply, connection.passedOn().then(afterNextRead)]);
      if (inBetween !== null) return cutOff(inBetween);
      reason = reasonToStop();
    }
    if (reason !== null) return reason;
    stage = "dot";
    limit("the end of the message", timeouts.dot);
    connection.write(...(isLong ? [] : [body]), END);
    const answer = await reply;
    if (isFailure(answer)) return ended(answer);
    if (answer.code >= 400) return rejected("dot", answer);
    return isPositive(answer)
      ? { kind: "accepted", ...kept(answer) }
      : lost(`the reply to the message cannot be read: ${said(answer)}`);
  }
  /** A message whose end was not written stays incomplete. */
  const cutOff = (answer: Answer): HandOver => {
    if (isFailure(answer)) return ended(answer);
    if (answer.code < 400) return broken(TOO_EARLY, said(answer));
    abandon();
    return rejected("dot", answer);
  };

  const outcome = (await sendEnvelope()) ?? (await sendMessage());
  clearTimeout(timer);
  return outcome;
}
