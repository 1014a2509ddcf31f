/**
 * The last versions of a draft, one per save. What the same user saves within some minutes is one version:
 * a draft that saves itself would otherwise soon have ten that hardly differ.
 */
import { type Audited, actorName } from "#domain/access/audit.ts";
import { originKinds } from "#domain/access/origin.ts";
import type { Mailings, OfMailing } from "#domain/ports/sending/mailings.ts";
import { type ComposedCampaign, KEPT_VERSIONS, VERSION_MS } from "#domain/sending/mailing.ts";
import type { NamedContent } from "#domain/version.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, json, nullable, oneOf, selectList, statement, text } from "../kit/statement.ts";

const summary = {
  number: integer,
  savedAt: integer,
  actorKind: oneOf(originKinds),
  actorName: nullable(text),
};
const content = json<NamedContent>();

const latest = statement(
  { ...summary, begunAt: integer },
  `SELECT ${selectList({ ...summary, begunAt: integer })}
   FROM campaign_version
   WHERE account_id = $1 AND campaign_id = $2
   ORDER BY number DESC
   LIMIT 1`,
);
const insert = change(
  `INSERT INTO campaign_version (
     account_id, campaign_id, number, begun_at, saved_at, actor_kind, actor_name, content
   ) VALUES ($1, $2, $3, $4, $4, $5, $6, $7)`,
);
const update = change(
  `UPDATE campaign_version SET saved_at = $4, content = $5
   WHERE account_id = $1 AND campaign_id = $2 AND number = $3`,
);
const dropOlder = change(
  "DELETE FROM campaign_version WHERE account_id = $1 AND campaign_id = $2 AND number <= $3",
);
const all = statement(
  summary,
  `SELECT ${selectList(summary)}
   FROM campaign_version
   WHERE account_id = $1 AND campaign_id = $2
   ORDER BY number DESC`,
);
const one = statement(
  { ...summary, content },
  `SELECT ${selectList({ ...summary, content })}
   FROM campaign_version
   WHERE account_id = $1 AND campaign_id = $2 AND number = $3`,
);

/** After each save. */
export async function recordVersion(
  db: Db,
  { account, campaign: { id, name }, content: given }: Pick<ComposedCampaign, "campaign" | "content"> & Of,
  { audit, isRestored = false }: Audited & { readonly isRestored?: boolean },
): Promise<void> {
  if (audit === undefined) return;
  const { at, origin } = audit;
  const text = JSON.stringify({ name, ...given } satisfies NamedContent);
  const last = await db.get(latest, account, id);
  const isSame = last?.actorKind === origin.kind && last.actorName === actorName(origin);
  if (last !== null && isSame && !isRestored && at - last.begunAt < VERSION_MS) {
    await db.run(update, account, id, last.number, at, text);
    return;
  }
  const number = (last?.number ?? 0) + 1;
  await db.run(insert, account, id, number, at, origin.kind, actorName(origin), text);
  await db.run(dropOlder, account, id, number - KEPT_VERSIONS);
}
interface Of {
  readonly account: number;
}

const shown = <
  Row extends { readonly actorKind: (typeof originKinds)[number]; readonly actorName: string | null },
>({
  actorKind: kind,
  actorName: name,
  ...row
}: Row) => ({ ...row, actor: { kind, name } });

/** The newest first. */
export const versionsOf = async (db: Db, { account, campaign }: OfMailing) =>
  (await db.all(all, account, campaign)).map(shown);

export async function versionOfDraft(
  db: Db,
  { account, campaign, number }: Parameters<Mailings["version"]>[0],
): ReturnType<Mailings["version"]> {
  const found = await db.get(one, account, campaign, number);
  return found === null ? null : shown(found);
}
