/**
 * Connection limits: a share for each client, and a total. At the total, the connection that has been idle
 * for longest is closed for a new one. A connection that pipelines too many requests is closed too. This
 * module knows no HTTP: its user reports when a request begins and when it has been answered.
 */
import type { Socket } from "node:net";

export interface ConnectionLimits {
  readonly most: number;
  /** For each client that `clientOf` returns. */
  readonly mostPerClient: number;
  /** The client that a connection counts towards; null: none, because it carries the requests of many. */
  readonly clientOf: (socket: Socket) => string | null;
}

/**
 * How many requests one connection may send in one turn of the event loop. Node parses everything it has read
 * from a connection, up to 2,000 requests, before it serves another.
 */
export const MAX_PIPELINED = 64;

/**
 * Why a connection was closed: its client has its share, the limit is reached and none is idle, it was idle
 * for longest, or it pipelined too many requests.
 */
export type Dropped = "share" | "full" | "idle" | "pipelined";

/** An open connection. */
export class Connection {
  readonly socket: Socket;
  /** The TLS socket on top of it; null without TLS. */
  secure: Socket | null = null;
  readonly client: string | null;
  isOpen = true;
  /** Whether it has ever carried a request. */
  isUsed = false;
  /** Requests whose headers have arrived and whose response is not complete. */
  requests = 0;
  /** The last turn of the event loop in which requests arrived, and how many did. */
  turn = 0;
  requestsInTurn = 0;

  constructor(socket: Socket, client: string | null) {
    this.socket = socket;
    this.client = client;
  }

  /**
   * Node frees the requests of a connection on its "close" event, which it emits only after all other ready
   * connections have been read; so the event is emitted here, on the next tick. A second one does no harm.
   * What has been read already is still parsed, but up to 2,000 requests in it are ignored.
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
  /** Without entries for clients that have no connection. */
  readonly #perClient = new Map<string, number>();
  /** Connections without a request, the longest idle first: new ones are appended, so no clock is needed. */
  readonly #idle = new Set<Connection>();
  #open = 0;
  /** Counts the turns of the event loop in which requests arrived. */
  #turn = 1;
  #isTurnEnding = false;

  constructor(limits: ConnectionLimits, onDropped: (why: Dropped) => void = () => {}) {
    this.#limits = limits;
    this.#onDropped = onDropped;
  }

  get open(): number {
    return this.#open;
  }
  /** How many clients have an open connection. */
  get clients(): number {
    return this.#perClient.size;
  }

  /** Admits a new connection; null if it was closed instead. */
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

  /** Closes the connection if it pipelines too many requests. */
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
    if (connection.requestsInTurn > MAX_PIPELINED) this.#drop(connection, "pipelined");
  }

  end(connection: Connection): void {
    connection.requests -= 1;
    if (connection.requests === 0 && connection.isOpen) this.#idle.add(connection);
  }

  /**
   * Closes connections without any request so far, even during a TLS handshake: no client waits for a
   * response there.
   */
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
