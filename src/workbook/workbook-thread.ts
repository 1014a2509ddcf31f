/** The thread that reads a workbook: it answers each request with the next rows. */
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { CsvError, type CsvRow } from "#csv/rows.ts";
import { lowerPriority } from "#threads/low-priority.ts";
import { readSheet, type ThreadAnswer, type ThreadData } from "./workbook.ts";

lowerPriority();

const { file, sheet } = workerData as ThreadData;
const port = parentPort;
if (port === null) throw new Error("this module is for a thread");

/** How much is answered at a time, so that neither thread waits long for the other. */
const [MOST_ROWS, MOST_CELLS, MOST_CHARACTERS] = [250, 20_000, 1024 ** 2];

async function answer(one: ThreadAnswer): Promise<void> {
  await once(port as NonNullable<typeof port>, "message");
  port?.postMessage(one);
}

try {
  let rows: CsvRow[] = [];
  let [cells, characters] = [0, 0];
  for await (const found of readSheet(Buffer.from(file), sheet)) {
    if ("name" in found) {
      await answer({ sheets: found });
      continue;
    }
    for (const row of found.rows) {
      rows.push(row);
      cells += row.cells.length;
      for (const cell of row.cells) characters += cell.length;
      if (rows.length < MOST_ROWS && cells < MOST_CELLS && characters < MOST_CHARACTERS) continue;
      await answer({ rows, part: found.part });
      rows = [];
      [cells, characters] = [0, 0];
    }
  }
  await answer({ rows, part: 1 });
  await answer({ isDone: true });
} catch (error) {
  if (!(error instanceof CsvError)) throw error;
  await answer({ unreadable: error.message });
}
