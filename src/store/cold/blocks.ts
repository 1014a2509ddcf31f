/** The block list. */
import { patternsOf } from "#domain/block.ts";
import type { Lease } from "#domain/job/job.ts";
import { applyBlockJob } from "#domain/job/kinds.ts";
import type { Blocks, ChangeBlock } from "#domain/ports/blocks.ts";
import { block } from "../tables/entities.ts";
import { applyBlock } from "./jobs/block-application.ts";
import { leaveRest } from "./jobs/started-jobs.ts";
import { auditing } from "./kit/auditing.ts";
import type { Db } from "./kit/db.ts";
import { command, feature, read } from "./kit/feature.ts";
import { allOf } from "./kit/of-account.ts";
import { change, statement } from "./kit/statement.ts";
import { removeErasedBlock } from "./subscribers/erased-blocks.ts";

const insert = change(
  "INSERT INTO block (account_id, pattern, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
const covering = statement(
  block.row,
  ({ isIn }) =>
    `SELECT ${block.columns} FROM block WHERE account_id = $1 AND ${isIn("pattern", "$2")} ORDER BY pattern`,
);
const remove = change("DELETE FROM block WHERE account_id = $1 AND pattern = $2");

/** Applies the change to the first subscribers; a job does the rest. */
async function apply(db: Db, change: ChangeBlock): Promise<Lease | null> {
  const { account, pattern, at, now = at, origin, lease, audit } = change;
  const { after, done } = await applyBlock(db, change, null);
  return leaveRest(db, {
    ...{ name: applyBlockJob(account, pattern), kind: "apply-block", account, args: { pattern, at, origin } },
    ...{ progress: after === null ? null : { after }, done, total: null, at: now, origin, lease, audit },
  });
}

/** The pattern is the id; there is nothing else to it. */
const audited = auditing<object>("block", []);

export const blocks = feature<Blocks>({
  all: allOf(block, { by: ["pattern"] }),
  covering: read((db, { account, address }) => db.all(covering, account, patternsOf(address))),
  add: command(async (db, given) => {
    const { account, pattern, at } = given;
    const isChanged = (await db.run(insert, account, pattern, at)) > 0;
    if (isChanged) await audited(db, given, pattern, null, {});
    return { isChanged, job: await apply(db, given) };
  }),
  remove: command(async (db, given) => {
    const { account, pattern } = given;
    const wasListed = (await db.run(remove, account, pattern)) > 0;
    const isChanged = (await removeErasedBlock(db, account, pattern)) || wasListed;
    if (isChanged) await audited(db, given, pattern, {}, null);
    return { isChanged, job: await apply(db, given) };
  }),
});
