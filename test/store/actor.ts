/** Shared by the store suites: commands of one account in short form, and checks of what they left. */
import assert from "node:assert/strict";
import type { AccountId } from "#domain/account.ts";
import { type Address, parseAddress } from "#domain/address.ts";
import type { CampaignEvent, CampaignId, EventSubscriber } from "#domain/campaign.ts";
import type { DataType } from "#domain/field/field.ts";
import { noSubscriberCounts, noSuppressionCounts } from "#domain/import/batch.ts";
import type { ListId } from "#domain/list.ts";
import type { RowForm } from "#domain/paging.ts";
import { collect } from "#domain/paging.ts";
import type { OfCampaignEvent } from "#domain/ports/campaigns.ts";
import type { Store } from "#domain/ports/store.ts";
import type { RecordedCall } from "#domain/refused-call.ts";
import type { GivenData } from "#domain/subscriber/person-data.ts";
import type { ClearableSuppression } from "#domain/subscriber/subscriber.ts";
import { addBlock, removeBlock } from "#jobs/in-batches.ts";
import { noData } from "../no-data.ts";

export const NOW = Date.UTC(2026, 10, 14, 9, 30);
export const addressOf = (email: string): Address => {
  const address = parseAddress(email);
  assert.ok(address, email);
  return address;
};

/** The parts of an import other than its rows. */
export async function newImport(store: Store, account: AccountId, list: ListId | null, overwrite = false) {
  const counts = list === null ? noSuppressionCounts : noSubscriberCounts;
  const source = { fileName: "table.csv", startedBy: "tester", startedAt: NOW };
  const batch = await store.imports.start({ ...source, account, list, counts });
  return { account, list, batch, counts, overwrite };
}

/**
 * Short forms of the commands of one account; `asked` is what is recorded of a refused one about an address.
 */
export function actor(
  store: Store,
  account: AccountId,
  recordedCall: (email: string) => RecordedCall | null = () => null,
) {
  const base = (at: number) => ({ account, at, origin: { kind: "operator" }, recordedCall: null }) as const;
  const about = (email: string, at: number) => ({
    ...base(at),
    recordedCall: recordedCall(email),
    address: parseAddress(email),
  });
  return {
    account,
    list: async (name = "List", at = NOW) => (await store.lists.create({ account, name, at })).id,
    add: (list: number, email: string, at = NOW) => store.subscribers.add({ ...about(email, at), list }),
    addPending: (list: number, email: string, at = NOW) =>
      store.subscribers.add({ ...about(email, at), list, status: "pending" }),
    addData: (list: number, email: string, data: Partial<GivenData>, at = NOW) =>
      store.subscribers.addWithData({ ...about(email, at), list, data: { ...noData, ...data } }),
    remove: (list: number, email: string, at = NOW) =>
      store.subscribers.remove({ ...about(email, at), list }),
    unsubscribe: (email: string, at = NOW) => store.subscribers.unsubscribe(about(email, at)),
    reactivate: (email: string, suppression: ClearableSuppression) =>
      store.subscribers.reactivate({ ...about(email, NOW), suppression, reason: "asked" }),
    /** Changes the address. */
    move: async (email: string, to: string, at = NOW) => {
      const correction = { address: addressOf(to), data: {}, values: [] };
      const corrected = await store.subscribers.correct({
        account,
        at,
        origin: { kind: "operator" },
        address: addressOf(email),
        correction,
      });
      return corrected.outcome;
    },
    block: async (pattern: string, at = NOW) => (await addBlock(store, { ...base(at), pattern })).isChanged,
    unblock: async (pattern: string) => (await removeBlock(store, { ...base(NOW), pattern })).isChanged,
    adopt: (id: number, name = "Moved", at = NOW) => store.lists.adopt({ account, id, name, at }),
    createField: (name: string, id: bigint | null = null) =>
      store.fields.create({
        account,
        id,
        field: { name, type: "STRING", isPrivate: false },
        at: NOW,
      }),
    field: (name: string, type: DataType = "STRING") =>
      store.fields.add({ ...base(NOW), field: { name, type, isPrivate: false } }),
    event: (campaign: number, event: CampaignEvent, email: string, at = NOW) =>
      store.campaigns.recordEvent({ ...about(email, at), campaign, event }),
    campaign: async (lists: readonly number[], createdAt = NOW, sentAt: number | null = NOW) => {
      const made = await store.campaigns.record({
        account,
        name: "Campaign",
        lists,
        createdAt,
        sentAt,
      });
      assert.ok("id" in made, "the campaign's lists are known");
      return made.id;
    },
    members: async (list: number) =>
      (await collect(store.lists.all.pages({ account }))).find(({ id }) => id === list)?.members ?? null,
    show: (email: string) => store.subscribers.byAddress({ account, address: addressOf(email) }),
    lost: async (campaign: number, event: CampaignEvent) =>
      (await eventPages(store, { account, campaign, event })).flatMap(({ rows }) => rows),
  };
}
export type Actor = ReturnType<typeof actor>;
export const newAccount = async (store: Store, name = "Acme"): Promise<AccountId> =>
  (await store.accounts.create({ name, at: NOW })).id;

const AT_A_TIME = 250;
/** Limits concurrency, so that a store on a busy machine answers each call in time. */
export async function forEachOf<T>(
  items: readonly T[],
  call: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < items.length; start += AT_A_TIME)
    await Promise.all(items.slice(start, start + AT_A_TIME).map((item, n) => call(item, start + n)));
}

/** The pre-encoded pages of a list, in a format that is easy to parse. */
export async function eventPages(store: Store, args: OfCampaignEvent) {
  const names = ["address", "joinedAt", "at"] as const;
  const form: RowForm<EventSubscriber> = {
    start: "",
    end: "\n",
    fields: names.map((name) => ({ name, start: "", end: "\t", empty: "\t" })),
    escapes: [],
  };
  const pages = [];
  for await (const { bytes, isLast } of store.campaigns.subscribersByEvent(args, form)) {
    const rows = Buffer.from(bytes).toString().split("\n").slice(0, -1);
    pages.push({
      isLast,
      rows: rows.map((row) => {
        const [address = "", joinedAt = "", at = ""] = row.split("\t");
        return { address, joinedAt: Date.parse(joinedAt), at: Date.parse(at) };
      }),
    });
  }
  return pages;
}
/** The addresses that bounced in a campaign, each in angle brackets. */
export function encodedList(store: Store, account: AccountId, campaign: CampaignId) {
  const form: RowForm<EventSubscriber> = {
    start: "<",
    end: ">",
    fields: [{ name: "address", start: "", end: "", empty: "" }],
    escapes: [],
  };
  return store.campaigns.subscribersByEvent({ account, campaign, event: "bounced" }, form);
}
