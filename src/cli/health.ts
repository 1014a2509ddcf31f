/** `mailroll health`: asks the service that runs by the same settings, on the same machine, whether it answers. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Config } from "../config.ts";
import { type Command, type Context, Failure } from "./command.ts";

const PATIENCE_MS = 4000;

/** Who listens on all addresses is found on the machine's own. */
const loopback: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function addressOf({ host, port, tlsCert }: Config): URL {
  if (port === 0) throw new Failure("MAILROLL_PORT is 0, so it cannot be known which port it picked");
  const name = loopback[host] ?? host;
  const scheme = tlsCert === null ? "http" : "https";
  return new URL(`${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}/healthz`);
}

/** The status. Whether the certificate is good is for callers to judge: it is of their name for the service, not of ours. */
function ask(address: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = address.protocol === "https:" ? httpsRequest : httpRequest;
    const signal = AbortSignal.timeout(PATIENCE_MS);
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
  const advice = "is it running, with the same settings?";
  const status = await ask(address).catch((error: Error) => {
    throw new Failure(`${address.href} does not answer: ${error.message}; ${advice}`);
  });
  if (status !== 200) throw new Failure(`${address.href} answers ${status}; ${advice}`);
  out.result({ address: address.href, status: "ok" }, () => `${address.href} answers`);
}

export const healthCommand: Command = {
  name: "health",
  args: [],
  options: {},
  doc: "Health check of the running service (/healthz), for process supervisors; it does not check the database.",
  details: `Host, port and HTTPS come from the settings, as for 'serve'; give the same flags that 'serve' was given. The certificate is not
verified.`,
  example: "health",
  inAccount: false,
  settings: ["host", "port", "tlsCert", "tlsKey"],
  run,
};
