/** What a person should know once the service runs; a key is in it on the very first start only, and only one that we made. */
import type { Running } from "../app.ts";
import { type Config, variableOf } from "../config.ts";

export type Served = Pick<Running, "endpoint" | "port" | "firstStart">;

export function greeting({ endpoint, port, firstStart }: Served, { baseUrl, host }: Config): string {
  // Behind a proxy the public address does not tell where the server itself listens.
  const listening = baseUrl === null ? "" : `\n  Listening on ${host}, port ${port}\n`;
  if (firstStart === null) return `Mailroll is serving ${endpoint}\n${listening}`;
  const { key, list, listName, curl } = firstStart;
  const shownKey =
    key === null
      ? `Your API key:                   the one that you set; the call below takes it from $${variableOf("apiKey")}`
      : `Your API key, shown this once:  ${key}`;
  return `Mailroll is serving ${endpoint}
${listening}
  ${shownKey}
  Your first list:                ${list} (${listName})

Add a subscriber; the answer's result is 0 when it is done:

${curl}

`;
}
