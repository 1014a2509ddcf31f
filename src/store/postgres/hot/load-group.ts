/**
 * Loads what a group of commands needs: first its locks, then one statement per kind of row, whatever the
 * number of commands. All are sent at once. The server runs them in order, each after the locks.
 */
import type { AccountId } from "../../../domain/account.ts";
import type { Address } from "../../../domain/address.ts";
import type { DataType } from "../../../domain/field.ts";
import { nameKey } from "../../../domain/name.ts";
import type { SubscriberId } from "../../../domain/subscriber.ts";
import type { Connection } from "../sessions/connection.ts";
import type { CallerCommand } from "./caller-command.ts";
import { loadErased } from "./erased.ts";
import { GroupLocks } from "./group-locks.ts";
import { type Expected, importLoads } from "./load-import.ts";
import { givenBy, loadBasics, loadNamedValues } from "./load-stored-values.ts";
import { addPeople, PERSON, type PersonRow, WITH_MEMBERSHIPS } from "./people.ts";
import { lossOf, of, WorkingSet } from "./working-set.ts";

const ACCOUNT_STATE =
  'a.id, a.country, a.limit_subscribers AS "limitSubscribers", a.limit_fields AS "limitFields", a.active_subscribers AS subscribers, a.erasure_key AS "erasureKey"';
interface AccountRow {
  readonly id: AccountId;
  readonly country: string | null;
  readonly limitSubscribers: number | null;
  readonly limitFields: number | null;
  readonly subscribers: number;
  readonly erasureKey: Uint8Array | null;
}
function addAccounts(set: WorkingSet, rows: readonly AccountRow[]): void {
  for (const { id, country, limitSubscribers, limitFields, subscribers, erasureKey } of rows)
    set.accounts.set(id, {
      country,
      limitSubscribers,
      limitFields,
      erasureKey,
      subscribersBefore: subscribers,
      subscribersAdded: 0,
    });
}

export async function loadAccount(db: Connection, set: WorkingSet, account: AccountId): Promise<void> {
  addAccounts(
    set,
    await db.all<AccountRow>(`SELECT ${ACCOUNT_STATE} FROM account AS a WHERE a.id = $1`, account),
  );
}

/** Distinct (account, part) pairs that a group names, as two columns. */
export class Named<Part extends string | number | bigint> {
  readonly #seen = new Set<string>();
  readonly accounts: AccountId[] = [];
  readonly parts: Part[] = [];

  add(account: AccountId, part: Part): void {
    const key = `${account} ${part}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.accounts.push(account);
    this.parts.push(part);
  }
  /** Addresses that are not in the set, of accounts that have erased somebody. */
  strangersTo(set: WorkingSet): readonly { readonly account: AccountId; readonly key: string }[] {
    const strangers: { account: AccountId; key: string }[] = [];
    for (const [index, account] of this.accounts.entries()) {
      if ((set.accounts.get(account)?.erasureKey ?? null) === null) continue;
      const key = String(this.parts[index]);
      if (!set.people.has(of(account, key))) strangers.push({ account, key });
    }
    return strangers;
  }
  get isEmpty(): boolean {
    return this.parts.length === 0;
  }
}

function namedBy(group: readonly CallerCommand[]) {
  const named = {
    addresses: new Named<string>(),
    patterns: new Named<string>(),
    lists: new Named<number>(),
    fields: new Named<bigint>(),
    fieldNames: new Named<string>(),
    campaigns: new Named<number>(),
    eventAddresses: new Named<string>(),
  };
  for (const { kind, args } of group) {
    const { account } = args;
    for (const { key, domain } of addressesOf(args)) {
      named.addresses.add(account, key);
      named.patterns.add(account, key);
      named.patterns.add(account, `@${domain}`);
      if (kind === "campaigns.recordEvent") named.eventAddresses.add(account, key);
    }
    if ("list" in args && args.list !== null) named.lists.add(account, args.list);
    if ("campaign" in args) named.campaigns.add(account, args.campaign);
    if (kind === "fields.add")
      named.fieldNames.add(account, args.field === null ? "" : nameKey(args.field.name));
    if (kind === "subscribers.addWithData")
      for (const { field } of args.data.values) if (field !== null) named.fields.add(account, field);
  }
  return named;
}

function addressesOf(args: CallerCommand["args"]): readonly Address[] {
  if ("people" in args) return args.people.map(({ address }) => address);
  return "address" in args && args.address !== null ? [args.address] : [];
}

const expectedBy = (group: readonly CallerCommand[]): readonly Expected[] =>
  group.flatMap(({ kind, args }) =>
    kind === "imports.add"
      ? args.people.map(({ address }) => ({ account: args.account, list: args.list, key: address.key }))
      : [],
  );

/**
 * `freeIds` contains the ids left by earlier groups. What this group does not use stays in it. `isAlone`: no
 * other group of these accounts may run meanwhile.
 */
export async function loadGroup(
  db: Connection,
  group: readonly CallerCommand[],
  freeIds: SubscriberId[],
  isAlone: boolean,
): Promise<WorkingSet> {
  const set = new WorkingSet(freeIds);
  const { addresses, patterns, lists, fields, fieldNames, campaigns, eventAddresses } = namedBy(group);
  const accounts = [...new Set(group.map(({ args }) => args.account))].sort((one, other) => one - other);
  const locks = new GroupLocks(db);
  const addsField = new Set(fieldNames.accounts);
  const expected = expectedBy(group);
  const { described: byCalls, valued } = givenBy(group);
  const described = [...byCalls, ...expected];
  const missing = addresses.parts.length - freeIds.length;
  await Promise.all([
    locks.passGates(accounts, (account) => isAlone || addsField.has(account)),
    db
      .all<AccountRow & { readonly schema: number }>(
        `SELECT ${ACCOUNT_STATE}, (SELECT max(number) FROM schema_migration) AS schema FROM account AS a WHERE a.id = ANY ($1::bigint[]) ORDER BY a.id FOR KEY SHARE`,
        accounts,
      )
      .then((rows) => {
        set.schema = rows[0]?.schema ?? 0;
        addAccounts(set, rows);
      }),
    !addresses.isEmpty && locks.lockPeople(addresses.accounts, addresses.parts),
    missing > 0 && reserveIds(db, missing, freeIds),
    !addresses.isEmpty && loadPeople(db, set, addresses),
    !patterns.isEmpty && loadBlocks(db, set, patterns),
    !lists.isEmpty && loadLists(db, set, lists),
    !fields.isEmpty && loadFieldTypes(db, set, fields),
    !fieldNames.isEmpty && loadFieldNames(db, set, fieldNames),
    !campaigns.isEmpty && loadCampaigns(db, set, campaigns),
    !eventAddresses.isEmpty && loadLosses(db, set, eventAddresses),
    described.length > 0 && loadBasics(db, set, described),
    valued.length > 0 && loadNamedValues(db, set, valued),
    ...importLoads(db, set, expected).map((load) => load()),
  ]);
  locks.check(set);
  // Needs the accounts' erasure keys, which are loaded only now.
  await loadErased(db, set, addresses.strangersTo(set));
  return set;
}

async function reserveIds(db: Connection, count: number, freeIds: SubscriberId[]): Promise<void> {
  const rows = await db.all<{ id: number }>(
    "SELECT nextval('subscriber_id') AS id FROM generate_series(1, $1)",
    count,
  );
  // Ids are taken from the end: earlier subscribers get the lower ids.
  freeIds.unshift(...rows.map(({ id }) => id).reverse());
}

export async function loadPeople(db: Connection, set: WorkingSet, named: Named<string>): Promise<void> {
  const rows = await db.all<PersonRow>(
    `SELECT ${PERSON} FROM unnest($1::bigint[], $2::text[]) AS n (account_id, address_key) JOIN subscriber AS s USING (account_id, address_key) ${WITH_MEMBERSHIPS}`,
    named.accounts,
    named.parts,
  );
  addPeople(set, rows);
}

export async function loadPeopleById(
  db: Connection,
  set: WorkingSet,
  account: AccountId,
  ids: readonly SubscriberId[],
): Promise<void> {
  const rows = await db.all<PersonRow>(
    `SELECT ${PERSON} FROM subscriber AS s ${WITH_MEMBERSHIPS} WHERE s.account_id = $1 AND s.id = ANY ($2::bigint[])`,
    account,
    ids,
  );
  addPeople(set, rows);
}

export async function loadBlocks(db: Connection, set: WorkingSet, named: Named<string>): Promise<void> {
  const rows = await db.all<{ account: number; pattern: string; at: number }>(
    "SELECT b.account_id AS account, b.pattern, b.created_at AS at FROM unnest($1::bigint[], $2::text[]) AS n (account_id, pattern) JOIN block AS b USING (account_id, pattern)",
    named.accounts,
    named.parts,
  );
  for (const { account, pattern, at } of rows) set.blocks.set(of(account, pattern), at);
}

async function loadLists(db: Connection, set: WorkingSet, named: Named<number>): Promise<void> {
  const rows = await db.all<{ account: number; id: number }>(
    "SELECT l.account_id AS account, l.id FROM unnest($1::bigint[], $2::bigint[]) AS n (account_id, id) JOIN list AS l USING (account_id, id) WHERE NOT l.is_deleting",
    named.accounts,
    named.parts,
  );
  for (const { account, id } of rows) set.lists.add(of(account, id));
}

async function loadFieldTypes(db: Connection, set: WorkingSet, named: Named<bigint>): Promise<void> {
  const rows = await db.all<{ account: number; id: string; type: DataType }>(
    "SELECT f.account_id AS account, f.id::text AS id, f.data_type AS type FROM unnest($1::bigint[], $2::bigint[]) AS n (account_id, id) JOIN field AS f USING (account_id, id)",
    named.accounts,
    named.parts,
  );
  for (const { account, id, type } of rows) {
    const types = set.fieldTypes.get(account) ?? new Map<bigint, DataType>();
    set.fieldTypes.set(account, types.set(BigInt(id), type));
  }
}

/** Which of the names exist, and how many fields each account has. */
async function loadFieldNames(db: Connection, set: WorkingSet, named: Named<string>): Promise<void> {
  const [names, counts] = await Promise.all([
    db.all<{ account: number; key: string }>(
      "SELECT f.account_id AS account, f.name_key AS key FROM unnest($1::bigint[], $2::text[]) AS n (account_id, name_key) JOIN field AS f USING (account_id, name_key)",
      named.accounts,
      named.parts,
    ),
    db.all<{ account: number; count: number }>(
      "SELECT account_id AS account, count(*) AS count FROM field WHERE account_id = ANY ($1::bigint[]) GROUP BY account_id",
      [...new Set(named.accounts)],
    ),
  ]);
  for (const { account, key } of names) set.fieldNames.add(of(account, key));
  for (const { account, count } of counts) set.fieldCounts.set(account, count);
}

async function loadCampaigns(db: Connection, set: WorkingSet, named: Named<number>): Promise<void> {
  const rows = await db.all<{ account: number; id: number; list: number | null }>(
    "SELECT c.account_id AS account, c.id, t.list_id AS list FROM unnest($1::bigint[], $2::bigint[]) AS n (account_id, id) JOIN campaign AS c USING (account_id, id) LEFT JOIN campaign_list AS t ON t.account_id = c.account_id AND t.campaign_id = c.id",
    named.accounts,
    named.parts,
  );
  for (const { account, id, list } of rows) {
    const lists = set.campaigns.get(of(account, id)) ?? [];
    set.campaigns.set(of(account, id), list === null ? lists : [...lists, list]);
  }
}

/** All events of these subscribers; they have few, so the lookup goes by subscriber. */
async function loadLosses(db: Connection, set: WorkingSet, named: Named<string>): Promise<void> {
  const rows = await db.all<{ campaign: number; event: string; person: number }>(
    "SELECT e.campaign_id AS campaign, e.event, e.subscriber_id AS person FROM unnest($1::bigint[], $2::text[]) AS n (account_id, address_key) JOIN subscriber AS s USING (account_id, address_key) JOIN campaign_event AS e ON e.account_id = s.account_id AND e.subscriber_id = s.id",
    named.accounts,
    named.parts,
  );
  for (const { campaign, event, person } of rows) set.losses.add(lossOf(person, campaign, event));
}
