/**
 * A server that answers as the API of listmonk does: shapes, pages of at most 50, the order of subscribers by
 * id, null instead of an empty page, and its errors. Written from its documentation and its source.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeSubscriber {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly status: "enabled" | "disabled" | "blocklisted";
  readonly attribs: object;
  /** By the id of the list. */
  readonly lists: Readonly<Record<number, "unconfirmed" | "confirmed" | "unsubscribed">>;
}
export interface FakeList {
  readonly id: number;
  readonly name: string;
  readonly optin: "single" | "double";
}
export interface FakeCampaign {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly started_at: string | null;
  readonly lists: readonly number[];
}

export const CREATED = "2024-02-10T23:07:16.199433+01:00";
export const JOINED = "2024-03-01T10:00:00Z";
export const CHANGED = "2025-05-05T08:30:00Z";
export const USER = "mailroll";
export const TOKEN = "a-token-of-listmonk";
const MOST_PER_PAGE = 50;

const base = (id: number) => ({
  id,
  created_at: CREATED,
  updated_at: CREATED,
  uuid: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
});

export class ListmonkServer {
  lists: FakeList[] = [];
  subscribers: FakeSubscriber[] = [];
  campaigns: FakeCampaign[] = [];
  /** Called before each request; returns true if it has answered. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  requests: string[] = [];
  readonly #server: Server = createServer((request, response) => this.#answer(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request.url ?? "");
    if (this.intercept(request, response)) return;
    const send = (status: number, body: object): void => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    };
    const expected = `Basic ${Buffer.from(`${USER}:${TOKEN}`).toString("base64")}`;
    if (request.headers.authorization !== expected) {
      send(403, { message: "invalid API credentials" });
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const perPage = Math.min(MOST_PER_PAGE, Number(searchParams.get("per_page") ?? 20));
    const page = Math.max(1, Number(searchParams.get("page") ?? 1));
    const paged = <Row>(rows: readonly Row[], toJson: (row: Row) => object) => {
      const some = rows.slice((page - 1) * perPage, page * perPage).map(toJson);
      const results = some.length === 0 ? null : some;
      send(200, { data: { results, query: "", total: rows.length, per_page: perPage, page } });
    };
    if (pathname === "/api/lists")
      paged(this.lists, ({ id, ...list }) => ({
        ...{ ...base(id), ...list, type: "private", tags: [], subscriber_count: 0 },
      }));
    else if (pathname === "/api/subscribers") {
      const isAscending = searchParams.get("order") === "asc";
      // Those of a test are in the order of their ids.
      const sorted = isAscending ? this.subscribers : this.subscribers.toReversed();
      paged(sorted, ({ id, lists, ...subscriber }) => ({
        ...{ ...base(id), ...subscriber },
        lists: Object.entries(lists).map(([list, status]) => ({
          ...{ subscription_status: status, subscription_created_at: JOINED },
          ...{ subscription_updated_at: CHANGED, subscription_meta: {} },
          ...base(Number(list)),
          ...this.lists.find((one) => one.id === Number(list)),
        })),
      }));
    } else if (pathname === "/api/campaigns")
      paged(this.campaigns, ({ id, lists, ...campaign }) => ({
        ...{ ...base(id), ...campaign, type: "regular", subject: campaign.name, body: "", sent: 2 },
        lists: lists.map((list) => ({ id: list, name: `List ${list}` })),
      }));
    else send(404, { message: "Not Found" });
  }
}

/** As many people as wanted, with attributes and every state. Made from their number, so always the same. */
export function manySubscribers(count: number): FakeSubscriber[] {
  return Array.from({ length: count }, (_, index) => {
    const id = index * 2 + 1;
    const isBlocked = id % 97 === 0;
    return {
      ...{ id, email: `person-${id}@example.org`, name: `Given Family ${id}` },
      status: isBlocked ? "blocklisted" : id % 89 === 0 ? "disabled" : "enabled",
      attribs: { city: `City ${id % 100}`, orders: id % 7, vip: id % 3 === 0 },
      lists: {
        1: isBlocked || id % 11 === 0 ? "unsubscribed" : "confirmed",
        ...(id % 5 === 0 ? { 2: id % 4 === 1 ? "confirmed" : "unconfirmed" } : {}),
      },
    } satisfies FakeSubscriber;
  });
}
