/**
 * The upper limit of adds: rows per second that a database takes in groups, without a server in front of it.
 */
import { resolve } from "node:path";
import type { Bench } from "../bench.ts";
import { empty } from "../data/dataset.ts";
import type { PostgresDatabase } from "../data/postgres.ts";
import { membersIn } from "../data/sqlite.ts";
import { runToEnd } from "../processes.ts";
import { cpuSeconds } from "./proc.ts";
import { type Sample, sampleOf } from "./sample.ts";

interface Added {
  readonly rows: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function run(script: string, database: string, seconds: number): Promise<Added> {
  const path = resolve(import.meta.dirname, "../peers/bare", script);
  const args = ["--disable-warning=ExperimentalWarning", path, database, String(seconds)];
  return JSON.parse(await runToEnd(process.execPath, args)) as Added;
}

function sampleOfAdds({ rows, seconds, cpuSeconds: cpu }: Added, members: number): Sample {
  if (rows !== members) throw new Error(`${rows} rows were added, but the database has ${members}`);
  return sampleOf(rows / seconds, { cpuMs: (cpu * 1000) / rows });
}

/** Each time in a database of its own. */
export async function measureSqliteAdds({ databases, timing }: Bench): Promise<Sample> {
  const file = databases.peer(empty);
  return sampleOfAdds(await run("sqlite-adds.ts", file, timing.measure), await membersIn(file));
}

let database: PostgresDatabase | null = null;

/** Each time in the same one, for it takes longer to make than to measure. */
export async function measurePostgresAdds({ postgres, timing }: Bench): Promise<Sample> {
  database ??= await postgres.database(empty);
  const { url, pid, members } = database;
  const [membersBefore, cpuBefore] = [await members(), cpuSeconds([pid])];
  const added = await run("postgres-adds.ts", url, timing.measure);
  const cpu = added.cpuSeconds + cpuSeconds([pid]) - cpuBefore;
  return sampleOfAdds({ ...added, cpuSeconds: cpu }, (await members()) - membersBefore);
}
