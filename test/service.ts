/**
 * Starts the service in this process on a free port and an empty database, for tests that call it from
 * outside.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Limits } from "#admission/limits.ts";
import { serve } from "#app/app.ts";
import { Log } from "#app/log/log.ts";
import type { Running } from "#app/service.ts";
import { loadConfig } from "#app/settings/load-config.ts";
import type { Clock, Clocks } from "#domain/clocks.ts";
import { sendRequest } from "./send-request.ts";

export const KEY = "0123456789ABCDEF0123456789ABCDEF";

export interface Service extends Running {
  readonly origin: string;
  readonly folder: string;
  /** As `close`, but keeps the files. */
  stop(): Promise<void>;
}

export async function startService(
  flags: Readonly<Record<string, string>> = {},
  /** One clock for both kinds of time, or each. */
  clock: Clock | Clocks = Date.now,
  limits?: Limits,
  log?: Log,
): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-"));
  const config = loadConfig({
    flags: {
      ...{ port: "0", database: `sqlite:${join(folder, "m.db")}`, "api-key": KEY, log: "silent" },
      // Nothing listens there: no test asks the DNS of the Internet.
      dns: "127.0.0.1:9",
      smtp: `file:${join(folder, "outbox")}`,
      ...flags,
    },
    env: {},
    folder,
  });
  const clocks = typeof clock === "function" ? { wall: clock, monotonic: clock } : clock;
  const running = await serve(config, log ?? new Log(config.log), { clocks, limits });
  let isRunning = true;
  const stop = async (): Promise<void> => {
    isRunning = false;
    await running.close();
  };
  return {
    ...running,
    folder,
    origin: `http://localhost:${running.port}`,
    stop,
    close: async () => {
      if (isRunning) await stop().catch(() => {});
      rmSync(folder, { recursive: true });
    },
  };
}

/** A clock that advances by a second at each reading, so that no cached result is still valid. */
export function leapingClock(): Clock {
  let now = Date.now();
  return () => {
    now += 1000;
    return now;
  };
}

export interface SoapAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The content of the result element. */
  readonly result: string | null;
  /** The fault's code. */
  readonly code: string | null;
}

/** A SOAP 1.1 call written by hand: parameters as XML. */
export async function call(
  { origin }: Pick<Service, "origin">,
  operation: string,
  params: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SoapAnswer> {
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation} xmlns="${origin}">${params}</${operation}></e:Body></e:Envelope>`;
  const answer = await sendRequest(`${origin}/default.asmx`, {
    method: "POST",
    headers: { "Content-Type": "text/xml; charset=utf-8", ...headers },
    body,
  });
  const text = answer.body;
  const name = operation.replace(".", "\\.");
  return {
    ...answer,
    result: new RegExp(`<${name}Result>(.*)</${name}Result>`, "s").exec(text)?.[1] ?? null,
    code: /<code>(\w+)<\/code>/.exec(text)?.[1] ?? null,
  };
}
export const withKey = (params = "", key = KEY): string => `<APIKey>${key}</APIKey>${params}`;
