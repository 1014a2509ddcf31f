/** What the server prints when it is ready. The first start adds the new database and the generated key. */
import type { Running } from "#app/service.ts";
import { type Config, variableOf } from "#app/settings/config.ts";
import { isBuilt, PROGRAM } from "#shipped.ts";

export type Served = Pick<Running, "endpoint" | "port" | "firstStart" | "consoleAddress" | "demo">;

/** `database` is its path, or its address without a password. */
export function startupBanner(
  { endpoint, port, firstStart, consoleAddress, demo }: Served,
  { baseUrl, host }: Config,
  database: string,
): string {
  // Behind a proxy, the public address differs from where the server listens.
  const listening = baseUrl === null ? "" : `\n  Listening on ${host}, port ${port}\n`;
  const noMail =
    demo === null
      ? ""
      : `\n  This database is a demo, which sends nothing: messages are written to ${demo.outbox}\n`;
  const newLink = `${PROGRAM} console link${demo === null ? "" : ` ${demo.user}`}`;
  if (firstStart === null) {
    // In a clone the data is where the program is.
    const data = isBuilt ? `  Database: ${database}\n` : "";
    const link = demo === null ? "" : `  To sign in: ${newLink}\n`;
    return `Mailroll is serving ${endpoint}\n${listening}${noMail}\n  Console:  ${consoleAddress}\n${link}${data}`;
  }
  const { key, list, listName, curl, consoleLink } = firstStart;
  const shownKey =
    key === null
      ? `Your API key:                   the one that you set; the call below takes it from $${variableOf("apiKey")}`
      : `Your API key, shown this once:  ${key}`;
  return `Mailroll is serving ${endpoint}
${listening}${noMail}
  New database:                   ${database}
  ${shownKey}
  Your first list:                ${list} (${listName})

Open the console; the link works once, within 15 minutes (then: ${newLink}):

  ${consoleLink}

Add a subscriber; a result of 0 means success:

${curl}

`;
}
