/**
 * nginx and Caddy as the guide sets them up, on loopback, with a port, a certificate and a target of the
 * test.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CertificateFiles } from "#http/tls/certificate.ts";

const root = join(import.meta.dirname, "../..");
/** Unpacked by setup.sh. */
const programs = join(root, "node_modules/.cache/mailroll-interop");

export interface Setup {
  readonly folder: string;
  /** Where the proxy listens, and where Mailroll does. */
  readonly port: number;
  readonly target: number;
  readonly certificate: CertificateFiles;
}

interface ReverseProxy {
  /** The file of deploy/, with what a reader changes in it. */
  readonly configure: (text: string, setup: Setup) => string;
  readonly check: (file: string) => readonly string[];
  readonly run: (file: string) => readonly string[];
}

/** Changes what stands in the file just once. */
function change(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    assert.equal(changed.split(from).length, 2, `${from} stands there once`);
    return changed.replace(from, () => to);
  }, text);
}

const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
const authority = "/etc/letsencrypt/live/mail.example.org";

export const reverseProxies: Readonly<Record<"nginx.conf" | "Caddyfile", ReverseProxy>> = {
  "nginx.conf": {
    configure: (text, { folder, port, target, certificate }) => {
      const site = change(text, [
        ["127.0.0.1:8080", `127.0.0.1:${target}`],
        ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
        ["    listen [::]:443 ssl;\n", ""],
        [`${authority}/fullchain.pem`, certificate.cert],
        [`${authority}/privkey.pem`, certificate.key],
      ]);
      const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`);
      return `daemon off; pid ${folder}/pid; events {} http { access_log off; ${paths.join(" ")}\n${site}}\n`;
    },
    check: (file) => [join(programs, "nginx"), "-e", "stderr", "-t", "-c", file],
    run: (file) => [join(programs, "nginx"), "-e", "stderr", "-c", file],
  },
  Caddyfile: {
    configure: (text, { port, target, certificate }) => {
      const site = change(text, [
        ["127.0.0.1:8080", `127.0.0.1:${target}`],
        [
          "mail.example.org {\n",
          `https://localhost:${port} {\n\ttls ${certificate.cert} ${certificate.key}\n`,
        ],
      ]);
      return `{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n${site}`;
    },
    check: (file) => [join(programs, "caddy"), "validate", "--adapter", "caddyfile", "--config", file],
    run: (file) => [join(programs, "caddy"), "run", "--adapter", "caddyfile", "--config", file],
  },
};

export type ProxyFile = keyof typeof reverseProxies;

export class RunningProxy {
  readonly #child: ChildProcess;
  readonly #closed: Promise<void>;
  #errors = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#closed = new Promise((resolve) => {
      child.once("close", () => resolve());
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
  }

  /** Writes its file, has it checked by the program itself, and waits until it listens. */
  static async start(name: ProxyFile, setup: Setup): Promise<RunningProxy> {
    const { configure, check, run } = reverseProxies[name];
    const file = join(setup.folder, name);
    writeFileSync(file, configure(readFileSync(join(root, "deploy", name), "utf8"), setup));
    const env = { PATH: process.env.PATH, HOME: setup.folder };
    const [checker = "", ...options] = check(file);
    const { status, stderr } = spawnSync(checker, options, { env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const [program = "", ...words] = run(file);
    const proxy = new RunningProxy(spawn(program, words, { env, stdio: ["ignore", "ignore", "pipe"] }));
    while (!(await isListening(setup.port))) {
      assert.equal(proxy.#child.exitCode, null, proxy.#errors);
      await pause(20);
    }
    return proxy;
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#closed;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
