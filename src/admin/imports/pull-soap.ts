/**
 * A pull from an old service with the thirteen operations: lists, fields and campaigns under their ids, and
 * who unsubscribed or bounced because of a campaign. No operation says who is on a list.
 */
import type { Campaign, CampaignId } from "#domain/campaign.ts";
import type { Field } from "#domain/field/field.ts";
import type { List, ListId } from "#domain/list.ts";
import { collect } from "#domain/paging.ts";
import { nameKey, parseName } from "#domain/text.ts";
import { PullFailed } from "#pull/remote.ts";
import type { RecordOf, SoapSource } from "#pull/soap.ts";
import type { Retries } from "#transfer/import/retrying-store.ts";
import type { Column } from "#transfer/table/columns.ts";
import { personReader } from "#transfer/table/read-person.ts";
import { recordWithId } from "../campaigns/campaigns.ts";
import { recordEvents } from "../campaigns/events.ts";
import { addField } from "../fields.ts";
import { audited, type InAccount, type Performing } from "../kit/action.ts";
import { NotPossible } from "../kit/errors.ts";
import { createList } from "../lists.ts";
import { PEOPLE_PER_SAVE, type PulledCounts, type PulledImport, PulledImports } from "./pulled-imports.ts";

interface PulledThing {
  readonly id: number | bigint;
  readonly name: string;
  readonly isNew: boolean;
}
export interface PulledFromSoap {
  readonly lists: readonly PulledThing[];
  readonly fields: readonly (PulledThing & { readonly type: string })[];
  readonly campaigns: readonly PulledThing[];
  /** Read of the campaigns; what was recorded before changes nothing. */
  readonly unsubscribed: number;
  readonly bounced: number;
  /** The people of these, with their names and dates. */
  readonly people: PulledCounts;
  readonly notes: readonly string[];
}

interface PullSoap extends InAccount {
  readonly source: SoapSource;
  readonly isDryRun: boolean;
  readonly retries: Retries;
  readonly events: {
    /** In campaigns. */
    readonly onProgress: (done: number, total: number) => void;
    readonly onNote: (note: string) => void;
  };
}

export const pullSoap = audited(
  "pull.soap",
  "administrator",
  async (admin, asked: PullSoap): Promise<PulledFromSoap> => {
    const { source, account, isDryRun, retries, events } = asked;
    if (!(await source.isKeyValid())) throw new PullFailed(`${source.host} says that the key is not valid`);
    const theirs: Theirs = {
      lists: (await source.list("Client.GetSubscribersLists")).map(listOf),
      fields: (await source.list("Field.GetFields")).map(fieldOf),
      campaigns: (await source.list("Client.GetCampaignsList")).map(campaignOf).sort((a, b) => a.id - b.id),
    };
    const here = await retries.run(() => existingIn(admin, account));
    const notes: string[] = [];
    requirePossible(theirs, here, notes);
    if (!isDryRun) await createThings(admin, account, theirs, here);
    const origin = `old service at ${source.host}`;
    const header = ["email", "first_name", "last_name", "subscribed_at"];
    const { onNote } = events;
    const imports = await PulledImports.begin(admin, { account, origin, header, isDryRun, retries, onNote });
    const counts = { unsubscribed: 0, bounced: 0 };
    const people = await imports.of(null);
    const isThere = new Set([...here.lists.keys(), ...theirs.lists.map(({ id }) => id)]);
    for (const [index, campaign] of theirs.campaigns.entries()) {
      events.onProgress(index, theirs.campaigns.length);
      if (campaign.id <= imports.savedUpTo) continue;
      if (!here.campaigns.has(campaign.id)) await pullCampaign(admin, asked, campaign, { isThere, notes });
      for (const kind of ["unsubscribed", "bounced"] as const) {
        const operation = kind === "bounced" ? "Campaign.GetHardBouncesList" : "Campaign.GetUnsubscribesList";
        const rows = await source.list(operation, { CampaignID: campaign.id });
        counts[kind] += rows.length;
        for (let start = 0; start < rows.length; start += PEOPLE_PER_SAVE)
          await pullEvents(admin, asked, people, {
            campaign,
            kind,
            rows: rows.slice(start, start + PEOPLE_PER_SAVE),
          });
      }
      await imports.save(campaign.id);
    }
    await imports.finish();
    const things = <Thing extends { readonly id: number | bigint; readonly name: string }>(
      all: readonly Thing[],
      known: ReadonlyMap<number | bigint, unknown>,
    ) => all.map((one) => ({ ...one, isNew: !known.has(one.id) }));
    return {
      lists: things(theirs.lists, here.lists),
      fields: things(theirs.fields, here.fields),
      campaigns: things(theirs.campaigns, here.campaigns),
      ...counts,
      people: imports.results.everybody,
      notes,
    };
  },
);

type TheirField = Pick<Field, "id" | "name" | "type" | "isPrivate">;
interface Theirs {
  readonly lists: readonly Pick<List, "id" | "name">[];
  readonly fields: readonly TheirField[];
  readonly campaigns: readonly Campaign[];
}
interface Here {
  readonly lists: ReadonlyMap<ListId, List>;
  readonly fields: ReadonlyMap<bigint, Field>;
  readonly campaigns: ReadonlyMap<CampaignId, Campaign>;
}

/** Services in .NET write it for a date that is not set. */
const NO_YEAR = Date.UTC(1900, 0);
const timeOf = (given: { readonly epochMs: number } | null): number | null =>
  given === null || given.epochMs < NO_YEAR ? null : given.epochMs;

function known<Value>(value: Value | null, what: string): Value {
  if (value === null) throw new PullFailed(`the old service has answered with ${what}`);
  return value;
}
const named = (name: string | null, what: string): string =>
  known(parseName(name), `${what} whose name is empty, too long or has control characters`);

function listOf({ SubscribersListID, Name }: RecordOf<"Client.GetSubscribersLists">) {
  const id: ListId = known(SubscribersListID, "a list without an id");
  return { id, name: named(Name, `the list ${id}`) };
}
function fieldOf({ FieldId, Name, IsPrivate, DataType }: RecordOf<"Field.GetFields">): TheirField {
  const id = known(FieldId, "a field without an id");
  return { id, name: named(Name, `the field ${id}`), type: DataType, isPrivate: IsPrivate ?? false };
}
function campaignOf(record: RecordOf<"Client.GetCampaignsList">): Campaign {
  const id: CampaignId = known(record.CampaignID, "a campaign without an id");
  const sentAt = timeOf(record.SentDate);
  const createdAt = timeOf(record.CreationDate) ?? sentAt;
  return {
    ...{ id, name: named(record.Name, `the campaign ${id}`), sentAt },
    createdAt: Math.min(known(createdAt, `the campaign ${id}, which has no date`), sentAt ?? Infinity),
  };
}

async function existingIn({ store }: Performing, account: number): Promise<Here> {
  const byId = <Id, Row extends { readonly id: Id }>(rows: readonly Row[]) =>
    new Map(rows.map((row) => [row.id, row] as const));
  const [lists, fields, campaigns] = await Promise.all([
    collect(store.lists.all.pages({ account })),
    collect(store.fields.all.pages({ account })),
    collect(store.campaigns.all.pages({ account })),
  ]);
  return { lists: byId(lists), fields: byId(fields), campaigns: byId(campaigns) };
}

const MOST_PROBLEMS = 5;

/** Before anything is created: an id must not mean one thing there and another one here. */
function requirePossible({ lists, fields, campaigns }: Theirs, here: Here, notes: string[]): void {
  const problems: string[] = [];
  for (const { id, name } of lists) {
    const other = here.lists.get(id)?.name ?? name;
    if (nameKey(other) !== nameKey(name))
      notes.push(`list ${id} is called '${other}' here and '${name}' in the old service; it keeps its name`);
  }
  const idByName = new Map([...here.fields.values()].map((field) => [nameKey(field.name), field.id]));
  for (const { id, name, type } of fields) {
    const same = here.fields.get(id);
    const other = idByName.get(nameKey(name));
    if (same !== undefined && (same.type !== type || nameKey(same.name) !== nameKey(name)))
      problems.push(
        `field ${id} is '${name}' (${type}) in the old service, and '${same.name}' (${same.type}) here`,
      );
    if (same === undefined && other !== undefined)
      problems.push(
        `the field '${name}' has the id ${id} in the old service, and ${other} here: rename or delete that one`,
      );
  }
  for (const { id, name, sentAt } of campaigns) {
    const same = here.campaigns.get(id);
    if (same !== undefined && same.sentAt !== sentAt && nameKey(same.name) !== nameKey(name))
      problems.push(`campaign ${id} is '${name}' in the old service, and '${same.name}' here`);
  }
  if (problems.length === 0) return;
  const more = problems.length > MOST_PROBLEMS ? `; and ${problems.length - MOST_PROBLEMS} more` : "";
  throw new NotPossible(`nothing was taken: ${problems.slice(0, MOST_PROBLEMS).join("; ")}${more}`);
}

async function createThings(admin: Performing, account: number, theirs: Theirs, here: Here): Promise<void> {
  const explained = async (what: string, create: () => Promise<unknown>): Promise<void> => {
    try {
      await create();
    } catch (error) {
      throw new NotPossible(`${what} cannot be created: ${(error as Error).message}`);
    }
  };
  for (const list of theirs.lists)
    if (!here.lists.has(list.id))
      await explained(`list ${list.id} ('${list.name}')`, () => createList.run(admin, { account, ...list }));
  for (const field of theirs.fields)
    if (!here.fields.has(field.id))
      await explained(`field ${field.id} ('${field.name}')`, () => addField(admin, { account, ...field }));
}

async function pullCampaign(
  admin: Performing,
  { source, account, isDryRun }: PullSoap,
  campaign: Campaign,
  { isThere, notes }: { readonly isThere: ReadonlySet<ListId>; readonly notes: string[] },
): Promise<void> {
  const targets = (await source.list("Campaign.GetSubscribersLists", { CampaignID: campaign.id })).map(
    listOf,
  );
  const gone = targets.filter(({ id }) => !isThere.has(id));
  if (gone.length > 0)
    notes.push(
      `campaign ${campaign.id} was also sent to lists that do not exist any more: ${gone.map(({ name }) => `'${name}'`).join(", ")}`,
    );
  const lists = targets.filter(({ id }) => isThere.has(id)).map(({ id }) => id);
  if (!isDryRun) await recordWithId(admin, { account, ...campaign, lists });
}

const columns: readonly Column[] = [
  { kind: "email" },
  { kind: "basic", name: "firstName" },
  { kind: "basic", name: "lastName" },
  { kind: "joined" },
];

interface PulledEvents {
  readonly campaign: Campaign;
  readonly kind: "unsubscribed" | "bounced";
  readonly rows: readonly RecordOf<"Campaign.GetUnsubscribesList">[];
}

/**
 * First the people, so that their event has the date since which they were subscribed; on no list, so nobody
 * writes to them in between.
 */
async function pullEvents(
  admin: Performing,
  { account, isDryRun, events: { onNote } }: PullSoap,
  people: PulledImport,
  { campaign, kind, rows }: PulledEvents,
): Promise<void> {
  const now = admin.audit.at;
  const readRow = personReader(columns, { now, dates: [], country: null, isStrict: false });
  for (const { EMail, FirstName, LastName, SubscribedDate } of rows) {
    const joinedAt = timeOf(SubscribedDate);
    const cells = [EMail ?? "", FirstName ?? "", LastName ?? ""];
    const joined = joinedAt === null ? "" : new Date(Math.min(joinedAt, now)).toISOString();
    const row = { id: campaign.id, cells: [...cells, joined] };
    const found = readRow(row.cells);
    if (typeof found === "string") people.reject(row, found);
    else await people.add(row, found.person, false);
  }
  await people.flush();
  if (isDryRun) return;
  const results = await recordEvents.run(admin, {
    ...{ account, campaign: campaign.id, isFromFile: true },
    events: rows.map(({ EMail, UnsubscribedDate }) => {
      const at = timeOf(UnsubscribedDate) ?? campaign.sentAt;
      return { event: kind, email: EMail ?? "", at: at === null ? null : Math.min(at, now) };
    }),
  });
  const failed = results.filter(({ error }) => error !== null).length;
  if (failed > 0)
    onNote(`campaign ${campaign.id}: ${failed} of ${results.length} ${kind} people have no valid address`);
}
