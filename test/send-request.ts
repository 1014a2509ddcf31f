/** An HTTP client that takes a third of the processor time of `fetch`. */
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export async function sendRequest(
  url: string,
  { method = "GET", headers = {}, body = "" }: Sent = {},
): Promise<Received> {
  const length = method === "GET" ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers: { ...length, ...headers } }, resolve)
      .once("error", reject)
      .end(body);
  });
  const received = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct))
    for (const value of values) received.append(name, value);
  return {
    status: response.statusCode ?? 0,
    headers: received,
    body: await text(response.setEncoding("utf8")),
  };
}
