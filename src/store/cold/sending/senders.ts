/**
 * Senders. Relays are stored with their passwords, as JSON. Only `toSendWith` returns these and the private
 * key; neither is ever in the audit log.
 */
import type { Audited } from "#domain/access/audit.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { Senders, SenderValues } from "#domain/ports/sending/senders.ts";
import { type Relay, relayText, shownRelays } from "#domain/sending/relay.ts";
import {
  type Sender,
  type SenderId,
  type SenderSecrets,
  signings,
  withoutSecrets,
} from "#domain/sending/sender.ts";
import { changeable, requireVersion } from "#domain/version.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db, Parameter } from "../kit/db.ts";
import { command, feature, read } from "../kit/feature.ts";
import { listing } from "../kit/listing.ts";
import { type Column, change, integer, json, nullable, oneOf, statement, text } from "../kit/statement.ts";

const stored = json<readonly Relay[]>();
/** The same column, without passwords. */
const shown: Column<readonly Relay[]> = {
  ...stored,
  fromSqlite: (value) => shownRelays(stored.fromSqlite(value)),
  fromText: (value) => shownRelays(stored.fromText(value)),
};
const common = {
  id: integer,
  fromAddress: text,
  fromName: text,
  replyTo: nullable(text),
  postalAddress: text,
  bounceDomain: nullable(text),
  signing: oneOf(signings),
  dkimDomain: nullable(text),
  dkimSelector: nullable(text),
  perSecond: nullable(integer),
  perDomainMinute: nullable(integer),
  perDay: nullable(integer),
  createdAt: integer,
};
const sender = { ...common, relays: shown };
const SENDER = `
  id, from_address AS "fromAddress", from_name AS "fromName", reply_to AS "replyTo",
  postal_address AS "postalAddress", bounce_domain AS "bounceDomain", signing, dkim_domain AS "dkimDomain",
  dkim_selector AS "dkimSelector", per_second AS "perSecond", per_domain_minute AS "perDomainMinute",
  per_day AS "perDay", created_at AS "createdAt", relays`;

const byId = statement(sender, `SELECT ${SENDER} FROM sender WHERE account_id = $1 AND id = $2`);
const withSecrets = statement(
  { ...common, relays: stored, dkimKey: nullable(text) },
  `SELECT ${SENDER}, dkim_key AS "dkimKey" FROM sender WHERE account_id = $1 AND id = $2`,
);
const insert = statement(
  sender,
  `INSERT INTO sender (
     account_id, created_at, from_address, from_name, reply_to, postal_address, bounce_domain, signing,
     dkim_domain, dkim_selector, dkim_key, relays, per_second, per_domain_minute, per_day
   ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
   RETURNING ${SENDER}`,
);
const update = statement(
  sender,
  `UPDATE sender SET
     from_address = $3, from_name = $4, reply_to = $5, postal_address = $6, bounce_domain = $7, signing = $8,
     dkim_domain = $9, dkim_selector = $10, dkim_key = $11, relays = $12, per_second = $13,
     per_domain_minute = $14, per_day = $15
   WHERE account_id = $1 AND id = $2
   RETURNING ${SENDER}`,
);
const storedRelay = ({ url, weight, allowsInner }: Relay): Relay =>
  allowsInner === true ? { url, weight, allowsInner } : { url, weight };
/** In the order of both statements. */
const valuesOf = (values: SenderValues): readonly Parameter[] => [
  ...[values.fromAddress, values.fromName, values.replyTo, values.postalAddress, values.bounceDomain],
  ...[values.signing, values.dkimDomain, values.dkimSelector, values.dkimKey],
  JSON.stringify(values.relays.map(storedRelay)),
  ...[values.perSecond, values.perDomainMinute, values.perDay],
];

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
  all: listing({
    row: sender,
    select: (condition) => `SELECT ${SENDER} FROM sender WHERE account_id = $1 AND ${condition}`,
    by: [["id", "id"]],
    parameters: ({ account }: OfAccount) => [account],
  }),
  byId: read((db, { account, id }) => db.get(byId, account, id)),
  toSendWith: read((db, { account, id }) => db.get(withSecrets, account, id)),
  create: command(async (db, { account, createdAt, audit, ...values }) => {
    const created = await db.one(insert, account, createdAt, ...valuesOf(values));
    await audited(db, { account, audit }, created.id, null, created);
    return created;
  }),
  set: command(async (db, { account, id, audit, ...changes }) => {
    const before = await db.get(withSecrets, account, id);
    if (before === null) return null;
    const values: SenderValues = { ...before, ...changes };
    const changed = await db.one(update, account, id, ...valuesOf(values));
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
    await db.run(remove, account, id);
    await audited(db, { account, audit }, id, before, null);
    return before;
  }),
});
