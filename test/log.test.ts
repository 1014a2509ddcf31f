/** The log: JSON lines, cheap, never in the way, and none lost where the program ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type Level, Log } from "#app/log/log.ts";
import { logDefects } from "#app/log/request-log.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-log-"));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

async function logged(level: Level, say: (log: Log) => void): Promise<readonly Record<string, unknown>[]> {
  files += 1;
  const file = join(folder, `${files}.log`);
  const descriptor = openSync(file, "w");
  const log = new Log(level, descriptor);
  say(log);
  await log.flush();
  closeSync(descriptor);
  return linesOf(readFileSync(file, "utf8"));
}
const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("log lines", () => {
  test("writes level, time and message first, then the fields", async () => {
    const [line] = await logged("info", (log) =>
      log.info("call", { status: 200, charset_mismatch: undefined }),
    );
    assert.deepEqual(Object.keys(line ?? {}), ["level", "time", "msg", "status"]);
    assert.equal(line?.level, "info");
    assert.match(String(line.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
  test("writes one line whatever the message contains", async () => {
    const [line] = await logged("info", (log) => log.info("a\nb", { c: 'd"\u2028\n' }));
    assert.equal(line?.msg, "a\nb");
    assert.equal(line.c, 'd"\u2028\n');
  });
  test("writes the stack of an error and its causes", async () => {
    const cause = new RangeError("outer", { cause: new TypeError("inner", { cause: "a word" }) });
    const [line] = await logged("info", (log) => log.error("internal error", {}, cause));
    const err = line?.err as { name: string; stack: string; cause: { name: string; cause: unknown } };
    assert.equal(err.name, "RangeError");
    assert.match(err.stack, /log\.test\.ts/);
    assert.equal(err.cause.name, "TypeError");
    assert.deepEqual(err.cause.cause, { name: "thrown", message: "a word" });
  });
  test("writes an error whose causes never end", async () => {
    const error = new Error("endless");
    error.cause = new Error("its cause", { cause: error });
    const [line] = await logged("info", (log) => log.error("internal error", {}, error));
    const err = line?.err as { message: string; cause: { message: string } };
    assert.deepEqual([err.message, err.cause.message], ["endless", "its cause"]);
  });
});

test("an outage of the database during a streamed reply is a warning, and a defect an error", async () => {
  const said = async (error: Error) => {
    const [line] = await logged("info", (log) => void logDefects(log)(error, "/export"));
    return [line?.level, line?.msg, line?.outcome];
  };
  const warning = ["warn", "streamed response aborted", "Unavailable"];
  assert.deepEqual(await said(new StoreUnavailable("no answer")), warning);
  assert.deepEqual(await said(new Error("defect")), ["error", "internal error", undefined]);
});

test("writes nothing below the level", async () => {
  const everything = (log: Log): void => {
    log.error("e");
    log.warn("w");
    log.info("i");
    log.debug("d");
  };
  const said = async (level: Level) => (await logged(level, everything)).map(({ msg }) => msg);
  assert.deepEqual(await said("silent"), []);
  assert.deepEqual(await said("error"), ["e"]);
  assert.deepEqual(await said("warn"), ["e", "w"]);
  assert.deepEqual(await said("info"), ["e", "w", "i"]);
  assert.deepEqual(await said("debug"), ["e", "w", "i", "d"]);
});

test("writes many lines completely and in order", async () => {
  const lines = await logged("info", (log) => {
    for (let n = 0; n < 20_000; n += 1) log.info("n", { n });
  });
  assert.deepEqual(
    lines.map(({ n }) => n),
    Array.from({ length: 20_000 }, (_, n) => n),
  );
});

test("writes a line soon without a flush", async () => {
  const file = join(folder, "soon.log");
  const descriptor = openSync(file, "w");
  new Log("info", descriptor).info("soon");
  while (readFileSync(file, "utf8") === "") await setTimeout(10);
  closeSync(descriptor);
});

describe("lines that cannot be written", () => {
  /** Its writes fail with ENOSPC until `repair`, which puts a file in the place of the descriptor. */
  function onFullDisk() {
    const file = join(folder, "full.log");
    const descriptor = openSync("/dev/full", "w");
    const log = new Log("info", descriptor);
    const repair = (): void => {
      closeSync(descriptor);
      assert.equal(openSync(file, "w"), descriptor, "the lowest free number");
    };
    const lines = (): readonly Record<string, unknown>[] => {
      closeSync(descriptor);
      return linesOf(readFileSync(file, "utf8")).map(({ time: _time, ...line }) => line);
    };
    return { log, repair, lines };
  }

  test("counts lines whose write failed, and logs their number once lines can be written again", async () => {
    const { log, repair, lines } = onFullDisk();
    for (let n = 0; n < 3; n += 1) log.info("lost", { n });
    await log.flush();
    assert.deepEqual(log.lost, { unread: 0, failed: 3 });
    // The line about the lost ones is lost too, and is not counted with them.
    log.error("lost too");
    await log.flush();
    assert.deepEqual(log.lost, { unread: 0, failed: 4 });
    repair();
    for (const n of [1, 2]) {
      log.info("written", { n });
      await log.flush();
    }
    assert.deepEqual(lines(), [
      { level: "info", msg: "written", n: 1 },
      { level: "warn", msg: "log lines lost: they could not be written", lines: 4, code: "ENOSPC" },
      { level: "info", msg: "written", n: 2 },
    ]);
    assert.deepEqual(log.lost, { unread: 0, failed: 4 });
  });
});

const program = (code: string): string[] => [
  "--input-type=module",
  "--eval",
  `import { Log } from ${JSON.stringify(new URL("../src/app/log/log.ts", import.meta.url).href)}; const log = new Log("info"); ${code}`,
];

test("ends a line that a failed write left half written, and counts it as lost", async () => {
  const LINES = 20;
  const file = join(folder, "limited.log");
  const code = `
    for (let n = 0; n < ${LINES}; n += 1) log.info("a line", { n });
    await log.flush();
    process.stdout.write("failed");
    process.stdin.once("data", async () => { log.info("after"); await log.flush(); process.exit(0); });`;
  // A file of at most one block: the first write is cut off there, and the next one fails.
  const limited = ["-c", 'ulimit -f 1; exec "$0" "$@" 2>>"$LOG"', process.execPath, ...program(code)];
  const env = { ...process.env, LOG: file };
  const child = spawn("sh", limited, { env, stdio: ["pipe", "pipe", "ignore"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const cut = readFileSync(file, "utf8");
  const whole = cut.split("\n").length - 1;
  assert.ok(whole > 0 && whole < LINES && !cut.endsWith("\n"), cut);
  truncateSync(file);
  child.stdin.write("go on");
  await new Promise((resolve) => child.on("close", resolve));
  const [rest, ...lines] = readFileSync(file, "utf8").split("\n");
  assert.equal(rest, "", "the half line is ended before the next");
  assert.deepEqual(
    linesOf(lines.join("\n")).map(({ msg, lines: lost, code: cause }) => [msg, lost, cause]),
    [
      ["after", undefined, undefined],
      ["log lines lost: they could not be written", LINES - whole, "EFBIG"],
    ],
  );
});

test("writes waiting lines when the process exits", async () => {
  const child = spawn(process.execPath, program('log.info("last words"); process.exit(3);'), {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => child.on("close", resolve));
  assert.match(text, /"msg":"last words"/);
});

test("drops lines that are not read in time without blocking, and logs their number", async () => {
  // Eight times what may wait, and then a word on standard output: it must not be held up.
  const code = `
    for (let n = 0; n < 40; n += 1) { for (let i = 0; i < 10000; i += 1) log.info("x", { n, i }); await new Promise(setImmediate); }
    process.stdout.write("still here");
    process.stdin.on("data", async () => { await log.flush(); log.info("after"); await log.flush(); process.exit(0); });`;
  const child = spawn(process.execPath, program(code), { stdio: ["pipe", "pipe", "pipe"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  child.stdin.write("go on");
  await new Promise((resolve) => child.on("close", resolve));
  const lines = linesOf(text);
  const dropped = Number(lines.find(({ msg }) => String(msg).startsWith("log lines dropped"))?.lines);
  const kept = lines.filter(({ msg }) => msg === "x").length;
  assert.ok(dropped > 0);
  assert.equal(kept + dropped, 400_000);
  assert.equal(lines.at(-1)?.msg, "after");
});

test("lets the process end though nobody reads the lines", async (t) => {
  // As in the service, where the streams of the process are in use: a full pipe then returns EAGAIN.
  const code = `
    process.stderr;
    for (let n = 0; n < 10000; n += 1) log.info("unread", { n });
    await log.flush(100);`;
  const child = spawn(process.execPath, program(code), { stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const [exitCode] = await once(child, "exit");
  assert.equal(exitCode, 0);
});
