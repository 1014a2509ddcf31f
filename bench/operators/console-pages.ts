/**
 * How long the service takes for each page of the console, with 1,000,000 subscribers and a campaign with as
 * many hard bounces. The pages are found by following links: one of each kind, so all ids in an address count
 * as the same. Paths with a search are also measured with one.
 */
import { table } from "../report/table.ts";
import { median } from "../statistics.ts";
import { ACCOUNT, type Service } from "./service.ts";

const TIMES = 7;
/** Not pages: they stream, sign out, download, or are files. */
const isPage = (path: string): boolean =>
  !/\/assets\/|\/(?:events|download|export|sign-out|content)$/.test(path);

interface Measured {
  readonly path: string;
  readonly ms: readonly number[];
  readonly kib: number;
}

class Visitor {
  readonly #origin: string;
  readonly #cookie: string;

  private constructor(origin: string, cookie: string) {
    this.#origin = origin;
    this.#cookie = cookie;
  }

  static async signIn(link: string): Promise<Visitor> {
    const { origin } = new URL(link);
    const headers = { Origin: origin, "Content-Type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ do: "sign-in" }).toString();
    const reply = await fetch(link, { method: "POST", headers, body, redirect: "manual" });
    const [cookie = ""] = reply.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
    if (cookie === "") throw new Error(`the link does not sign in: HTTP ${reply.status}`);
    return new Visitor(origin, cookie);
  }

  async get(path: string): Promise<string> {
    const reply = await fetch(new URL(path, this.#origin), { headers: { Cookie: this.#cookie } });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path}: HTTP ${reply.status}`);
    return text;
  }

  /** The address to which a search for people leads. */
  async search(path: string, fields: Readonly<Record<string, string>>): Promise<string> {
    const headers = { Cookie: this.#cookie, Origin: this.#origin };
    const body = new URLSearchParams({ do: "search", ...fields });
    const reply = await fetch(new URL(path, this.#origin), {
      ...{ method: "POST", headers, body, redirect: "manual" },
    });
    const location = reply.headers.get("location");
    if (location === null) throw new Error(`${path}: the search got HTTP ${reply.status}`);
    return location;
  }
}

const linksIn = (page: string): readonly string[] =>
  [...page.matchAll(/ href="(\/console\/[^"#]*)/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
const pathOf = (address: string): string => new URL(address, "http://console").pathname;
/** What pages with different ids have in common. */
const kindOf = (address: string): string => pathOf(address).replaceAll(/\/\d+(?=\/|$)/g, "/…");

async function measure(visitor: Visitor, address: string): Promise<Measured & { readonly text: string }> {
  let text = await visitor.get(address);
  const ms: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const began = performance.now();
    text = await visitor.get(address);
    ms.push(performance.now() - began);
  }
  return { path: kindOf(address), ms, kib: Buffer.byteLength(text) / 1024, text };
}

async function everyPage(visitor: Visitor): Promise<readonly Measured[]> {
  const start = `/console/${ACCOUNT}`;
  const waiting = [start];
  const known = new Set([kindOf(start)]);
  const measured: Measured[] = [];
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const { text, ...one } = await measure(visitor, address);
    measured.push(one);
    for (const found of linksIn(text)) {
      if (known.has(kindOf(found)) || !isPage(pathOf(found))) continue;
      known.add(kindOf(found));
      waiting.push(found);
    }
  }
  return measured;
}

const searches = {
  "people: a name that nobody has": ["/subscribers", { name: "Nobody" }],
  "people: a domain that nobody has": ["/subscribers", { search: "@nowhere.example" }],
  "people: a state that nobody has": ["/subscribers?state=complained", {}],
  "a list: a name that nobody has": ["/lists/1", { name: "Nobody" }],
} as const;

export async function consolePages(name: string, { link }: Service): Promise<string> {
  const visitor = await Visitor.signIn(await link());
  const measured = [...(await everyPage(visitor))];
  for (const [path, [page, fields]] of Object.entries(searches)) {
    const address = await visitor.search(`/console/${ACCOUNT}${page}`, fields);
    measured.push({ ...(await measure(visitor, address)), path });
  }
  const rows = measured
    .toSorted((one, other) => median(other.ms) - median(one.ms))
    .map(({ path, ms, kib }) => [
      path,
      ...[median(ms), Math.max(...ms)].map((value) => value.toFixed(1)),
      kib.toFixed(0),
    ]);
  return `${table([`${name}: pages of the console`, "median ms", "slowest ms", "KiB"], rows)}\n\n`;
}
