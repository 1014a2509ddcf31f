/** The whole program over PostgreSQL: the service by SOAP, and the command line. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { connect as tlsConnect } from "node:tls";
import { Log } from "#app/log/log.ts";
import { runCommandLine } from "#cli/command-line.ts";
import { restartDelay } from "#cli/commands/serve/workers.ts";
import { StoreRefused } from "#domain/ports/errors.ts";
import type { CertificateFiles } from "#http/tls/certificate.ts";
import { newPair } from "./certificate-files.ts";
import { Installation } from "./cli/program.ts";
import { freePort } from "./free-port.ts";
import type { PostgresServer } from "./postgres-server.ts";
import { call, KEY, startService, withKey } from "./service.ts";
import { ownPostgres } from "./shared-postgres.ts";
import { query } from "./store/postgres-account.ts";

let server: PostgresServer;
before(async () => {
  server = await ownPostgres();
});
after(() => server.stop());

test("serves SOAP calls over PostgreSQL", async () => {
  const service = await startService({ database: await server.newDatabase() });
  try {
    const list = service.firstStart?.list ?? 0;
    const add = `<SubscribersListID>${list}</SubscribersListID><EMail>ada@example.org</EMail>`;
    assert.equal((await call(service, "Subscriber.Add", withKey(add))).result, "0");
    const lists = await call(service, "Client.GetSubscribersLists", withKey());
    assert.equal(lists.status, 200);
    assert.match(lists.result ?? "", /Newsletter/);
    assert.match(lists.result ?? "", />1</);
    assert.equal((await call(service, "Subscriber.Add", withKey(add, "UNKNOWN-KEY"))).code, "InvalidApiKey");
  } finally {
    await service.close();
  }
});

test("answers Unavailable to a list whose database goes away before its first row", async () => {
  // By this clock the key stays known, so that the list is the first thing that the database is asked for.
  const service = await startService({ database: await server.newDatabase() }, () => 1_800_000_000_000);
  try {
    assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
    await server.pause();
    const answer = await call(service, "Field.GetFields", withKey());
    assert.equal(answer.code, "Unavailable");
    assert.equal(answer.headers.get("Retry-After"), "5");
  } finally {
    await server.resume();
    await service.close();
  }
});

test("serves one port with several workers, replaces one that dies, and stops all on a signal", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const served = await home.serve(["--workers", "2"], {
    MAILROLL_DATABASE: await server.emptyDatabase(),
    MAILROLL_API_KEY: KEY,
    MAILROLL_LOG: "info",
  });
  assert.match(
    served.output.out,
    /Your first list/,
    "the first start is told once, whichever worker made it",
  );
  assert.equal(served.children.length, 2);
  const areServing = async (): Promise<void> => {
    for (let n = 0; n < 10; n += 1) {
      const probe = await call(served, "Client.TestApiConnection", withKey(), { Connection: "close" });
      assert.equal(probe.result, "true");
    }
  };
  await areServing();
  const said = (text: string): number => served.output.err.split(text).length - 1;
  const untilSaid = async (text: string, times: number): Promise<void> => {
    while (said(text) < times) await delay(20);
  };
  served.killChild();
  await untilSaid('"serving"', 3);
  assert.equal(served.children.length, 2);
  await areServing();

  await server.pause();
  served.killChild();
  // The next one waits for a database that is slow to connect to.
  await untilSaid("waiting for the database", 1);
  await server.resume();
  await untilSaid('"serving"', 4);
  assert.equal(said("worker exited, restarting"), 2, "none ended because of that");
  assert.equal(served.children.length, 2);
  await areServing();
  assert.equal(await served.stop(), 0);
});

describe("a start without a database", () => {
  class WatchedLog extends Log {
    readonly warnings: string[] = [];
    readonly #onWarning: () => void;
    constructor(onWarning: () => void = () => {}) {
      super("silent");
      this.#onWarning = onWarning;
    }
    override warn(message: string, { reason }: { readonly reason?: unknown } = {}): void {
      this.warnings.push([message, reason].join(": "));
      this.#onWarning();
    }
  }

  test("waits, with one line, until the server listens", async () => {
    const target = new URL(await server.newDatabase());
    const port = await freePort();
    const proxy = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on("error", () => {});
    });
    const log = new WatchedLog(() => proxy.listen(port, "127.0.0.1"));
    const database = new URL(target);
    database.port = String(port);
    const service = await startService({ database: database.href }, Date.now, undefined, log);
    assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
    await service.close();
    proxy.close();
    assert.equal(log.warnings.length, 1);
    assert.match(log.warnings[0] ?? "", /^waiting for the database: .*ECONNREFUSED/);
  });

  test("does not wait for what stays as it is", async () => {
    const good = await server.newDatabase();
    const missing = new URL(good);
    missing.pathname = "/nowhere";
    const unknown = new URL(good);
    unknown.username = "nobody";
    for (const url of [missing, unknown]) {
      const log = new WatchedLog();
      await assert.rejects(startService({ database: url.href }, Date.now, undefined, log), StoreRefused);
      assert.deepEqual(log.warnings, []);
    }
  });
});

test("replaces a worker with the certificate in use while the files are unusable, and reloads a good one in all", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const [first, second] = [newPair(home.folder, "first"), newPair(home.folder, "second")];
  const files = { cert: join(home.folder, "served.crt"), key: join(home.folder, "served.key") };
  const put = (pair: CertificateFiles): void => {
    copyFileSync(pair.cert, files.cert);
    copyFileSync(pair.key, files.key);
  };
  put(first);
  const served = await home.serve(["--workers", "2"], {
    MAILROLL_DATABASE: await server.newDatabase(),
    MAILROLL_LOG: "info",
    MAILROLL_TLS_CERT: files.cert,
    MAILROLL_TLS_KEY: files.key,
  });
  const said = (text: string): number => served.output.err.split(text).length - 1;
  const port = Number(new URL(served.origin).port);
  /** Connections go to the workers in turn. */
  const names = async (): Promise<readonly (string | string[] | undefined)[]> => {
    const found = [];
    for (let n = 0; n < 4; n += 1) {
      const socket = tlsConnect({ port, host: "127.0.0.1", rejectUnauthorized: false });
      await once(socket, "secureConnect");
      found.push(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    }
    return found;
  };
  writeFileSync(files.cert, "");
  while (said("certificate reload failed") === 0) await delay(20);
  served.killChild();
  while (said('"serving"') < 3) await delay(20);
  assert.equal(said("worker exited, restarting"), 1);
  assert.deepEqual(await names(), ["first", "first", "first", "first"]);

  put(second);
  while ((await names()).includes("first")) await delay(20);
  served.killChild();
  while (said('"serving"') < 4) await delay(20);
  assert.deepEqual(await names(), ["second", "second", "second", "second"]);
  assert.equal(said("certificate reloaded"), 1, "only the primary looks at the files");
  assert.ok(!served.output.err.includes("PRIVATE KEY"));
  assert.equal(await served.stop(), 0);
});

test("increases the pause before a restart to sixteen seconds", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 2000].map(restartDelay),
    [1000, 2000, 4000, 8000, 16_000, 16_000, 16_000],
  );
});

test("shuts down a serving worker gracefully while others are starting", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const child = home.start(["serve", "--workers", "3", "--port", "0"], {
    MAILROLL_DATABASE: await server.newDatabase(),
  });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    log += piece;
    if (piece.includes('"serving"')) child.kill("SIGTERM");
  });
  assert.deepEqual(await once(child, "close"), [0, null]);
  assert.equal(log.split('"stopped"').length - 1, 2, `the worker and the primary:\n${log}`);
});

test("exits when workers cannot start, with different codes for a wrong setting and an unreachable database", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const start = (env: Readonly<Record<string, string>>) =>
    home.run(["serve", "--workers", "2", "--port", "0"], {
      env: { MAILROLL_DATABASE: "postgres://u:p@127.0.0.1:1/m", ...env },
    });
  // It has no TLS, and is not waited for.
  const away = await start({ MAILROLL_DATABASE: `${await server.newDatabase()}?sslmode=verify-full` });
  assert.equal(away.code, 1);
  assert.match(
    away.err,
    /^mailroll: the database does not answer: .*\nmailroll: the first worker could not start\n$/,
  );
  const wrong = await start({ MAILROLL_TLS_CERT: "/nowhere", MAILROLL_TLS_KEY: "/nowhere" });
  assert.equal(wrong.code, 78);
  assert.match(wrong.err, /^mailroll: \/nowhere cannot be read: .*\n$/);
});

describe("the command line over PostgreSQL", () => {
  const run = async (words: string, database: string) => {
    const output = { out: "", err: "" };
    const code = await runCommandLine(words.split(" "), {
      out: (text) => {
        output.out += text;
      },
      err: (text) => {
        output.err += text;
      },
      env: { MAILROLL_DATABASE: database },
      folder: tmpdir(),
      confirm: async () => null,
    });
    return { code, ...output };
  };
  test("creates what it needs, and doctor finds no problem", async () => {
    const url = await server.emptyDatabase();
    assert.equal((await run("account create Acme", url)).code, 0);
    assert.equal((await run("key create", url)).code, 0);
    const { code, out } = await run("doctor", url);
    assert.equal(code, 0, out);
    assert.match(
      out,
      /^ok +schema +version \d+; no server has started on it yet\nok +writes .*\nok +integrity .*\nok +counters .*\nok +accounts +account 1/m,
    );
  });
  test("reports that a read-only database cannot be written to", async () => {
    const url = await server.newDatabase();
    assert.equal((await run("account create Acme", url)).code, 0);
    const name = new URL(url).pathname.slice(1);
    await query(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const { code, out } = await run("doctor", url);
    assert.equal(code, 1, out);
    assert.match(out, /^problem +writes +the database cannot be written to: .*read-only transaction/m);
    assert.match(out, /^ok +counters /m);
  });
  test("reports an unreachable server or an invalid address in one line without the password", async () => {
    const unreachable = await run("doctor", "postgres://u:hidden@127.0.0.1:1/m");
    assert.equal(unreachable.code, 1);
    assert.match(
      unreachable.out,
      /^problem +database +the database does not answer: .*check that the server is running/m,
    );
    const misspelt = await run("doctor", "postgress://u:hidden@127.0.0.1/m");
    assert.equal(misspelt.code, 78);
    assert.match(misspelt.err, /^mailroll: MAILROLL_DATABASE: the value is not sqlite: and a file/);
    assert.doesNotMatch(JSON.stringify([unreachable, misspelt]), /hidden/);
  });
});
