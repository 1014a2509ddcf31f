/**
 * Which connections may be open, and which one is closed to make room: a share for each client, and where there are as
 * many as there may be, the one that has been idle for longest. One that brings too many requests at once is closed as
 * well. It knows no HTTP: it is told when a request begins and when it has been answered.
 */
import type { Socket } from "node:net";

export interface ConnectionLimits {
  readonly most: number;
  /** For one client of those that `clientOf` names. */
  readonly mostPerClient: number;
  /** Whose share a connection counts towards; null: nobody's, because it carries the requests of many. */
  readonly clientOf: (socket: Socket) => string | null;
}

/**
 * What one connection may bring in one turn of the event loop. Node parses all that it has read from a connection, up to
 * 2,000 requests, before anybody else is served.
 */
export const MOST_PIPELINED = 64;

/**
 * Why a connection was closed: its client has its share, all are in the middle of a request, it was idle for longest, or
 * it brought too many requests at once.
 */
export type Dropped = "share" | "full" | "idle" | "pipelined";

/** One that is open. */
export class Connection {
  readonly socket: Socket;
  /** By which requests come, where they are encrypted. */
  secure: Socket | null = null;
  readonly client: string | null;
  isOpen = true;
  /** Whether a request ever came by it. */
  isUsed = false;
  /** Requests whose headers have arrived and that are not answered to the last byte. */
  requests = 0;
  /** The last turn of the event loop in which requests came, and how many did. */
  turn = 0;
  requestsInTurn = 0;

  constructor(socket: Socket, client: string | null) {
    this.socket = socket;
    this.client = client;
  }

  /**
   * Node lets go of a connection's requests when it is told of its end, and would be told only after all others that are
   * ready have been read; so it is told when the one that is being read has been. To be told twice does no harm.
   * What has been read already is parsed, but no more made of it: it may be 2,000 requests.
   */
  destroy(): void {
    const { secure, socket } = this;
    const { parser } = (secure ?? socket) as { readonly parser?: { onIncoming: () => number } | null };
    if (parser) parser.onIncoming = () => 0;
    secure?.destroy();
    socket.destroy();
    process.nextTick(() => (secure ?? socket).emit("close"));
  }
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #onDropped: (why: Dropped) => void;
  /** Clients with no connection are not in it. */
  readonly #perClient = new Map<string, number>();
  /** Those without a request, the longest idle first: whoever becomes idle goes to the end, so no clock is needed. */
  readonly #idle = new Set<Connection>();
  #open = 0;
  /** The number of the event loop's turn, as far as there were requests. */
  #turn = 1;
  #isTurnEnding = false;

  constructor(limits: ConnectionLimits, onDropped: (why: Dropped) => void = () => {}) {
    this.#limits = limits;
    this.#onDropped = onDropped;
  }

  get open(): number {
    return this.#open;
  }
  /** How many clients are remembered. */
  get clients(): number {
    return this.#perClient.size;
  }

  /** Counts a new connection; null where it was closed instead. */
  take(socket: Socket): Connection | null {
    const { most, mostPerClient, clientOf } = this.#limits;
    const client = clientOf(socket);
    const shared = client === null ? 0 : (this.#perClient.get(client) ?? 0);
    if (shared >= mostPerClient) return this.#drop(socket, "share");
    if (this.#open >= most) {
      const [longestIdle] = this.#idle;
      if (longestIdle === undefined) return this.#drop(socket, "full");
      this.#leave(longestIdle);
      this.#drop(longestIdle, "idle");
    }
    const connection = new Connection(socket, client);
    this.#open += 1;
    if (client !== null) this.#perClient.set(client, shared + 1);
    this.#idle.add(connection);
    socket.once("close", () => this.#leave(connection));
    return connection;
  }

  /** Closes the connection where it is one request too many. */
  begin(connection: Connection): void {
    connection.requests += 1;
    connection.isUsed = true;
    if (connection.requests === 1) this.#idle.delete(connection);
    this.#endTurn();
    if (connection.turn !== this.#turn) {
      connection.turn = this.#turn;
      connection.requestsInTurn = 0;
    }
    connection.requestsInTurn += 1;
    if (connection.requestsInTurn > MOST_PIPELINED) this.#drop(connection, "pipelined");
  }

  end(connection: Connection): void {
    connection.requests -= 1;
    if (connection.requests === 0 && connection.isOpen) this.#idle.add(connection);
  }

  /** Closes those by which no request has come yet, also in the middle of a TLS handshake: nobody waits for an answer there. */
  closeUnused(): void {
    for (const connection of this.#idle) if (!connection.isUsed) connection.destroy();
  }

  #endTurn(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    setImmediate(() => {
      this.#isTurnEnding = false;
      this.#turn += 1;
    });
  }

  #drop(one: Socket | Connection, why: Dropped): null {
    one.destroy();
    this.#onDropped(why);
    return null;
  }

  #leave(connection: Connection): void {
    if (!connection.isOpen) return;
    connection.isOpen = false;
    this.#open -= 1;
    this.#idle.delete(connection);
    const { client } = connection;
    if (client === null) return;
    const left = (this.#perClient.get(client) ?? 0) - 1;
    if (left > 0) this.#perClient.set(client, left);
    else this.#perClient.delete(client);
  }
}
