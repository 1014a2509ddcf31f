/**
 * Compares the database, read by SQL, with what the callers know: no acknowledged call is lost or repeated,
 * none is half in effect, and every stored count equals a recount.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { isOnList, isOut } from "./call-history.ts";
import type { Callers } from "./callers.ts";

type Cell = string | number | null;
type Query = (sql: string) => Promise<readonly Readonly<Record<string, Cell>>[]>;

async function ask<T>(database: string, look: (query: Query) => Promise<T>): Promise<T> {
  if (database.startsWith("sqlite:")) {
    const db = new DatabaseSync(database.slice("sqlite:".length), { readOnly: true, timeout: 5000 });
    try {
      return await look(async (sql) => db.prepare(sql).all() as Record<string, Cell>[]);
    } finally {
      db.close();
    }
  }
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    // A commit in flight when its node was killed may or may not succeed. This waits for it, so that it does
    // not happen during the checks.
    await client.query("BEGIN; SELECT id FROM account FOR UPDATE; COMMIT");
    return await look(async (sql) => (await client.query<Record<string, Cell>>(sql)).rows);
  } finally {
    await client.end();
  }
}

interface Found {
  name: string;
  isOut: boolean;
  refused: number;
  readonly lists: Set<number>;
  readonly history: string[];
}

/** Checks everything that the callers could have changed. No calls may be in flight. */
export async function verify(database: string, callers: Callers): Promise<void> {
  await ask(database, async (query) => {
    const people = await findPeople(query);
    for (const person of callers.people.values()) {
      const seen = people.get(person.address);
      person.found({
        history: seen?.history ?? [],
        name: seen?.name ?? "",
        refused: seen?.refused ?? 0,
      });
      if (seen !== undefined) assertWhole(person.address, seen, callers.lists);
    }
    const strangers = [...people.keys()].filter((address) => !callers.people.has(address));
    assert.deepEqual(strangers, [], "subscribers that no caller added");
    await assertCounted(query, [...people.values()]);
    await assertNotOnList(query, callers);
  });
}

async function findPeople(query: Query): Promise<ReadonlyMap<string, Found>> {
  const people = new Map<string, Found>();
  for (const row of await query(
    "SELECT address_key, first_name, unsubscribed_at FROM subscriber ORDER BY account_id, id",
  ))
    people.set(String(row.address_key), {
      name: String(row.first_name),
      isOut: row.unsubscribed_at !== null,
      refused: 0,
      lists: new Set(),
      history: [],
    });
  const of = (address: Cell | undefined, what: string): Found => {
    const found = people.get(String(address));
    assert.ok(found, `${what} without a subscriber`);
    return found;
  };
  const WITH_PERSON =
    "LEFT JOIN subscriber AS s ON s.account_id = x.account_id AND s.id = x.subscriber_id ORDER BY";
  for (const row of await query(
    `SELECT s.address_key, x.kind, x.list_id FROM history AS x ${WITH_PERSON} x.id`,
  ))
    of(row.address_key, "history").history.push(
      row.list_id === null ? String(row.kind) : `${row.kind} ${row.list_id}`,
    );
  for (const row of await query(
    `SELECT s.address_key, x.list_id FROM membership AS x ${WITH_PERSON} x.list_id`,
  ))
    of(row.address_key, "a membership").lists.add(Number(row.list_id));
  for (const row of await query("SELECT args, outcome, count FROM refused")) {
    const { EMail } = JSON.parse(String(row.args)) as { readonly EMail: string };
    assert.equal(row.outcome, "Unsubscribed", `${EMail} was refused`);
    of(EMail, "a refused call").refused += Number(row.count);
  }
  return people;
}

/** The membership, the opt-out and the history agree. */
function assertWhole(address: string, seen: Found, lists: readonly number[]): void {
  const told = { history: seen.history, name: seen.name, refused: 0, notOnList: 0 };
  assert.equal(seen.isOut, isOut(told), `${address} is out, as the history says`);
  assert.deepEqual(
    [...seen.lists].toSorted((one, other) => one - other),
    lists.filter((list) => isOnList(told, list)),
    `${address} is on the lists of which the history says so`,
  );
}

async function assertCounted(query: Query, people: readonly Found[]): Promise<void> {
  const active = people.filter((person) => !person.isOut);
  for (const row of await query("SELECT id, member_count FROM list"))
    assert.equal(
      Number(row.member_count),
      active.filter(({ lists }) => lists.has(Number(row.id))).length,
      `members of list ${row.id}`,
    );
  const [account] = await query("SELECT active_subscribers, refused_rows FROM account");
  assert.equal(Number(account?.active_subscribers), active.length, "active subscribers");
  const [refused] = await query("SELECT count(*) AS n FROM refused");
  assert.equal(Number(account?.refused_rows), Number(refused?.n), "refused calls");
}

async function assertNotOnList(query: Query, { people }: Callers): Promise<void> {
  const [row] = await query("SELECT count FROM no_op WHERE outcome = 'NotOnList'");
  const counted = Number(row?.count ?? 0);
  let [least, most] = [0, 0];
  for (const { pasts } of people.values()) {
    const numbers = pasts.map(({ notOnList }) => notOnList);
    least += Math.min(...numbers);
    most += Math.max(...numbers);
  }
  assert.ok(
    counted >= least && counted <= most,
    `${least} to ${most} removes had no effect, ${counted} are counted`,
  );
}
