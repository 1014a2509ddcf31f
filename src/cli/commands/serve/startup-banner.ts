/** What the server prints when it is ready. The first start adds the new database and the generated key. */
import type { Running } from "#app/service.ts";
import { type Config, variableOf } from "#app/settings/config.ts";
import { isBuilt } from "#shipped.ts";

export type Served = Pick<Running, "endpoint" | "port" | "firstStart">;

/** `database` is its path, or its address without a password. */
export function startupBanner(
  { endpoint, port, firstStart }: Served,
  { baseUrl, host }: Config,
  database: string,
): string {
  // Behind a proxy, the public address differs from where the server listens.
  const listening = baseUrl === null ? "" : `\n  Listening on ${host}, port ${port}\n`;
  if (firstStart === null) {
    // In a clone the data is where the program is.
    const data = isBuilt ? `\n  Database: ${database}\n` : "";
    return `Mailroll is serving ${endpoint}\n${listening}${data}`;
  }
  const { key, list, listName, curl, consoleLink } = firstStart;
  const shownKey =
    key === null
      ? `Your API key:                   the one that you set; the call below takes it from $${variableOf("apiKey")}`
      : `Your API key, shown this once:  ${key}`;
  return `Mailroll is serving ${endpoint}
${listening}
  New database:                   ${database}
  ${shownKey}
  Your first list:                ${list} (${listName})

Open the console; the link works once, within 15 minutes (then: mailroll console link):

  ${consoleLink}

Add a subscriber; a result of 0 means success:

${curl}

`;
}
