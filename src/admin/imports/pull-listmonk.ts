/**
 * A pull from listmonk: lists by their names, attributes as fields, people with their state on each list, and
 * the campaigns that were sent. People go through the rules of an import, so a second pull adds what is
 * missing and changes nothing else.
 */
import type { Campaign } from "#domain/campaign.ts";
import type { DataType, Field } from "#domain/field/field.ts";
import type { ImportedPerson } from "#domain/import/rules.ts";
import type { ListId } from "#domain/list.ts";
import { collect } from "#domain/paging.ts";
import type { State } from "#domain/subscriber/subscriber.ts";
import { MAX_NAME_LENGTH, nameKey, parseName } from "#domain/text.ts";
import type {
  ListmonkCampaign,
  ListmonkList,
  ListmonkPerson,
  ListmonkSource,
  ListmonkSubscription,
} from "#pull/listmonk.ts";
import type { Retries } from "#transfer/import/retrying-store.ts";
import { type Column, columnOf } from "#transfer/table/columns.ts";
import { AttributeTypes } from "#transfer/table/new-fields.ts";
import { personReader } from "#transfer/table/read-person.ts";
import { attributesOf } from "#transfer/values/attributes.ts";
import { recordCampaign } from "../campaigns/campaigns.ts";
import { addField } from "../fields.ts";
import { audited, type InAccount, type Performing } from "../kit/action.ts";
import { createList } from "../lists.ts";
import { PEOPLE_PER_SAVE, type PulledCounts, type PulledImport, PulledImports } from "./pulled-imports.ts";

interface PulledList {
  /** In listmonk. */
  readonly id: number;
  readonly name: string;
  /** null: a dry run, and there is no such list yet. */
  readonly list: ListId | null;
  readonly isNew: boolean;
  /** null: there was nobody to read. */
  readonly import: PulledCounts | null;
}
export interface PulledField {
  readonly name: string;
  readonly type: DataType;
  readonly isNew: boolean;
}
interface PulledCampaigns {
  readonly recorded: number;
  readonly alreadyThere: number;
  readonly notSent: number;
  /** Its lists were deleted in listmonk, or cannot be seen. */
  readonly withoutList: number;
}
export interface Pulled {
  readonly people: number;
  readonly lists: readonly PulledList[];
  /** Of people who are on no list, or who cannot be read. */
  readonly others: PulledCounts;
  readonly fields: readonly PulledField[];
  readonly campaigns: PulledCampaigns;
  /** Sentences about what was not taken, and why. */
  readonly notes: readonly string[];
}

/** What the user sees while a pull runs. */
export interface PullEvents {
  /** 1: the attributes are being looked at; 2: people are being imported. `total`: null if not known. */
  readonly onProgress: (pass: 1 | 2, done: number, total: number | null) => void;
  readonly onNote: (note: string) => void;
}

interface PullListmonk extends InAccount {
  readonly source: ListmonkSource;
  readonly isDryRun: boolean;
  readonly retries: Retries;
  readonly events: PullEvents;
}

export const pullListmonk = audited(
  "pull.listmonk",
  "editor",
  async (admin, asked: PullListmonk): Promise<Pulled> => {
    const { source, account, isDryRun, retries, events } = asked;
    const origin = `listmonk at ${source.host}`;
    const notes: string[] = [];
    // Before anything is created: what the other service says must be readable.
    const [theirLists, theirCampaigns] = [await source.lists(), await source.campaigns()];
    const header = ["email", "name", "status"];
    const { onNote } = events;
    const imports = await PulledImports.begin(admin, { account, origin, header, isDryRun, retries, onNote });
    const existing = await retries.run(() => collect(admin.store.fields.all.pages({ account })));
    const types = imports.savedUpTo === 0 ? await typesOf(asked, existing, notes) : [];
    const { fields, columns } = await fieldsFor(admin, asked, types, existing);
    const lists = await listsFor(admin, asked, theirLists);
    const people = await pullPeople(admin, asked, { imports, lists, columns });
    await imports.finish();
    const { everybody, lists: byList } = imports.results;
    const campaigns = await pullCampaigns(admin, asked, theirCampaigns, lists);
    return {
      people,
      lists: [...lists.values()].map(({ key, ...one }) => ({ ...one, import: byList.get(key) ?? null })),
      others: everybody,
      fields,
      campaigns,
      notes,
    };
  },
);

async function typesOf({ source, events }: PullListmonk, existing: readonly Field[], notes: string[]) {
  const basics = basicColumns.map(({ key }) => key);
  const types = new AttributeTypes(new Set([...existing.map(({ name }) => nameKey(name)), ...basics]));
  let done = 0;
  for await (const { people, total } of source.people(0)) {
    for (const { attributes } of people) types.look(attributesOf(attributes) ?? []);
    done += people.length;
    events.onProgress(1, done, total);
  }
  notes.push(...types.notes("of people"));
  return [...types.names.values()];
}

/** A column for what an attribute is called, such as `country` or the name of a field. */
interface AttributeColumn {
  readonly key: string;
  readonly name: string;
  readonly column: Column;
}

const basicColumns = ["first_name", "last_name", "gender", "birthday", "country"].flatMap((name) => {
  const column = columnOf(name, []);
  return column === null ? [] : [{ key: nameKey(name), name, column }];
});

/** A standard value such as a country has no field; everything else has one of the same name. */
async function fieldsFor(
  admin: Performing,
  { account, isDryRun }: PullListmonk,
  types: readonly { readonly name: string; readonly type: DataType }[],
  existing: readonly Field[],
): Promise<{ readonly fields: readonly PulledField[]; readonly columns: readonly AttributeColumn[] }> {
  const byKey = new Map(existing.map((field) => [nameKey(field.name), field]));
  const fields: PulledField[] = [];
  const standard: AttributeColumn[] = [];
  for (const { name, type } of types) {
    const column = columnOf(name, []);
    if (column?.kind === "basic") {
      standard.push({ key: nameKey(name), name, column });
      continue;
    }
    const found = byKey.get(nameKey(name));
    if (found !== undefined) fields.push({ name: found.name, type: found.type, isNew: false });
    else {
      const field: Field = isDryRun
        ? { id: BigInt(-1 - fields.length), name, type, isPrivate: false, createdAt: admin.audit.at }
        : await addField(admin, { account, name, type, isPrivate: false, id: null });
      byKey.set(nameKey(name), field);
      fields.push({ name: field.name, type, isNew: true });
    }
  }
  // Also fields of which a continued pull has not seen an attribute.
  const own = [...byKey].map(([key, field]) => ({
    key,
    name: field.name,
    column: { kind: "field", field } as const,
  }));
  const named = new Map([...own, ...basicColumns, ...standard].map((one) => [one.key, one]));
  return { fields, columns: [...named.values()] };
}

interface TargetList extends Omit<PulledList, "import"> {
  /** By which its import is found: in a dry run, that of a new list is negative. */
  readonly key: ListId;
  readonly isDoubleOptIn: boolean;
}

/** Lists of the same name, or new ones. By their ids in listmonk. */
async function listsFor(
  admin: Performing,
  { account, isDryRun, retries }: PullListmonk,
  theirs: readonly ListmonkList[],
): Promise<ReadonlyMap<number, TargetList>> {
  const existing = await retries.run(() => collect(admin.store.lists.all.pages({ account })));
  const byKey = new Map(existing.toReversed().map((list) => [nameKey(list.name), list.id]));
  const taken = new Set<string>();
  const lists = new Map<number, TargetList>();
  for (const { id, name: given, isDoubleOptIn } of theirs) {
    // listmonk allows two lists of the same name.
    const plain = shortened(given, `List ${id}`);
    const name = taken.has(nameKey(plain)) ? `${plain.slice(0, MAX_NAME_LENGTH - 20)} (${id})` : plain;
    taken.add(nameKey(name));
    const found = byKey.get(nameKey(name));
    const list = found ?? (isDryRun ? null : (await createList.run(admin, { account, name, id: null })).id);
    lists.set(id, { id, name, list, isNew: found === undefined, key: list ?? -id, isDoubleOptIn });
  }
  return lists;
}

/** A name as names are here. */
function shortened(given: string, otherwise: string): string {
  const plain = given.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/gu, " ").trim();
  return parseName([...plain].slice(0, MAX_NAME_LENGTH).join("")) ?? otherwise;
}

const states: Readonly<Record<string, State>> = {
  enabled: "active",
  disabled: "unsubscribed",
  blocklisted: "blocked",
};

interface PullingPeople {
  readonly imports: PulledImports;
  readonly lists: ReadonlyMap<number, TargetList>;
  readonly columns: readonly AttributeColumn[];
}

/** Returns how many were read. */
async function pullPeople(
  admin: Performing,
  { source, account, retries, events }: PullListmonk,
  { imports, lists, columns: attributes }: PullingPeople,
): Promise<number> {
  const owner = await retries.run(() => admin.store.accounts.byId({ id: account }));
  const now = admin.audit.at;
  const reads = (text: string) => (Object.hasOwn(states, text) ? states[text] : undefined);
  const standard: readonly Column[] = [{ kind: "email" }, { kind: "name" }, { kind: "state", reads }];
  const columns = [...standard, ...attributes.map(({ column }) => column)];
  const names = ["email", "name", "status", ...attributes.map(({ name }) => name)];
  const known = new Set(attributes.map(({ key }) => key));
  const readRow = personReader(columns, { now, dates: [], country: owner?.country ?? null, isStrict: false });

  const take = async (one: ListmonkPerson): Promise<void> => {
    const { id, email, name, status } = one;
    const row = { id, cells: [email, name, status] };
    const own = attributesOf(one.attributes) ?? [];
    const values = new Map(own.map((attribute) => [nameKey(attribute.name.trim()), attribute.value]));
    const found = readRow([...row.cells, ...attributes.map(({ key }) => values.get(key) ?? "")]);
    const others = await imports.of(null);
    if (typeof found === "string") {
      others.reject(row, found);
      return;
    }
    const { person, block } = found;
    const into: PulledImport[] = [];
    let [isPlaced, waits] = [false, false];
    for (const subscription of one.subscriptions) {
      const list = lists.get(subscription.list);
      if (list === undefined) {
        others.leaveOut(row, `list ${subscription.list}`, "this user of listmonk cannot see the list");
        continue;
      }
      const onList = await imports.of(list.key);
      const part = partOf(subscription, list, now);
      isPlaced ||= part !== null;
      waits ||= part === null;
      // Saved before an interruption, which came before the position was.
      if (id <= onList.savedUpTo) continue;
      onList.reach(id);
      if (part === null) onList.reject(row, UNCONFIRMED);
      else await onList.add(row, { ...person, ...part }, block !== null);
      if (part !== null) into.push(onList);
    }
    const isSuppressed = block !== null || Object.keys(person.suppressions).length > 0;
    if (!isPlaced && (isSuppressed || !waits)) {
      await others.add(row, { ...person, joinedAt: past(one.createdAt, now) }, block !== null);
      into.push(others);
    }
    // Counted once, however many lists the person is on.
    for (const { index, reason } of found.leftOut) into[0]?.leaveOut(row, names[index] ?? "", reason);
    for (const { name: called } of own)
      if (!known.has(nameKey(called.trim())))
        into[0]?.leaveOut(row, called, "there is no field of this name");
  };

  let [done, unsaved, last] = [0, 0, imports.savedUpTo];
  for await (const { people, total } of source.people(imports.savedUpTo)) {
    for (const one of people) {
      await take(one);
      last = one.id;
      unsaved += 1;
      if (unsaved < PEOPLE_PER_SAVE) continue;
      await imports.save(last);
      unsaved = 0;
    }
    done += people.length;
    events.onProgress(2, done, total);
  }
  await imports.save(last);
  return done;
}

const UNCONFIRMED = "the person has not confirmed the list";
const past = (time: number | null, now: number): number | null =>
  time === null ? null : Math.min(time, now);

/** What a person is on the list; null: has not confirmed it, so gets no mail of it. */
function partOf(
  { status, createdAt, changedAt }: ListmonkSubscription,
  { isDoubleOptIn }: TargetList,
  now: number,
): Pick<ImportedPerson, "joinedAt" | "leftAt"> | null {
  const joinedAt = past(createdAt, now);
  if (status === "unsubscribed") return { joinedAt, leftAt: past(changedAt, now) };
  return status === "confirmed" || (status === "unconfirmed" && !isDoubleOptIn) ? { joinedAt } : null;
}

async function pullCampaigns(
  admin: Performing,
  { account, isDryRun, retries }: PullListmonk,
  theirs: readonly ListmonkCampaign[],
  lists: ReadonlyMap<number, TargetList>,
): Promise<PulledCampaigns> {
  const existing = await retries.run(() => collect(admin.store.campaigns.all.pages({ account })));
  const there = new Set(existing.map(sameCampaign));
  let [recorded, alreadyThere, notSent, withoutList] = [0, 0, 0, 0];
  for (const { id, name: given, isSent, startedAt, createdAt, lists: of } of theirs) {
    const sentAt = past(startedAt, admin.audit.at);
    const targets = of.flatMap((one) => lists.get(one) ?? []);
    if (!isSent || sentAt === null) {
      notSent += 1;
      continue;
    }
    if (targets.length === 0) {
      withoutList += 1;
      continue;
    }
    const name = shortened(given, `Campaign ${id}`);
    const times = { createdAt: Math.min(createdAt ?? sentAt, sentAt), sentAt };
    if (there.has(sameCampaign(times))) {
      alreadyThere += 1;
      continue;
    }
    recorded += 1;
    const ids = targets.flatMap(({ list }) => list ?? []);
    if (!isDryRun) await recordCampaign.run(admin, { account, name, lists: ids, ...times });
  }
  return { recorded, alreadyThere, notSent, withoutList };
}

/** listmonk gives its campaigns ids that others here may have; their times are precise. */
const sameCampaign = ({ createdAt, sentAt }: Pick<Campaign, "createdAt" | "sentAt">): string =>
  `${createdAt} ${sentAt}`;
