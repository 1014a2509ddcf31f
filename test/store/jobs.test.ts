/** The suites about jobs on both stores. */
import { bothStores } from "../shared-postgres.ts";
import { bulkSuite } from "./bulk-suite.ts";
import { deletionSuite } from "./deletion-suite.ts";
import { endedJobsSuite } from "./ended-jobs-suite.ts";
import { jobTakeoverSuite } from "./job-takeover-suite.ts";
import { jobsSuite } from "./jobs-suite.ts";
import { undoSuite } from "./undo-suite.ts";

const stores = await bothStores();
for (const suite of [jobsSuite, jobTakeoverSuite, deletionSuite, endedJobsSuite, bulkSuite, undoSuite])
  for (const [name, open, sql] of stores) suite(name, open, sql);
