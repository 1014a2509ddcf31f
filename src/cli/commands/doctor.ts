/**
 * `mailroll doctor`: checks everything and reports what to do. Apart from opening the database it changes
 * nothing, except with --accept-damaged-journal or --correct-statistics.
 */

import { type Stats, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { acceptDamagedJournal, migrationCopies } from "#app/database.ts";
import type { Config } from "#app/settings/config.ts";
import { ConfigError, fileOfSecrets } from "#app/settings/load-config.ts";
import { isShort, isUsable, SHORT_KEY_WARNING } from "#domain/access/key.ts";
import { dayOf } from "#domain/calendar.ts";
import { type Job, leftStateOf, rewriteDueSince } from "#domain/job/job.ts";
import { isPeriodic, jobKinds } from "#domain/job/kinds.ts";
import { collect } from "#domain/paging.ts";
import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { DEMO_SENDS_NOTHING, relayPlace } from "#domain/sending/relay.ts";
import { asTyped, PROGRAM } from "#shipped.ts";
import { type Command, type Context, Failure, UsageError } from "../kit/command.ts";
import { unknownVariables } from "../kit/request.ts";
import { moment } from "../kit/terminal/output.ts";
import { counted, formatNumber, oneLine, shellWord } from "../kit/terminal/text.ts";

/**
 * What `mailroll doctor` finds out about jobs that fail, that no process does, or that a copy has
 * interrupted.
 */
interface JobFinding {
  readonly status: "ok" | "warning";
  readonly message: string;
}

/** A server begins a job that is due within seconds. */
const OVERDUE_MS = 600_000;

/** A periodic job that waits because no server runs does no harm. */
const isOverdue = (job: Job, now: number): boolean =>
  !isPeriodic(job.kind) && leftStateOf(job, now) === "waiting" && now - job.dueAt > OVERDUE_MS;

const adviceFor = ({ kind }: Job): string =>
  (jobKinds as readonly string[]).includes(kind)
    ? `start the server ('${PROGRAM} serve'), which finishes it`
    : "this version does not know such jobs; run the newer Mailroll that left it";

const interruption = ({ id, name, endedAt }: Job): JobFinding => ({
  status: "warning",
  message: `job ${name} was interrupted when this database was copied or restored, at ${moment(endedAt ?? 0)}; to do the rest, run the command again that began it; '${PROGRAM} job show ${id}' says who did`,
});

export function findingsOfJobs(all: readonly Job[], now: number): readonly JobFinding[] {
  const jobs = all.filter(({ ending }) => ending === null);
  const interrupted = all.filter(({ ending }) => ending === "interrupted").map(interruption);
  const failing = jobs
    .filter((job) => leftStateOf(job, now) === "retrying")
    .map((job): JobFinding => {
      const { name, attempts, dueAt, lastError } = job;
      const since = rewriteDueSince([job], now);
      const due = since === null ? "" : `; it has been due since ${moment(since)}`;
      return {
        status: "warning",
        message: `job ${name} failed ${counted(attempts, "time")}: ${lastError ?? "no reason is known"}; a server repeats it at ${moment(dueAt)}${due}`,
      };
    });
  const waiting = jobs
    .filter((job) => isOverdue(job, now))
    .map(
      (job): JobFinding => ({
        status: "warning",
        message: `job ${job.name} has been waiting since ${moment(job.dueAt)}; ${adviceFor(job)}`,
      }),
    );
  const found = [...failing, ...waiting, ...interrupted];
  if (found.length > 0) return found;
  const left = jobs.filter(({ kind }) => !isPeriodic(kind)).length;
  return [{ status: "ok", message: `none is failing; left to do: ${formatNumber(left)}` }];
}

export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "problem";
  readonly message: string;
}
const check = (name: string, status: Check["status"], message: string): Check => ({ name, status, message });

const MIB = 1024 ** 2;

function checkVariables(env: Readonly<Record<string, string | undefined>>): readonly Check[] {
  const unknown = unknownVariables(env);
  if (unknown.length === 0) return [check("settings", "ok", "all are valid")];
  return unknown.map((text) => check("settings", "warning", text));
}

/** Group access may be intended, for the service's own group; access for all users is not. */
function checkSecrecy(file: string | null): readonly Check[] {
  const mode = file === null ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0);
  if (file === null || process.platform === "win32" || (mode & 0o007) === 0) return [];
  return [
    check(
      "secrets",
      "warning",
      `all users of this machine can read ${file}; run: chmod o= ${shellWord(file)}`,
    ),
  ];
}

/** Whether there are senders, each with a relay of its own. */
async function sendersHaveRelays({ accounts, senders }: Store): Promise<boolean> {
  const ofAccounts = (await collect(accounts.all.pages({}))).map(({ id: account }) =>
    collect(senders.all.pages({ account })),
  );
  const all = (await Promise.all(ofAccounts)).flat();
  return all.length > 0 && all.every(({ relays }) => relays.some(({ url }) => relayPlace(url) !== null));
}

async function checkMail({ smtp }: Config, store: Store | null): Promise<Check> {
  const relay = relayPlace(smtp);
  if (relay !== null) return check("mail", "ok", `the relay of the installation is ${relay}`);
  if (store !== null && (await sendersHaveRelays(store)))
    return check("mail", "ok", "every sender has a relay of its own");
  const files = `messages are written to files in ${smtp.replace(/^file:/, "")}, and not sent`;
  return check(
    "mail",
    "warning",
    `${files}; for real mail, set MAILROLL_SMTP to an SMTP server, or give each sender a relay`,
  );
}

/** What keeps campaigns from reaching people. `store`: null if it cannot be read. */
async function checkSending(config: Config, store: Store | null): Promise<readonly Check[]> {
  if ((await store?.health.program())?.isDemo === true) return [check("mail", "ok", DEMO_SENDS_NOTHING)];
  return [
    await checkMail(config, store),
    ...(config.baseUrl === null
      ? [
          check(
            "address",
            "warning",
            "MAILROLL_BASE_URL is not set, so links in messages would lead nowhere; set it to the public address of the service, such as https://mail.example.org",
          ),
        ]
      : []),
  ];
}

async function checkHttps(config: Config, now: number): Promise<readonly Check[]> {
  // Loaded here, because no other command needs TLS.
  const { baseUrlWarning, certificateOf, certificateWarning } = await import("#app/tls.ts");
  const mismatch = baseUrlWarning(config);
  const address = mismatch === null ? [] : [check("address", "warning", mismatch)];
  try {
    const validity = (await certificateOf(config))?.validity;
    if (validity === undefined) return address;
    const concern = certificateWarning(validity, now);
    const [from, until] = [validity.from, validity.until].map((at) => new Date(at).toISOString());
    return [
      concern === null
        ? check("certificate", "ok", `expires ${until}`)
        : check("certificate", "warning", `${concern} (valid from ${from} to ${until})`),
      ...address,
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const message = `${error.message}; the server does not start with it`;
    return [check("certificate", "problem", message), ...address];
  }
}

function checkFile(file: string): Check & { readonly stats: Stats | null } {
  let stats: Stats | null;
  try {
    stats = statSync(file, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    const reason = (error as Error).message;
    return { ...check("file", "problem", `this user cannot read ${file}: ${reason}`), stats: null };
  }
  if (stats === null) {
    const advice = `start the server once ('${PROGRAM} serve'), or set MAILROLL_DATABASE to where it is`;
    return { ...check("file", "problem", `there is no database ${file}; ${advice}`), stats };
  }
  const isOpen = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
  return isOpen
    ? {
        ...check("file", "warning", `other users can read ${file}; run: chmod 600 ${shellWord(file)}`),
        stats,
      }
    : { ...check("file", "ok", `${file}, ${formatNumber(Math.ceil(stats.size / MIB))} MiB`), stats };
}

async function checkSpace(file: string, reserve: number): Promise<Check> {
  const { bavail, bsize } = await statfs(dirname(file));
  const free = bavail * bsize;
  const message = `${formatNumber(Math.floor(free / MIB))} MiB free`;
  return free < reserve
    ? check("disk", "warning", `only ${message}; a full disk makes every write fail`)
    : check("disk", "ok", message);
}

/** Same as the readiness probe: finds a full disk, a standby or a lock before a call fails. */
async function checkWrites(store: Store): Promise<Check> {
  try {
    await store.health.probeWrite();
    return check("writes", "ok", "the database accepts writes");
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return check("writes", "problem", `the database cannot be written to: ${error.message}`);
  }
}

async function checkIntegrity(store: Store): Promise<readonly Check[]> {
  const findings = await store.health.integrity();
  if (findings.length === 0) return [check("integrity", "ok", "the database is sound")];
  return findings.map((finding) =>
    check("integrity", "problem", `${finding}; stop the server and restore a backup`),
  );
}

const CORRECT = "correct-statistics";

/** How many sums of days, and counts of states, were wrong. */
async function correctStatistics(store: Store, now: number): Promise<Check> {
  const accounts = await collect(store.accounts.all.pages({}));
  let corrected = 0;
  for (const { id: account } of accounts) {
    const uncounted = await store.statistics.uncounted({ account });
    corrected += await store.statistics.correct({ account, day: dayOf(now), uncounted });
  }
  return corrected === 0
    ? check("statistics", "ok", "all sums per day and counts by state are right; nothing was changed")
    : check(
        "statistics",
        "warning",
        `corrected ${counted(corrected, "wrong entry", "wrong entries")} (sums per day and counts by state)`,
      );
}

async function checkCounters(store: Store): Promise<readonly Check[]> {
  const counters = await store.health.recount();
  const wrong = counters.filter(({ kept, counted }) => kept !== counted);
  if (wrong.length === 0)
    return [check("counters", "ok", `stored counts agree with a recount: ${formatNumber(counters.length)}`)];
  return wrong.map(({ what, kept, counted: recounted, isCorrectable }) =>
    check(
      "counters",
      "problem",
      `${what}: ${formatNumber(kept)} is stored, but a recount gives ${formatNumber(recounted)}; ${isCorrectable ? `to correct it, run: ${PROGRAM} doctor --${CORRECT}; if no other program changed the database, also report this as a defect` : "if another program changed the database, restore a backup; if not, report this as a defect"}`,
    ),
  );
}

async function checkAccounts(store: Store, now: number): Promise<readonly Check[]> {
  const accounts = await collect(store.accounts.all.pages({}));
  if (accounts.length === 0)
    return [
      check(
        "accounts",
        "warning",
        `there is no account; start the server once, or run: ${PROGRAM} account create NAME`,
      ),
    ];
  const checks = accounts.map(async ({ id, name }) => {
    const usable = (await collect(store.keys.all.pages({ account: id }))).filter((key) => isUsable(key, now));
    const state =
      usable.length === 0
        ? check(
            "accounts",
            "warning",
            `account ${id} (${name}) has no valid key; create one: ${PROGRAM} key create --account ${id}`,
          )
        : check("accounts", "ok", `account ${id} (${name}), valid keys: ${formatNumber(usable.length)}`);
    const short = usable
      .filter(isShort)
      .map((key) =>
        check(
          "keys",
          "warning",
          `key ${key.id} (${key.hint}…) of account ${id} ${asTyped(SHORT_KEY_WARNING)}`,
        ),
      );
    return [state, ...short];
  });
  return (await Promise.all(checks)).flat();
}

/** Checks inside the database; a database that cannot be opened or read is a finding too. */
async function checkStore(
  { store: open, config, now, has }: Context,
  whereUnavailable: string,
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  try {
    const store = await open();
    const program = await store.health.program();
    const writer =
      program === null
        ? "no server has started on it yet"
        : `last written by a server of Mailroll ${program.version}, which first started with schema ${program.schemaVersion} at ${moment(program.since)}`;
    checks.push(check("schema", "ok", `version ${store.schemaVersion}; ${writer}`));
    checks.push(await checkWrites(store));
    for (const one of await checkIntegrity(store)) checks.push(one);
    if (has(CORRECT)) checks.push(await correctStatistics(store, now));
    for (const one of await checkCounters(store)) checks.push(one);
    for (const one of await checkAccounts(store, now)) checks.push(one);
    for (const { status, message } of findingsOfJobs(
      [...(await store.jobs.left()), ...(await store.jobs.interrupted())],
      now,
    ))
      checks.push(check("jobs", status, message));
    for (const one of await checkSending(config, store)) checks.push(one);
  } catch (error) {
    if (!(error instanceof StoreRefused) && !(error instanceof StoreUnavailable)) throw error;
    const advice = error instanceof StoreRefused ? "" : `; ${whereUnavailable}`;
    checks.push(check("database", "problem", error.message + advice));
  }
  return checks;
}

const ACCEPT = "accept-damaged-journal";

async function acceptJournal(file: string, now: number): Promise<Check> {
  const accepted = await acceptDamagedJournal(file, now);
  if (accepted === null) return check("journal", "ok", "it is not damaged; nothing was changed");
  const { pages, copy } = accepted;
  const kept = `its first ${formatNumber(pages)} pages are in the database now`;
  return check(
    "journal",
    "warning",
    `calls after the damage were dropped; ${kept}, and a copy of it is ${copy}`,
  );
}

const aboutCopy = (copy: string): string =>
  `${copy} was made before the schema changed; the server removes it a week after its first good start, and '${PROGRAM} backup prune' at once`;

async function checkDatabase(context: Context): Promise<readonly Check[]> {
  const {
    config: { database, diskReserve },
    has,
    now,
  } = context;
  if (database.kind === "postgres") {
    if (has(ACCEPT)) throw new UsageError(`--${ACCEPT} is for SQLite; PostgreSQL repairs its own log`);
    return checkStore(context, "check that the server is running and that this machine can reach it");
  }
  const { stats, ...fileCheck } = checkFile(database.file);
  if (stats === null) return [fileCheck];
  const advice = "if this persists, stop the server and restore a backup";
  return [
    fileCheck,
    ...(await migrationCopies(database)).map((copy) => check("copy", "ok", aboutCopy(copy))),
    await checkSpace(database.file, diskReserve),
    ...(has(ACCEPT) ? [await acceptJournal(database.file, now)] : []),
    ...(await checkStore(context, advice)),
  ];
}

async function run(context: Context): Promise<void> {
  const { config, env, folder, now, out } = context;
  const checks = [
    ...checkVariables(env),
    ...checkSecrecy(fileOfSecrets(folder)),
    ...checkSecrecy(config.tlsKey),
    ...(await checkHttps(config, now)),
    ...(await checkDatabase(context)),
  ];
  if (checks.every(({ name }) => name !== "mail")) checks.push(...(await checkSending(config, null)));
  out.result({ checks }, () =>
    checks
      .map(({ name, status, message }) => `${status.padEnd(7)}  ${name.padEnd(11)}  ${oneLine(message)}`)
      .join("\n"),
  );
  const problems = checks.filter(({ status }) => status === "problem").length;
  if (problems > 0) throw new Failure(`${counted(problems, "problem")} found`, "ProblemsFound");
}

export const doctorCommand: Command = {
  name: "doctor",
  options: {
    [ACCEPT]: {
      doc: "Continue with a damaged SQLite journal (-wal): copies it, keeps what is readable, and drops the calls after the damage. Stop the service and keep a copy of the database first.",
    },
    [CORRECT]: {
      doc: "Corrects wrong statistics. If the numbers per day of a list or an account do not add up to its stored count, adds the difference to today. If the stored number of subscribers in a state is wrong, counts them again.",
    },
  },
  doc: "Checks settings, certificate, database and stored counts, and reports what to do. Slow on a large database.",
  example: "doctor",
  inAccount: false,
  run,
};
