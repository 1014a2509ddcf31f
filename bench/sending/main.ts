/**
 * `npm run bench:sending`: how fast campaigns are sent, what that costs calls, memory and disk. The relay is
 * Postfix's smtp-sink, on the same machine. It fails if a target is missed. Options: --sqlite, --postgres,
 * and --short for fewer messages and no large campaign.
 */
import { PostgresDatabases } from "../data/postgres.ts";
import { stopWhenSignalled } from "../processes.ts";
import { table } from "../report/table.ts";
import { RunFolder } from "../run-folder.ts";
import { median } from "../statistics.ts";
import { type AddsBeside, addsBesideSending, PER_SECOND } from "./adds-beside.ts";
import { type Footprint, footprint } from "./memory.ts";
import { measureRates, type Rates } from "./rates.ts";
import { onPostgres, onSqlite, type StartService } from "./service.ts";
import { startSink } from "./sink.ts";

const isShort = process.argv.includes("--short");
const [ROUNDS, MESSAGES] = isShort ? [1, 3000] : [5, 8000];
const [FEW, MANY, SENT] = isShort ? [10_000, 100_000, 10_000] : [10_000, 1_000_000, 50_000];

/** Memory that garbage collection may or may not have returned yet. */
const FLAT_MIB = 48;
const targets = {
  "of bare connections": 0.6,
  "of the signatures of one thread": 0.7,
  [`adds beside ${PER_SECOND}/s`]: 0.8,
};

interface Measured {
  readonly rates: readonly Rates[];
  readonly adds: readonly AddsBeside[];
  readonly few: Footprint;
  readonly many: Footprint;
}

async function measure(folder: RunFolder, start: StartService): Promise<Measured> {
  const sink = await startSink(folder);
  try {
    const [rates, adds]: [Rates[], AddsBeside[]] = [[], []];
    const service = await start(3 * MESSAGES);
    try {
      // Code that has just been started is slow.
      await measureRates(service, sink, MESSAGES / 4);
      for (let round = 0; round < ROUNDS; round += 1) {
        rates.push(await measureRates(service, sink, MESSAGES));
        adds.push(await addsBesideSending(folder, service, sink));
      }
    } finally {
      await service.stop();
    }
    const sized = async (members: number): Promise<Footprint> => {
      const one = await start(members);
      try {
        return await footprint(one, sink, SENT);
      } finally {
        await one.stop();
      }
    };
    return { rates, adds, few: await sized(FEW), many: await sized(MANY) };
  } finally {
    await sink.stop();
  }
}

const whole = (value: number): string => value.toFixed(0);

/** Whether every target is reached. */
function report(name: string, ledgerLimit: number, { rates, adds, few, many }: Measured): boolean {
  const reached: Readonly<Record<string, number>> = {
    "of bare connections": median(rates.map(({ bare, unsigned }) => unsigned / bare)),
    "of the signatures of one thread": median(rates.map(({ signatures, signed }) => signed / signatures)),
    [`adds beside ${PER_SECOND}/s`]: median(adds.map(({ alone, beside }) => beside / alone)),
  };
  const of = (value: (each: Rates) => number): string => whole(median(rates.map(value)));
  const rows = [
    ["bare connections", of(({ bare }) => bare)],
    ["campaign, unsigned", of(({ unsigned }) => unsigned)],
    ["RSA-2048 signatures, one thread", of(({ signatures }) => signatures)],
    ["campaign, signed", of(({ signed }) => signed)],
    ["adds alone", whole(median(adds.map(({ alone }) => alone)))],
    ["adds beside sending", whole(median(adds.map(({ beside }) => beside)))],
    ["messages sent beside adds", whole(median(adds.map(({ sent }) => sent)))],
  ];
  process.stdout.write(`${table([name, "per second"], rows)}\n\n`);
  const shares = Object.entries(targets).map(([target, least]) => [
    target,
    (reached[target] ?? 0).toFixed(2),
    least.toFixed(2),
  ]);
  process.stdout.write(`${table([name, "share", "target"], shares)}\n\n`);
  const footprints = [few, many].map(({ selected, sent, peakMiB, ledgerBytes }) => [
    `${whole(selected)} selected, ${whole(sent)} sent`,
    peakMiB.toFixed(0),
    ledgerBytes.toFixed(0),
  ]);
  process.stdout.write(`${table([name, "peak MiB", "ledger bytes each"], footprints)}\n\n`);
  return (
    Object.entries(targets).every(([target, least]) => (reached[target] ?? 0) >= least) &&
    many.peakMiB - few.peakMiB <= FLAT_MIB &&
    many.ledgerBytes <= ledgerLimit
  );
}

const signalled = stopWhenSignalled();
const folder = new RunFolder();
const postgres = new PostgresDatabases(folder);
try {
  let isGood = true;
  const isWanted = (option: string): boolean =>
    process.argv.includes(option) ||
    !["--sqlite", "--postgres"].some((other) => process.argv.includes(other));
  if (isWanted("--sqlite")) isGood = report("SQLite", 100, await measure(folder, onSqlite(folder))) && isGood;
  if (isWanted("--postgres"))
    isGood = report("PostgreSQL", 220, await measure(folder, onPostgres(folder, postgres))) && isGood;
  if (!isGood) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`bench: ${signalled() ?? (error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await postgres.close();
  folder.close();
}
