/** `mailroll health`: checks that the service with the same settings, on the same machine, responds. */
import type { Config } from "#app/settings/config.ts";
import { type Command, type Context, Failure } from "../kit/command.ts";

const TIMEOUT_MS = 4000;

/** A service that listens on all addresses is reached through loopback. */
const loopback: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function addressOf({ host, port, tlsCert }: Config): URL {
  if (port === 0)
    throw new Failure("MAILROLL_PORT is 0, so the port of the service is not known; set a fixed port");
  const name = loopback[host] ?? host;
  const scheme = tlsCert === null ? "http" : "https";
  return new URL(`${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}/healthz`);
}

/**
 * Returns the status. The certificate is not verified: it is issued for the service's public name, not for
 * the loopback address.
 */
async function ask(address: URL): Promise<number> {
  // Loaded here: HTTPS costs more to load than most commands to run.
  const { request } = await (address.protocol === "https:" ? import("node:https") : import("node:http"));
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = request(address, { agent: false, rejectUnauthorized: false, signal }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", (error) => reject(signal.aborted ? new Error("no answer in time") : error));
    sent.end();
  });
}

async function run({ config, out }: Context): Promise<void> {
  const address = addressOf(config);
  const advice = "check that the service is running, with the same settings";
  const status = await ask(address).catch((error: Error) => {
    throw new Failure(`${address.href} does not respond: ${error.message}; ${advice}`);
  });
  if (status !== 200) throw new Failure(`${address.href} responds with status ${status}; ${advice}`);
  out.result({ address: address.href, status: "ok" }, () => `${address.href} responds`);
}

export const healthCommand: Command = {
  name: "health",
  doc: "Checks that the running service responds (/healthz), for process supervisors. Does not check the database.",
  details: `Host, port and HTTPS come from the settings; give the same options as for 'serve'. The certificate is not verified.`,
  example: "health",
  inAccount: false,
  settings: ["host", "port", "tlsCert", "tlsKey"],
  run,
};
