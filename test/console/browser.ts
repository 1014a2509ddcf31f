/** A browser without JavaScript, for tests: it keeps cookies, sends forms and follows redirects. */
import { type Received, sendRequest } from "../send-request.ts";

export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** One request, as a page of the same origin sends it. `headers` replace those that a browser sends. */
  async send(
    method: string,
    path: string,
    {
      body,
      headers = {},
    }: { readonly body?: string | Buffer; readonly headers?: Record<string, string> } = {},
  ): Promise<Received> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const received = await sendRequest(`${this.#origin}${path}`, {
      method,
      headers: {
        Host: new URL(this.#origin).host,
        "Accept-Language": "en-GB,en;q=0.5",
        ...(cookie === "" ? {} : { Cookie: cookie }),
        ...(method === "POST" ? { "Sec-Fetch-Site": "same-origin" } : {}),
        ...(body === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of received.headers.getSetCookie()) this.#keep(line);
    return received;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Received> {
    return this.send("GET", path, { headers });
  }

  /** Sends the form `name` of a page. */
  post(
    path: string,
    name: string,
    fields: Readonly<Record<string, string | readonly string[]>> = {},
    headers: Record<string, string> = {},
  ): Promise<Received> {
    const body = new URLSearchParams({ do: name });
    for (const [field, value] of Object.entries(fields))
      for (const one of typeof value === "string" ? [value] : value) body.append(field, one);
    return this.send("POST", path, { body: String(body), headers });
  }

  /** The page that a redirect leads to. */
  async follow(received: Received): Promise<Received> {
    const { pathname, search } = new URL(received.headers.get("location") ?? "/", this.#origin);
    return await this.get(`${pathname}${search}`);
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const [name = "", value = ""] = pair.split("=", 2);
    if (value === "" || attributes.includes("Max-Age=0")) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The value of a hidden or typed field in the page. */
export const fieldIn = ({ body }: Received, name: string): string | null => {
  const input = body.match(/<input[^>]*>/g)?.find((one) => one.includes(`name="${name}"`));
  return input === undefined ? null : (/value="([^"]*)"/.exec(input)?.[1] ?? "");
};
