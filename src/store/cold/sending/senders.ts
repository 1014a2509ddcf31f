/**
 * Senders. Relays are stored with their passwords, as JSON. Only `toSendWith` returns these and the private
 * key; neither is ever in the audit log.
 */
import type { Audited } from "#domain/access/audit.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { Senders, SenderValues } from "#domain/ports/sending/senders.ts";
import { type Relay, relayText } from "#domain/sending/relay.ts";
import { type Sender, type SenderId, type SenderSecrets, withoutSecrets } from "#domain/sending/sender.ts";
import { changeable, requireVersion } from "#domain/version.ts";
import { sender, storedRelays } from "../../tables/entities.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db, Parameter } from "../kit/db.ts";
import { command, feature, read } from "../kit/feature.ts";
import { allOf, byIdOf, insertOf, updateOf } from "../kit/of-account.ts";
import { change, integer, nullable, statement, text } from "../kit/statement.ts";

const byId = byIdOf(sender);
const withSecrets = statement(
  { ...sender.row, relays: storedRelays, dkimKey: nullable(text) },
  `SELECT ${sender.columns}, dkim_key AS "dkimKey" FROM sender WHERE account_id = $1 AND id = $2`,
);
const insert = insertOf(sender, "account_id", "created_at");
const update = updateOf(sender);
const storedRelay = ({ url, weight, allowsInner }: Relay): Relay =>
  allowsInner === true ? { url, weight, allowsInner } : { url, weight };
const parametersOf = (values: SenderValues): readonly Parameter[] =>
  sender.parameters({ ...values, relays: JSON.stringify(values.relays.map(storedRelay)) });

/** How many campaigns an error names. */
const MAX_NAMED = 5;
/** Those that have not ended: the others were sent, and need no sender any more. */
const users = statement(
  { campaign: integer },
  ({ lookUp }) => `
   SELECT m.campaign_id AS campaign
   FROM mailing AS m ${lookUp("campaign_content", "c", "c.campaign_id = m.campaign_id")}
   WHERE m.account_id = $1 AND c.sender_id = $2 AND m.state NOT IN ('finished', 'cancelled')
   ORDER BY m.campaign_id DESC
   LIMIT ${MAX_NAMED}`,
);
const forget = change(
  "UPDATE campaign_content SET sender_id = NULL WHERE account_id = $1 AND sender_id = $2",
);
const forgetHandedOver = change("DELETE FROM handed_over WHERE account_id = $1 AND sender_id = $2");
const forgetWebhook = change("DELETE FROM webhook WHERE account_id = $1 AND sender_id = $2");
const remove = change("DELETE FROM sender WHERE account_id = $1 AND id = $2");

/** A password or key that was replaced is mentioned as such. */
type AuditedSender = Omit<Sender, "relays"> & {
  readonly relays: readonly string[];
  readonly secrets: string | null;
};
const writeEntry = auditing<AuditedSender>("sender", [...changeable.sender, "secrets"]);
const inLog = (row: Sender | null, secrets: string | null = null): AuditedSender | null =>
  row === null ? null : { ...row, relays: row.relays.map(relayText), secrets };

async function audited(
  db: Db,
  { account, audit }: OfAccount & Audited,
  id: SenderId,
  before: Sender | null,
  after: Sender | null,
  hasNewSecrets = false,
): Promise<void> {
  // The version is that of the sender, not that of its form in the log.
  requireVersion(audit?.ifVersion, "sender", before);
  const entry = { account, audit: audit === undefined ? audit : { ...audit, ifVersion: undefined } };
  await writeEntry(db, entry, id, inLog(before), inLog(after, hasNewSecrets ? "changed" : null));
}

const secretsOf = ({ dkimKey, relays }: SenderSecrets): string =>
  JSON.stringify([dkimKey, relays.map(({ url }) => url)]);
export const senders = feature<Senders>({
  all: allOf(sender),
  byId: read((db, { account, id }) => db.get(byId, account, id)),
  toSendWith: read((db, { account, id }) => db.get(withSecrets, account, id)),
  create: command(async (db, { account, createdAt, audit, ...values }) => {
    const created = await db.one(insert, account, createdAt, ...parametersOf(values));
    await audited(db, { account, audit }, created.id, null, created);
    return created;
  }),
  set: command(async (db, { account, id, audit, ...changes }) => {
    const before = await db.get(withSecrets, account, id);
    if (before === null) return null;
    const values: SenderValues = { ...before, ...changes };
    const changed = await db.one(update, account, id, ...parametersOf(values));
    const hasNewSecrets = secretsOf(values) !== secretsOf(before);
    await audited(db, { account, audit }, id, withoutSecrets(before), changed, hasNewSecrets);
    return changed;
  }),
  delete: command(async (db, { account, id, audit }) => {
    const before = await db.get(byId, account, id);
    if (before === null) return null;
    const usedBy = await db.all(users, account, id);
    if (usedBy.length > 0) return { usedBy: usedBy.map(({ campaign }) => campaign) };
    await db.run(forget, account, id);
    await db.run(forgetHandedOver, account, id);
    await db.run(forgetWebhook, account, id);
    await db.run(remove, account, id);
    await audited(db, { account, audit }, id, before, null);
    return before;
  }),
});
