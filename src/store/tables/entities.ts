/** What operators work with, declared once each; see `entity.ts`. */
import { type AuditedValues, auditedThings } from "#domain/access/audit.ts";
import { scopes } from "#domain/access/key.ts";
import { originKinds } from "#domain/access/origin.ts";
import { changeableToken } from "#domain/access/session.ts";
import { roles } from "#domain/access/user.ts";
import { dataTypes } from "#domain/field/field.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import { jobEndings } from "#domain/job/job.ts";
import type { JobResult } from "#domain/job/result.ts";
import { type CampaignContent, contentNames, mailingStates } from "#domain/sending/mailing.ts";
import { type Relay, shownRelays } from "#domain/sending/relay.ts";
import { signings } from "#domain/sending/sender.ts";
import { changeable } from "#domain/version.ts";
import { bigint, boolean, column, integer, json, nullable, oneOf, text } from "../cold/kit/statement.ts";
import { stateCounters } from "../reads/who-counts.ts";
import { entity } from "./entity.ts";

export const list = entity({
  table: "list",
  row: { id: integer, name: text, createdAt: integer, members: column("member_count", integer) },
  changeable: changeable.list,
  others: { account_id: "integer", is_deleting: "boolean" },
});

/** Relays are stored with their passwords, and shown without. */
export const storedRelays = json<readonly Relay[]>();
export const sender = entity({
  table: "sender",
  row: {
    id: integer,
    fromAddress: text,
    fromName: text,
    replyTo: nullable(text),
    postalAddress: text,
    bounceDomain: nullable(text),
    signing: oneOf(signings),
    dkimDomain: nullable(text),
    dkimSelector: nullable(text),
    relays: {
      ...storedRelays,
      fromSqlite: (value): readonly Relay[] => shownRelays(storedRelays.fromSqlite(value)),
      fromText: (value): readonly Relay[] => shownRelays(storedRelays.fromText(value)),
    },
    perSecond: nullable(integer),
    perDomainMinute: nullable(integer),
    perDay: nullable(integer),
    createdAt: integer,
  },
  changeable: [...changeable.sender, "dkimKey"],
  others: { account_id: "integer", dkim_key: "text" },
});

export const account = entity({
  table: "account",
  row: {
    id: integer,
    name: text,
    country: nullable(text),
    limitSubscribers: nullable(integer),
    limitFields: nullable(integer),
    activeSubscribers: integer,
    createdAt: integer,
  },
  changeable: changeable.account,
  others: {
    ...Object.fromEntries(stateCounters.map((counter) => [counter, "integer"] as const)),
    refused_rows: "integer",
    refused_bytes: "integer",
    erasure_key: "bytes",
    is_deleting: "boolean",
    link_secret: "bytes",
    steps_dismissed_at: "integer",
  },
});

export const key = entity({
  table: "api_key",
  row: {
    id: integer,
    account: column("account_id", integer),
    hint: text,
    length: nullable(integer),
    label: text,
    scope: oneOf(scopes),
    createdAt: integer,
    expiresAt: nullable(integer),
    revokedAt: nullable(integer),
    lastUsedAt: nullable(integer),
  },
  changeable: changeable.key,
  others: { hash: "bytes", last_used_from: "text" },
});

export const field = entity({
  table: "field",
  row: {
    id: bigint,
    name: text,
    type: column("data_type", oneOf(dataTypes)),
    isPrivate: boolean,
    createdAt: integer,
  },
  changeable: [...changeable.field, "nameKey"],
  others: { account_id: "integer", name_key: "text", is_deleting: "boolean" },
});

export const campaign = entity({
  table: "campaign",
  row: { id: integer, name: text, createdAt: integer, sentAt: nullable(integer) },
  changeable: changeable.campaign,
  others: { account_id: "integer", is_deleting: "boolean", is_draft: "boolean" },
});

export const campaignContent = entity({
  table: "campaign_content",
  key: ["campaign_id"],
  row: {
    sender: column("sender_id", nullable(integer)),
    subject: text,
    preheader: text,
    layout: nullable(text),
    html: nullable(text),
    markdown: nullable(text),
    text: column("plain_text", nullable(text)),
    lists: column("included_lists", json<CampaignContent["lists"]>()),
    excludedLists: json<CampaignContent["excludedLists"]>(),
    filter: json<CampaignContent["filter"]>(),
  },
  changeable: contentNames,
  others: { account_id: "integer", campaign_id: "integer" },
});

const mailingRow = {
  campaign: column("campaign_id", integer),
  account: column("account_id", integer),
  state: oneOf(mailingStates),
  allowsHttp: boolean,
  scheduledAt: nullable(integer),
  startedAt: nullable(integer),
  endedAt: nullable(integer),
  takenUpTo: integer,
  waitsUntil: nullable(integer),
  relayFailures: integer,
  reason: nullable(text),
  selected: integer,
  sending: integer,
  sent: integer,
  deferred: integer,
  failed: integer,
  skipped: integer,
  unknown: integer,
  bouncedCount: column("hard_bounces", integer),
  purgedAt: nullable(integer),
};
const {
  campaign: _id,
  account: _account,
  allowsHttp: _http,
  scheduledAt: _at,
  purgedAt: _end,
  ...progress
} = mailingRow;
/** What the processes that send change; the rest is changed by operators. */
export const mailingProgress = progress;
export const mailing = entity({
  table: "mailing",
  key: ["campaign_id"],
  row: mailingRow,
  changeable: Object.keys(progress) as (keyof typeof progress)[],
});

export const token = entity({
  table: "user_token",
  row: {
    id: integer,
    user: column("user_id", integer),
    name: text,
    role: oneOf(roles),
    isLogIn: boolean,
    createdAt: integer,
    expiresAt: nullable(integer),
    revokedAt: nullable(integer),
    lastUsedAt: nullable(integer),
  },
  changeable: changeableToken,
  others: { hash: "bytes" },
});

export const refusal = entity({
  table: "refused",
  row: {
    id: integer,
    operation: text,
    args: text,
    isCut: boolean,
    outcome: text,
    key: column("key_id", nullable(integer)),
    count: integer,
    firstAt: integer,
    lastAt: integer,
  },
  others: { account_id: "integer", fingerprint: "bytes" },
});

export const importBatch = entity({
  table: "import_batch",
  row: {
    id: integer,
    list: column("list_id", nullable(integer)),
    fileName: text,
    startedBy: text,
    startedKind: oneOf(originKinds),
    startedAt: integer,
    finishedAt: nullable(integer),
    counts: json<ImportCounts>(),
    isUndoable: boolean,
    undoStartedAt: nullable(integer),
    undoneAt: nullable(integer),
  },
  others: { account_id: "integer" },
});

export const auditEntry = entity({
  table: "audit",
  row: {
    id: integer,
    account: column("account_id", nullable(integer)),
    at: integer,
    actorKind: oneOf(originKinds),
    actorName: nullable(text),
    from: column("came_from", nullable(text)),
    action: text,
    thing: oneOf(auditedThings),
    thingId: text,
    before: column("changed_from", nullable(json<AuditedValues>())),
    after: column("changed_to", nullable(json<AuditedValues>())),
  },
});

export const block = entity({
  table: "block",
  key: ["account_id", "pattern"],
  row: { pattern: text, createdAt: integer },
  others: { account_id: "integer" },
});

export const job = entity({
  table: "job",
  row: {
    id: integer,
    name: text,
    kind: text,
    account: column("account_id", nullable(integer)),
    createdAt: integer,
    actorKind: nullable(oneOf(originKinds)),
    actorName: nullable(text),
    done: integer,
    total: nullable(integer),
    result: nullable(json<JobResult>()),
    dueAt: integer,
    attempts: integer,
    lastError: nullable(text),
    leasedUntil: nullable(integer),
    startedAt: nullable(integer),
    cancelledAt: nullable(integer),
    endedAt: nullable(integer),
    ending: nullable(oneOf(jobEndings)),
  },
  others: {
    args: "text",
    progress: "text",
    owner: "text",
    epoch: "integer",
  },
});
