/**
 * What the servers of the wire suite know before the first request. Ids count up from 1 in the order of this
 * file and stand in the cases' files, so that new things go to the end of their kind.
 *
 * Account 1 is where cases write, each with addresses of its own; nothing ever changes its lists 3 to 5, its
 * fields and its campaigns. A case that looks at numbers has an account of its own (`ownAccounts`), one that
 * looks at new fields a server.
 */
import { DatabaseSync } from "node:sqlite";
import { parseKey, type Scope, storedForm } from "#domain/access/key.ts";
import { type Address, parseAddress } from "#domain/address.ts";
import type { CampaignEvent } from "#domain/campaign.ts";
import { type DataType, dataTypes } from "#domain/field/field.ts";
import type { Store } from "#domain/ports/store.ts";
import type { ClearableSuppression } from "#domain/subscriber/subscriber.ts";
import { addBlock, deleteList } from "#jobs/in-batches.ts";
import { noData } from "../no-data.ts";

export const KEY = "0123456789ABCDEF0123456789ABCDEF";
/** The time at which all calls are made. */
export const NOW = Date.UTC(2026, 10, 14, 9, 30);

const day = (month: number, date: number, hour = 0, minute = 0, second = 0, ms = 0): number =>
  Date.UTC(2026, month - 1, date, hour, minute, second, ms);

/** Keys `own-account-<name>`, each with one list: 8 and on. */
const ownAccounts = [
  "add",
  "add-again",
  "remove",
  "unsubscribe",
  "refused",
  "lists",
  "add-with-data",
  "case",
  "spare",
] as const;

const operator = { kind: "operator" } as const;

function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === null) throw new Error(`${text} is no address`);
  return parsed;
}

class Fixture {
  readonly #store: Store;
  readonly account: number;

  constructor(store: Store, account: number) {
    this.#store = store;
    this.account = account;
  }

  async key(text: string, scope: Scope = "full", expiresAt: number | null = null): Promise<number> {
    const key = parseKey(text);
    if (key === null) throw new Error(`${text} is no key`);
    const { account } = this;
    const made = await this.#store.keys.create({
      account,
      ...storedForm(key),
      label: text,
      scope,
      expiresAt,
      at: day(1, 1),
    });
    if (made === null) throw new Error(`${text} exists`);
    return made.id;
  }
  revoke(id: number) {
    return this.#store.keys.revoke({ account: this.account, id, at: day(2, 1) });
  }
  list(name: string) {
    return this.#store.lists.create({ account: this.account, name, at: day(1, 5, 8) });
  }
  rename(id: number, name: string) {
    return this.#store.lists.set({ account: this.account, id, name });
  }
  deleteList(id: number) {
    return deleteList(this.#store, { account: this.account, id, at: day(10, 1), origin: operator });
  }
  field(name: string, type: DataType, isPrivate = false) {
    const field = { name, type, isPrivate };
    return this.#store.fields.add({ ...this.#command(day(1, 6)), field });
  }
  add(
    text: string,
    list: number,
    at: number,
    firstName: string | null = null,
    lastName: string | null = null,
  ) {
    return this.#store.subscribers.addWithData({
      ...this.#command(at),
      address: address(text),
      list,
      data: { ...noData, firstName, lastName },
    });
  }
  unsubscribe(text: string, at: number) {
    return this.#store.subscribers.unsubscribe({ ...this.#command(at), address: address(text) });
  }
  reactivate(text: string, suppression: ClearableSuppression, at: number) {
    const command = {
      ...this.#command(at),
      address: address(text),
      suppression,
      reason: "asked by telephone",
    };
    return this.#store.subscribers.reactivate(command);
  }
  block(pattern: string) {
    return addBlock(this.#store, { ...this.#command(day(9, 1)), pattern });
  }
  async campaign(name: string, lists: readonly number[], createdAt: number, sentAt: number | null) {
    const made = await this.#store.campaigns.record({
      account: this.account,
      name,
      lists,
      createdAt,
      sentAt,
    });
    if ("unknownList" in made) throw new Error(`no list ${made.unknownList}`);
  }
  event(campaign: number, event: CampaignEvent, text: string, at: number) {
    const command = { ...this.#command(at), address: address(text), campaign, event };
    return this.#store.campaigns.recordEvent(command);
  }

  #command(at: number) {
    return { account: this.account, at, origin: operator, recordedCall: null };
  }
}

export async function prepare(store: Store, file: string): Promise<void> {
  const first = new Fixture(store, 1);
  const more = async (name: string): Promise<Fixture> =>
    new Fixture(store, (await store.accounts.create({ name, at: day(1, 1) })).id);
  await store.accounts.set({ id: 1, settings: { country: "GB" } });
  const [neighbour, full, empty] = [await more("Neighbour"), await more("Full"), await more("Empty")];

  await keys(first, neighbour, full, empty);
  await lists(first, neighbour, full);
  await fields(first, neighbour, full);
  await states(first);
  await campaigns(first, neighbour);
  await lost(first);
  await limits(store, full);
  await numbers(more);
  await largeFieldIds(first, file);
}

async function keys(first: Fixture, neighbour: Fixture, full: Fixture, empty: Fixture): Promise<void> {
  await first.key("read-only-key", "read");
  await first.key("expired-key", "full", NOW);
  await first.key("expired-read-only-key", "read", day(2, 1));
  await first.key("expires-later-key", "full", NOW + 1);
  await first.revoke(await first.key("revoked-key"));
  await first.key("Shop & Co <2009>".replaceAll(" ", "_"));
  await neighbour.key("neighbour-key");
  await full.key("full-account-key");
  await empty.key("empty-account-key");
}

/** 1 is the first start's. */
async function lists(first: Fixture, neighbour: Fixture, full: Fixture): Promise<void> {
  await first.list("Customers"); // 2
  await first.list("Readers of old"); // 3, renamed below
  await first.list("Trade fair"); // 4, deleted below
  await first.list("Deleted"); // 5, never used
  await neighbour.list("Neighbours"); // 6
  await full.list("Full"); // 7
  await first.deleteList(5);
}

/** 1 to 13 in the order of the data types; the private ones are those about a person's will. */
async function fields(first: Fixture, neighbour: Fixture, full: Fixture): Promise<void> {
  for (const type of dataTypes)
    await first.field(`Of type ${type}`, type, ["CONSENT", "PERMISSION", "GDPR"].includes(type));
  await neighbour.field("City", "STRING"); // 14
  await full.field("Only one", "PHONE"); // 15
}

/** One person for each state, and for each pair in which one state hides another. All were on list 2. */
async function states(first: Fixture): Promise<void> {
  const people = [
    "active",
    "unsubscribed",
    "bounced",
    "complained",
    "blocked",
    "unsubscribed-bounced",
    "complained-unsubscribed",
    "complained-bounced",
    "blocked-unsubscribed",
    "blocked-bounced",
  ];
  await first.campaign("Before all", [2], day(1, 20), day(1, 21)); // 1
  for (const person of people) {
    const text = `${person}@states.example`;
    await first.add(text, 2, day(1, 12));
    if (person.includes("complained")) await first.event(1, "complained", text, day(1, 22));
    if (person.includes("bounced")) await first.event(1, "bounced", text, day(1, 23));
    if (person.includes("unsubscribed")) await first.unsubscribe(text, day(1, 24));
    if (person.includes("blocked")) await first.block(text);
  }
  await first.add("by-domain@blocked.example", 2, day(1, 12));
  await first.block("@blocked.example");
}

/**
 * The one that was sent last is neither the newest nor has it the highest id; 4 and 5 were made in the same
 * moment.
 */
async function campaigns(first: Fixture, neighbour: Fixture): Promise<void> {
  await first.campaign("Spring & <Easter>", [4, 3], day(3, 2, 8), day(3, 3, 7, 15)); // 2
  await first.campaign("Late sender", [3], day(3, 1, 8), day(8, 1, 12, 0, 0, 250)); // 3
  await first.campaign("Draft", [3], day(7, 1, 8), null); // 4
  await first.campaign("Many bounces", [], day(7, 1, 8), day(7, 2)); // 5
  await first.campaign("One bounce", [3], day(6, 1, 8), day(6, 2)); // 6
  await neighbour.campaign("Not yours", [6], day(5, 1), day(5, 2)); // 7
}

async function lost(first: Fixture): Promise<void> {
  await first.add("ada@lost.example", 3, day(1, 12, 9, 30), "Ada", "Lovelace");
  await first.add("ada@lost.example", 4, day(1, 10, 9, 30));
  await first.add("bert@lost.example", 3, day(1, 13), "Bert", "Before");
  await first.add("Carla@Lost.example", 3, day(1, 14, 0, 0, 0, 120), "C. <&> 𝒞arla", "O'Brien");
  await first.add("dora@lost.example", 2, day(1, 15));
  await first.add("stays@lost.example", 3, day(1, 16));

  // Ada's opt-out belongs to campaign 2, whatever campaign 3 says later. Recorded late, listed by its time.
  await first.event(2, "unsubscribed", "carla@lost.example", day(3, 4, 8, 0, 0, 5));
  await first.event(2, "unsubscribed", "ada@lost.example", day(3, 3, 10, 4, 5));
  await first.event(2, "unsubscribed", "ada@lost.example", day(3, 3, 11));
  await first.event(3, "unsubscribed", "ada@lost.example", day(8, 2));
  // Carla came back, and stays in the list.
  await first.reactivate("carla@lost.example", "unsubscribed", day(4, 1));
  // Dora is on none of the campaign's lists; nobody knew the stranger before.
  await first.event(2, "unsubscribed", "dora@lost.example", day(3, 5));
  await first.event(2, "unsubscribed", "stranger@lost.example", day(3, 6));
  // A complaint is neither an opt-out nor a bounce.
  await first.event(2, "complained", "complainer@lost.example", day(3, 6));
  // Bert bounced in two campaigns, and has another name today.
  await first.event(2, "bounced", "bert@lost.example", day(3, 3, 7, 16));
  await first.reactivate("bert@lost.example", "bounced", day(4, 1));
  await first.add("bert@lost.example", 3, day(4, 2), "Bertram", "After");
  await first.event(3, "bounced", "bert@lost.example", day(8, 1, 12, 1));
  await first.event(6, "bounced", "einstein@lost.example", day(6, 2, 1));

  // One more than fits into a page, all in one moment.
  const many = Array.from({ length: 501 }, (_, index) => `${index + 1}@many.example`);
  await Promise.all(many.map((text) => first.event(5, "bounced", text, day(7, 2, 1))));

  await first.rename(3, "Readers");
  await first.deleteList(4);
}

async function limits(store: Store, full: Fixture): Promise<void> {
  await full.add("known@full.example", 7, day(1, 12));
  await full.unsubscribe("unsubscribed@full.example", day(1, 12));
  await full.campaign("To the full", [7], day(1, 20), day(1, 21)); // 8
  await full.event(8, "bounced", "bounced@full.example", day(1, 23));
  await full.block("@blocked.example");
  await store.accounts.set({ id: full.account, settings: { limitSubscribers: 1, limitFields: 1 } });
}

async function numbers(more: (name: string) => Promise<Fixture>): Promise<void> {
  const made = new Map<string, Fixture>();
  for (const name of ownAccounts) {
    const account = await more(name);
    await account.key(`own-account-${name}`);
    await account.list(`Of ${name}`);
    made.set(name, account);
  }
  const lists = made.get("lists");
  await lists?.list("Of lists too"); // 17
  await lists?.add("member@lists.example", 13, day(1, 12));
}

/**
 * Two ids that a 64-bit floating point number cannot tell apart. No installation gets there by adding fields.
 */
async function largeFieldIds(first: Fixture, file: string): Promise<void> {
  const db = new DatabaseSync(file);
  db.exec("UPDATE sqlite_sequence SET seq = 9007199254740991 WHERE name = 'field'");
  db.close();
  await first.field("Even", "STRING"); // 9007199254740992
  await first.field("Odd", "STRING"); // 9007199254740993
}
