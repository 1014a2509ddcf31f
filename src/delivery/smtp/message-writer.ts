/**
 * Writes a message to the socket, and its final dot only when the caller allows it. nodemailer passes a
 * stream for this, which adds dots and line ends where the protocol needs them; it looks at every byte
 * slowly. Messages that Mailroll composes seldom need that, so it is looked for first.
 */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type { Transform } from "node:stream";

const END = Buffer.from(".\r\n");

/** Up to this size the socket takes message and dot together: they are sent in one packet if possible. */
const AT_ONCE = 32_768;

/**
 * Whether a message can be sent as it is: lines end with CRLF, also the last one, and none begins with a dot.
 */
export function isReadyToSend(bytes: Uint8Array): boolean {
  // Searching a string is quicker than looking at every byte.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  let lineStart = 0;
  while (lineStart < text.length) {
    const end = text.indexOf("\n", lineStart);
    if (end < 0 || text.indexOf("\r", lineStart) !== end - 1 || text[lineStart] === ".") return false;
    lineStart = end + 1;
  }
  return text.length > 0;
}

export interface MessageWriting {
  readonly socket: Socket;
  /** nodemailer's: its pipe to the socket is set up. */
  readonly stream: Transform;
  readonly bytes: Uint8Array;
  /** Called before the dot is written. False: it must not be. */
  readonly mayEnd: () => boolean;
}

/**
 * Later, when the event loop has read once from every socket that has something to read. An immediate alone
 * can come before that: those of a callback for a socket run right after it. It costs no packet, and a busy
 * event loop no time.
 */
export function afterNextRead(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

export function writeMessage({ socket, stream, bytes, mayEnd }: MessageWriting): void {
  const whenPassedOn = (end: () => void): void => {
    const finish = (): void => {
      if (mayEnd()) end();
    };
    if (bytes.length <= AT_ONCE) return finish();
    if (socket.writableNeedDrain) socket.once("drain", () => afterNextRead(finish));
    else afterNextRead(finish);
  };
  if (isReadyToSend(bytes)) {
    stream.unpipe(socket);
    socket.cork();
    socket.write(bytes);
    if (bytes.length > AT_ONCE) socket.uncork();
    whenPassedOn(() => socket.write(END));
    if (bytes.length <= AT_ONCE) socket.uncork();
    return;
  }
  // nodemailer's listener comes first: it has written the message to the socket.
  stream.once("data", () => whenPassedOn(() => stream.end()));
  stream.write(bytes);
}
