/**
 * Composing a campaign: a draft is created, and what it says and to whom can be changed until it is
 * scheduled. Whether that can be sent is decided elsewhere; here only what it names must exist.
 */
import { hash } from "node:crypto";
import type { Mailings, UnknownReference } from "#domain/ports/sending/mailings.ts";
import { type CampaignContent, type ComposedCampaign, isEditable } from "#domain/sending/mailing.ts";
import { changeable, type NamedContent } from "#domain/version.ts";
import { campaign, campaignContent } from "../../tables/entities.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db, Parameter } from "../kit/db.ts";
import { change, integer, statement } from "../kit/statement.ts";
import { countTests } from "../ledger/limits.ts";
import { recordVersion } from "./draft-versions.ts";
import {
  anyVersion,
  composedToChange,
  findComposed,
  MAILING,
  mailingRow,
  requireContentVersion,
  toMailing,
} from "./mailing-row.ts";

const existingLists = statement(
  { id: integer },
  ({ isIn }) => `SELECT id FROM list WHERE account_id = $1 AND ${isIn("id", "$2")} AND NOT is_deleting`,
);
const existingSender = statement({ id: integer }, "SELECT id FROM sender WHERE account_id = $1 AND id = $2");
const insertCampaign = statement(
  campaign.row,
  `INSERT INTO campaign (account_id, name, created_at, is_draft) VALUES ($1, $2, $3, $4) RETURNING ${campaign.columns}`,
);
const insertContent = change(
  `INSERT INTO campaign_content (account_id, campaign_id, ${campaignContent.changeable})
   VALUES ($1, $2, ${campaignContent.placeholders(3)})`,
);
const insertMailing = statement(
  mailingRow,
  `INSERT INTO mailing (account_id, campaign_id, state) VALUES ($1, $2, 'draft') RETURNING ${MAILING}`,
);
const updateContent = change(
  `UPDATE campaign_content SET ${campaignContent.assignments(3)} WHERE account_id = $1 AND campaign_id = $2`,
);
const rename = statement(
  campaign.row,
  `UPDATE campaign SET name = $3 WHERE account_id = $1 AND id = $2 RETURNING ${campaign.columns}`,
);

const parametersOf = (values: CampaignContent): readonly Parameter[] =>
  campaignContent.parameters({
    ...values,
    lists: JSON.stringify(values.lists),
    excludedLists: JSON.stringify(values.excludedLists),
    filter: JSON.stringify(values.filter),
  });

/** In place of a long text, which the audit log does not keep: enough to distinguish two. */
const digestOf = (text: string | null): string | null =>
  text === null
    ? null
    : `${text.length} characters, SHA-256 ${hash("sha256", text, "base64url").slice(0, 16)}`;
/** Filters may contain names, which an erasure would not find in the audit log. */
type ShownContent = Omit<NamedContent, "filter"> & { readonly filter: string | null };
const write = auditing<ShownContent>("campaign", changeable["campaign content"]);
const shown = ({
  campaign: { name },
  content,
}: Pick<ComposedCampaign, "campaign" | "content">): ShownContent => ({
  name,
  ...content,
  html: digestOf(content.html),
  markdown: digestOf(content.markdown),
  text: digestOf(content.text),
  filter: content.filter.length === 0 ? null : digestOf(JSON.stringify(content.filter)),
});

/** The first list or sender that the account does not have. */
export async function unknownIn(
  db: Db,
  account: number,
  { lists, excludedLists, sender }: Pick<CampaignContent, "lists" | "excludedLists" | "sender">,
): Promise<UnknownReference | null> {
  const named = [...lists, ...excludedLists];
  const existing = new Set((await db.all(existingLists, account, named)).map(({ id }) => id));
  const unknownList = named.find((id) => !existing.has(id));
  if (unknownList !== undefined) return { unknownList };
  const isUnknown = sender !== null && (await db.get(existingSender, account, sender)) === null;
  return isUnknown ? { unknownSender: sender } : null;
}

export async function createDraft(
  db: Db,
  { account, name, content, at, audit }: Parameters<Mailings["create"]>[0],
): Promise<UnknownReference | ComposedCampaign> {
  const unknown = await unknownIn(db, account, content);
  if (unknown !== null) return unknown;
  const created = await db.one(insertCampaign, account, name, at, true);
  await db.run(insertContent, account, created.id, ...parametersOf(content));
  const mailing = toMailing(await db.one(insertMailing, account, created.id));
  const composed = { campaign: created, content, mailing };
  await recordVersion(db, null, { account, ...composed }, { audit });
  await write(db, { account, audit }, created.id, null, shown(composed));
  return composed;
}

const writeTest = auditing<{ readonly testMessages: number | null }>("campaign", ["testMessages"]);
export async function recordTest(
  db: Db,
  { account, campaign: id, sender, recipients, at, audit }: Parameters<Mailings["recordTest"]>[0],
): ReturnType<Mailings["recordTest"]> {
  const found = await findComposed(db, { account, campaign: id });
  requireContentVersion(audit, found);
  if (found === null) return null;
  await countTests(db, account, sender, recipients, at);
  const by = { account, audit: anyVersion(audit) };
  await writeTest(db, by, id, { testMessages: null }, { testMessages: recipients });
  return { account, campaign: id };
}

export async function setContent(
  db: Db,
  { account, campaign: id, name, changes, isRestored = false, audit }: Parameters<Mailings["setContent"]>[0],
): ReturnType<Mailings["setContent"]> {
  const before = await composedToChange(db, { account, campaign: id });
  requireContentVersion(audit, before);
  if (before === null) return null;
  if (!isEditable(before.mailing.state)) return { wrongState: before.mailing };
  // A list or sender that is there already may be gone: somebody who changes something else is not stopped.
  const unknown = await unknownIn(db, account, { lists: [], excludedLists: [], sender: null, ...changes });
  if (unknown !== null) return unknown;
  const content = { ...before.content, ...changes };
  await db.run(updateContent, account, id, ...parametersOf(content));
  const renamed = name === undefined ? before.campaign : await db.one(rename, account, id, name);
  const after = { campaign: renamed, content, mailing: before.mailing };
  await recordVersion(db, before, { account, ...after }, { audit, isRestored });
  await write(db, { account, audit: anyVersion(audit) }, id, shown(before), shown(after));
  return after;
}
