/**
 * An SMTP server that follows the protocol unless the test says otherwise: at each step it can reply with
 * anything, never reply, or drop the connection. It keeps the messages that it has read to their end.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export type Step = "greeting" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "body" | "dot" | "rset" | "quit";
/**
 * A string is the reply, except for three: "stall", no reply; "drip", a reply without an end; and "drop",
 * the connection is dropped. `bye`: a reply, and then the connection is closed. `cut`: the same without the
 * end of its last line. `part`: the beginning of a reply. `first`: a reply; `next` follows it in a packet of
 * its own, when the first one has been read and before anything else is.
 */
export type Behaviour =
  | string
  | { readonly bye: string }
  | { readonly cut: string }
  | { readonly part: string }
  | { readonly first: string; readonly next: string };

export interface FaultyOptions {
  /** Called for every step; undefined: as the protocol wants it. */
  readonly at?: (step: Step, place: Place) => Behaviour | undefined;
  readonly offers?: readonly string[];
  /** How long the acknowledgement of each message takes. */
  readonly delayMs?: number;
  /** Whether DATA is taken without a recipient. */
  readonly needsNoRecipient?: boolean;
}
export interface Place {
  /** Counts connections from 1. */
  readonly connection: number;
  /** Counts the messages of the connection from 1; 0 before the first MAIL. */
  readonly message: number;
  /** Of the envelope. */
  readonly from: string;
  readonly recipient: string;
}
export interface FaultyRelay extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** The recipients of complete messages, in the order in which they were acknowledged or dropped. */
  readonly complete: string[];
  /** The complete messages, with the dots that were added for the transport. */
  readonly messages: string[];
  readonly commands: string[];
  /** How many connections there are now, and were. */
  open(): number;
  connections(): number;
  most(): number;
  /** Reads on where it stalled in the middle of a message. */
  resume(): void;
  dropAll(): void;
}

const usual: Readonly<Record<Exclude<Step, "ehlo">, string>> = {
  greeting: "220 faulty.example",
  auth: "235 2.7.0 Ok",
  mail: "250 2.1.0 Ok",
  rcpt: "250 2.1.5 Ok",
  data: "354 End data with <CR><LF>.<CR><LF>",
  body: "",
  dot: "250 2.0.0 Ok: queued",
  rset: "250 2.0.0 Ok",
  quit: "221 2.0.0 Bye",
};

const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? "";

export async function startFaultyRelay({
  at,
  offers = [],
  delayMs = 0,
  needsNoRecipient = false,
}: FaultyOptions): Promise<FaultyRelay> {
  const sockets = new Set<Socket>();
  const complete: string[] = [];
  const messages: string[] = [];
  const commands: string[] = [];
  let connections = 0;
  let most = 0;
  const ehlo = ["250-faulty.example", ...offers.map((name) => `250-${name}`), "250 8BITMIME"].join("\r\n");

  const server = createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    most = Math.max(most, sockets.size);
    const connection = connections;
    let message = 0;
    let [from, recipient] = ["", ""];
    let isTaken = false;
    let isBody = false;
    let isDeaf = false;
    let pending = "";
    let searched = 0;
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.setNoDelay(true);

    const speak = (behaviour: Exclude<Behaviour, string>): void => {
      if ("cut" in behaviour) socket.end(behaviour.cut);
      else if ("bye" in behaviour) socket.end(`${behaviour.bye}\r\n`);
      else if ("part" in behaviour) socket.write(behaviour.part);
      else {
        socket.write(`${behaviour.first}\r\n`);
        // Between the two, the event loop reads from every socket once.
        setImmediate(() => setImmediate(() => socket.write(behaviour.next)));
      }
    };
    const act = (step: Step): void => {
      const behaviour =
        at?.(step, { connection, message, from, recipient }) ?? (step === "ehlo" ? ehlo : usual[step]);
      if (behaviour === "drop") socket.destroy();
      else if (behaviour === "drip") {
        const timer = setInterval(() => socket.write("250-and\r\n"), 20);
        socket.on("close", () => clearInterval(timer));
      } else if (behaviour === "stall") {
        isDeaf = true;
        if (step === "body") socket.pause();
      } else if (typeof behaviour === "object") speak(behaviour);
      else if (step === "dot" && delayMs > 0) setTimeout(() => socket.write(`${behaviour}\r\n`), delayMs);
      else if (behaviour !== "") socket.write(`${behaviour}\r\n`);
      const said = typeof behaviour === "object" && "first" in behaviour ? behaviour.first : behaviour;
      isBody = step === "data" && typeof said === "string" && said.startsWith("354");
      if (step === "body") isBody = true;
      if (step === "rcpt") isTaken = typeof behaviour === "string" && behaviour.startsWith("2");
    };
    const command = (line: string): void => {
      commands.push(line);
      const word = line.slice(0, 4).toUpperCase();
      if (word === "EHLO") act("ehlo");
      else if (word === "MAIL") {
        message += 1;
        from = addressIn(line);
        isTaken = false;
        act("mail");
      } else if (word === "RCPT") {
        recipient = addressIn(line);
        act("rcpt");
      } else if (word === "DATA") {
        if (isTaken || needsNoRecipient) act("data");
        else socket.write("554 5.5.1 No valid recipients\r\n");
      } else if (word === "RSET") act("rset");
      else if (word === "QUIT") {
        act("quit");
        socket.end();
      } else act("auth");
    };
    /** Whether something was done, and there may be more to do. */
    const readCommand = (): boolean => {
      const end = pending.indexOf("\r\n");
      if (end < 0) return false;
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      command(line);
      return true;
    };
    const readBody = (): boolean => {
      if (pending === "") return false;
      // Not the whole of a long message again for every chunk.
      const found = pending.startsWith(".\r\n") ? -2 : pending.indexOf("\r\n.\r\n", searched);
      if (found === -1) {
        searched = Math.max(0, pending.length - 4);
        if (!isDeaf) act("body");
        return false;
      }
      messages.push(pending.slice(0, found + 2));
      pending = pending.slice(found + 5);
      searched = 0;
      isBody = false;
      complete.push(recipient);
      act("dot");
      return true;
    };
    socket.on("data", (chunk) => {
      pending += chunk.toString("latin1");
      while (isBody ? readBody() : !isDeaf && readCommand());
    });
    act("greeting");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    complete,
    messages,
    commands,
    open: () => sockets.size,
    connections: () => connections,
    most: () => most,
    resume: () => {
      for (const socket of sockets) socket.resume();
    },
    dropAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
