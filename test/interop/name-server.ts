/**
 * A name server with some records: Debian's dnsmasq, on a port of its own. It is an error if it is missing.
 */
import { spawn } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";

export interface NameServer {
  /** For the setting `dns`. */
  readonly address: string;
  stop(): Promise<void>;
}

const DEADLINE_MS = 10_000;

/**
 * `options` are those of dnsmasq that declare records. Names below `domain` that are not declared do not
 * exist; questions about other names are refused, as nobody can be asked for them.
 */
export async function startNameServer(domain: string, options: readonly string[]): Promise<NameServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "mailroll-dns-"));
  const server = spawn(
    "dnsmasq",
    [
      ...["--keep-in-foreground", "--conf-file=/dev/null", `--pid-file=${join(folder, "pid")}`],
      ...["--no-resolv", "--no-hosts", "--user=", "--log-facility=-"],
      ...["--bind-interfaces", "--listen-address=127.0.0.1", `--port=${port}`],
      ...[`--local=/${domain}/`, `--txt-record=ready.${domain},ready`, ...options],
    ],
    { stdio: ["ignore", "ignore", "pipe"], env: { PATH: `${process.env.PATH}:/usr/sbin` } },
  );
  let said = "";
  server.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  const ended = once(server, "close").catch((error: unknown) => [error]);
  const address = `127.0.0.1:${port}`;
  const deadline = Date.now() + DEADLINE_MS;
  const resolver = new Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([address]);
  for (;;) {
    const isReady = await resolver.resolveTxt(`ready.${domain}`).then(
      () => true,
      () => false,
    );
    if (isReady) break;
    if (server.exitCode !== null || server.pid === undefined || Date.now() > deadline)
      throw new Error(`dnsmasq does not answer: ${said || String(await ended)}`);
  }
  return {
    address,
    stop: async () => {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
