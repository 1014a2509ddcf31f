/**
 * `npm run bench:operators`: what operators cost integrations, over HTTP, with 1,000,000 subscribers, and how
 * long each page of the console takes. It fails if adds beside searches keep less than nine tenths of their
 * rate, or if the memory of an export grows with its list.
 */
import { PostgresDatabases } from "../data/postgres.ts";
import { stopWhenSignalled } from "../processes.ts";
import { RunFolder } from "../run-folder.ts";
import { median } from "../statistics.ts";
import { consolePages } from "./console-pages.ts";
import { exportMemory } from "./export-memory.ts";
import { compareInProcess } from "./in-process.ts";
import { compare, KEPT, keptOf, OPERATORS, report } from "./over-http.ts";
import { onPostgres, onSqlite, type Service } from "./service.ts";

async function compareOverHttp(isPagesOnly: boolean): Promise<boolean> {
  const folder = new RunFolder();
  const postgres = new PostgresDatabases(folder);
  const starts: Readonly<Record<string, () => Promise<Service>>> = {
    SQLite: () => onSqlite(folder, OPERATORS),
    PostgreSQL: () => onPostgres(folder, postgres, OPERATORS),
  };
  let isGood = true;
  try {
    for (const [name, start] of Object.entries(starts)) {
      const service = await start();
      try {
        process.stdout.write(await consolePages(name, service));
        if (isPagesOnly) continue;
        const memory = await exportMemory(name, service);
        process.stdout.write(memory.text);
        const pairs = await compare(folder, service);
        process.stdout.write(report(name, pairs));
        isGood &&= memory.isFlat && median(keptOf(pairs, "ten operators search")) >= KEPT;
      } finally {
        await service.server.stop();
      }
    }
  } finally {
    await postgres.close();
    folder.close();
  }
  return isGood;
}

const signalled = stopWhenSignalled();
try {
  const isGood = process.argv.includes("--in-process")
    ? await compareInProcess()
    : await compareOverHttp(process.argv.includes("--pages"));
  if (!isGood) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`bench: ${signalled() ?? (error as Error).message}\n`);
  process.exitCode = 1;
}
