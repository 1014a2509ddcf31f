/**
 * A campaign of an account with subscribers, and rows of its ledger as a process that sends would leave them.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { Store } from "#domain/ports/store.ts";
import { type CampaignContent, emptyContent, type MailingState } from "#domain/sending/mailing.ts";
import { type RecipientState, stateNumber } from "#domain/sending/recipient.ts";
import { actor, forEachOf, NOW, newAccount } from "../actor.ts";

/** Executes a statement behind the back of the store. */
export type Sql = (text: string) => Promise<readonly Record<string, unknown>[]>;

export const sqliteSql =
  (file: string): Sql =>
  async (text) => {
    const db = new DatabaseSync(file, { timeout: 5000 });
    try {
      return db.prepare(text).all();
    } finally {
      db.close();
    }
  };
/** On one connection, which must be ended. */
export async function postgresSql(
  url: string,
): Promise<{ readonly sql: Sql; readonly end: () => Promise<void> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    sql: async (text) => (await client.query(text)).rows as Record<string, unknown>[],
    end: () => client.end(),
  };
}

export async function newWorld(store: Store, sql: Sql) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const list = await a.list("News");
  const other = await a.list("Other");
  async function draft(content: Partial<CampaignContent> = {}, name = "Spring") {
    const values = { ...emptyContent, lists: [list], ...content };
    const made = await store.mailings.create({ account, name, content: values, at: NOW });
    assert.ok("campaign" in made);
    return { account, campaign: made.campaign.id };
  }
  const change = async (
    one: { readonly account: number; readonly campaign: number },
    which: Parameters<Store["mailings"]["change"]>[0]["change"],
    now = NOW,
    at = now,
  ) => {
    const changed = await store.mailings.change({ ...one, change: which, at, now });
    assert.ok(changed && !("unknownList" in changed) && !("unknownSender" in changed));
    return "wrongState" in changed ? "refused" : changed;
  };
  const idOf = async (email: string): Promise<number> => {
    const found = await a.show(email);
    assert.ok(found);
    return found.id;
  };
  /** New subscribers on the list, in order of their ids. */
  async function people(count: number): Promise<readonly number[]> {
    const emails = Array.from({ length: count }, (_, n) => `person${n}@example.net`);
    await forEachOf(emails, (email) => a.add(list, email));
    const ids: number[] = [];
    for (const email of emails) ids.push(await idOf(email));
    return ids.toSorted((one, next) => one - next);
  }
  /** The ledger of a mailing, with its counters: subscribers by state. */
  async function ledger(
    { campaign }: { readonly campaign: number },
    state: MailingState,
    rows: readonly (readonly [subscriber: number, state: RecipientState, code?: number])[],
  ): Promise<void> {
    const counts = Map.groupBy(rows, ([, one]) => one);
    const counters = (["sending", "sent", "deferred", "failed", "skipped", "unknown"] as const)
      .map((one) => `${one} = ${counts.get(one)?.length ?? 0}`)
      .join(", ");
    const ended = state === "finished" || state === "cancelled" ? NOW : "NULL";
    await sql(
      `UPDATE mailing SET state = '${state}', started_at = ${NOW}, ended_at = ${ended}, taken_up_to = 1000000,
         selected = ${rows.length}, ${counters}
       WHERE campaign_id = ${campaign}`,
    );
    for (let start = 0; start < rows.length; start += 500) {
      const values = rows
        .slice(start, start + 500)
        .map(
          ([subscriber, one, code]) =>
            `(${account}, ${campaign}, ${subscriber}, ${stateNumber(one)}, ${NOW / 1000}, ${code ?? "NULL"})`,
        );
      await sql(
        `INSERT INTO recipient (account_id, campaign_id, subscriber_id, state, at, code) VALUES ${values.join(", ")}`,
      );
    }
  }
  const count = async (table: string, campaign: number): Promise<number> => {
    const [row] = await sql(`SELECT count(*) AS n FROM ${table} WHERE campaign_id = ${campaign}`);
    return Number(row?.n);
  };
  return { ...a, list, other, draft, change, idOf, people, ledger, count };
}
export type World = Awaited<ReturnType<typeof newWorld>>;
