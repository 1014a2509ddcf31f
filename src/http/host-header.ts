/** A request names one host, or it is not looked at. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { cutOffAfter } from "./body.ts";
import { sendWhole } from "./send.ts";

const HOST = "host";

/** RFC 9112 §3.2. Of several, Node shows the first only, and what is in front of us may have gone by another. */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let nth = 0; nth < rawHeaders.length; nth += 2) {
    const name = rawHeaders[nth] as string;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
}

export function refuseHosts(request: IncomingMessage, response: ServerResponse): void {
  cutOffAfter(response, request);
  const headers = { "Content-Type": "text/plain", Connection: "close" };
  sendWhole(response, 400, headers, "The request has more than one Host header. Send exactly one.\n");
}
