/**
 * Postfix and Exim of Debian as relays on loopback, each with a configuration of its own in a temporary
 * folder. They know the same people at example.com, and write what they get to files. They must be started by
 * root.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CertificateFiles } from "#http/tls/certificate.ts";
import { newPair } from "../../certificate-files.ts";
import { freePort } from "../../free-port.ts";

export interface Place {
  readonly folder: string;
  readonly port: number;
  readonly certificate: CertificateFiles;
  /** Of the user who owns the files. */
  readonly uid: number;
  readonly gid: number;
}
export interface MailServer {
  readonly name: string;
  /** The user who owns its files. */
  readonly user: string;
  readonly folders: readonly string[];
  readonly configure: (place: Place) => Readonly<Record<string, string>>;
  readonly run: (place: Place) => readonly [string, ...string[]];
  /** null: by a signal. */
  readonly stop: ((place: Place) => readonly [string, ...string[]]) | null;
  /** The files with what was delivered to somebody. */
  readonly delivered: (place: Place, person: string) => readonly string[];
  readonly log: (place: Place) => string;
}

const WAIT_MS = 15_000;

async function until<Value>(what: string, find: () => Promise<Value | null> | Value | null): Promise<Value> {
  for (const end = performance.now() + WAIT_MS; ; ) {
    const found = await find();
    if (found !== null) return found;
    assert.ok(performance.now() < end, `${what} within ${WAIT_MS / 1000} s`);
    await pause(20);
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });

function idOf(user: string): { readonly uid: number; readonly gid: number } {
  const [, , uid, gid] =
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${user}:`))
      ?.split(":") ?? [];
  assert.ok(uid !== undefined && gid !== undefined, `there is no user ${user}; run test/interop/setup.sh`);
  return { uid: Number(uid), gid: Number(gid) };
}

export class RunningMailServer {
  readonly place: Place;
  readonly #server: MailServer;
  readonly #child: ChildProcess;
  readonly #closed: Promise<void>;
  #errors = "";

  private constructor(server: MailServer, place: Place) {
    this.#server = server;
    this.place = place;
    const [program, ...words] = server.run(place);
    this.#child = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"] });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    this.#closed = new Promise((resolve) => {
      this.#child.once("close", () => resolve());
      this.#child.once("error", (error) => {
        this.#errors += error.message;
        resolve();
      });
    });
  }

  static async start(server: MailServer): Promise<RunningMailServer> {
    assert.equal(process.getuid?.(), 0, `${server.name} can be started by root only`);
    const folder = mkdtempSync(join(tmpdir(), "mailroll-relay-"));
    chmodSync(folder, 0o755);
    const { uid, gid } = idOf(server.user);
    for (const name of server.folders) {
      mkdirSync(join(folder, name));
      chownSync(join(folder, name), uid, gid);
    }
    const certificate = newPair(folder, "localhost");
    chownSync(certificate.key, uid, gid);
    const place = { folder, port: await freePort(), certificate, uid, gid };
    for (const [name, text] of Object.entries(server.configure(place)))
      writeFileSync(join(folder, name), text, { mode: 0o644 });
    const running = new RunningMailServer(server, place);
    try {
      await until(`${server.name} listens`, async () => {
        assert.equal(running.#child.exitCode, null, running.#errors + server.log(place));
        return (await isListening(place.port)) ? true : null;
      });
      return running;
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  /** So many messages to somebody, when all of them are there; with CRLF, as they travelled. */
  async delivered(person: string, count: number): Promise<readonly Buffer[]> {
    const files = await until(`${count} messages to ${person}: ${this.#server.log(this.place)}`, () => {
      const found = this.#server.delivered(this.place, person);
      return found.length >= count ? found : null;
    });
    assert.equal(files.length, count, `messages to ${person}`);
    return files.map((file) =>
      Buffer.from(readFileSync(file, "latin1").replaceAll(/\r?\n/g, "\r\n"), "latin1"),
    );
  }

  async stop(): Promise<void> {
    if (this.#server.stop === null) this.#child.kill("SIGTERM");
    else {
      const [program, ...words] = this.#server.stop(this.place);
      spawn(program, words, { stdio: "ignore" });
    }
    await this.#closed;
    rmSync(this.place.folder, { recursive: true, force: true });
  }
}
