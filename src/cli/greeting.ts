/** What a person should know once the service runs; the key is in it on the very first start only. */
import type { Running } from "../app.ts";
import type { Config } from "../config.ts";

export type Served = Pick<Running, "endpoint" | "port" | "firstStart">;

export function greeting({ endpoint, port, firstStart }: Served, { baseUrl, host }: Config): string {
  // Behind a proxy the public address does not tell where the server itself listens.
  const listening = baseUrl === null ? "" : `\n  Listening on ${host}, port ${port}\n`;
  if (firstStart === null) return `Mailroll is serving ${endpoint}\n${listening}`;
  const { key, list, listName, curl } = firstStart;
  return `Mailroll is serving ${endpoint}
${listening}
  Your API key, shown this once:  ${key}
  Your first list:                ${list} (${listName})

Add a subscriber; the answer's result is 0 when it is done:

${curl}

`;
}
