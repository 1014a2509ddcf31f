/**
 * The last versions of a draft, one per save. What the same user saves within some minutes is one version:
 * a draft that saves itself would otherwise soon have ten that hardly differ. A text that is removed stays in
 * the version before.
 */
import { type Audited, actorName } from "#domain/access/audit.ts";
import { originKinds } from "#domain/access/origin.ts";
import type { Mailings, OfMailing } from "#domain/ports/sending/mailings.ts";
import {
  type CampaignContent,
  type ComposedCampaign,
  KEPT_VERSIONS,
  VERSION_MS,
} from "#domain/sending/mailing.ts";
import { type NamedContent, versionOf } from "#domain/version.ts";
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

type Draft = Pick<ComposedCampaign, "campaign" | "content">;
const named = ({ campaign: { name }, content: written }: Draft): NamedContent => ({ name, ...written });

/** Whether a text was there and is not there any more: a draft that saves itself does so at once. */
const removesText = (before: CampaignContent, after: CampaignContent): boolean =>
  (["html", "markdown", "text"] as const).some((part) => before[part] !== null && after[part] === null);

/** After each save. What changes nothing is no version. `before` null: it is new. */
export async function recordVersion(
  db: Db,
  before: Draft | null,
  after: Draft & Of,
  { audit, isRestored = false }: Audited & { readonly isRestored?: boolean },
): Promise<void> {
  const content = named(after);
  if (audit === undefined || (before !== null && isSameContent(named(before), content))) return;
  const { account, campaign } = after;
  const { at, origin } = audit;
  const text = JSON.stringify(content);
  const last = await db.get(latest, account, campaign.id);
  const isOfSame = last?.actorKind === origin.kind && last.actorName === actorName(origin);
  const begins = isRestored || (before !== null && removesText(before.content, after.content));
  if (last !== null && isOfSame && !begins && at - last.begunAt < VERSION_MS) {
    await db.run(update, account, campaign.id, last.number, at, text);
    return;
  }
  const number = (last?.number ?? 0) + 1;
  await db.run(insert, account, campaign.id, number, at, origin.kind, actorName(origin), text);
  await db.run(dropOlder, account, campaign.id, number - KEPT_VERSIONS);
}
const isSameContent = (one: NamedContent, other: NamedContent): boolean =>
  versionOf("campaign content", one) === versionOf("campaign content", other);
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
