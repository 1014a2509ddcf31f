/**
 * Runs the commands of the model on a store, and reads the visible state of the account in the model's terms.
 */
import assert from "node:assert/strict";
import { type Address, parseAddress } from "#domain/address.ts";
import { campaignEvents, type EventSubscriber } from "#domain/campaign.ts";
import { noSubscriberCounts } from "#domain/import/batch.ts";
import type { Imported, ImportedPerson } from "#domain/import/rules.ts";
import type { List } from "#domain/list.ts";
import type { RowForm } from "#domain/paging.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { HistoryEntry } from "#domain/subscriber/history.ts";
import { addBlock, deleteList, erase, removeBlock } from "#jobs/in-batches.ts";
import { DryRun } from "#transfer/import/dry-run.ts";
import { newImport } from "../store/actor.ts";
import { people } from "./addresses.ts";
import type { CallerCommand, Import, Interrupting, Outcome, Row, Seen, Standalone } from "./command.ts";
import { byWords, wordsOf } from "./refusals.ts";

/** Ids in order of creation; any other id belongs to another account. */
class Ids<Id> {
  readonly #foreign: Id;
  readonly #own: Id[] = [];

  constructor(foreign: Id) {
    this.#foreign = foreign;
  }
  add(id: Id): void {
    this.#own.push(id);
  }
  at(index: number): Id {
    return this.#own[index] ?? this.#foreign;
  }
  indexOf(id: Id): number {
    const index = this.#own.indexOf(id);
    if (index < 0) throw new Error(`${String(id)} is nothing that was made here`);
    return index;
  }
  get all(): readonly Id[] {
    return this.#own;
  }
}

export class Driver {
  readonly #store: Store;
  readonly #account: number;
  /** Imports run concurrently with other calls, so their batch is created before. */
  readonly #batch: number;
  readonly #lists: Ids<number>;
  readonly #fields: Ids<bigint>;
  readonly #campaigns: Ids<number>;

  private constructor(
    store: Store,
    account: number,
    batch: number,
    lists: Ids<number>,
    fields: Ids<bigint>,
    campaigns: Ids<number>,
  ) {
    this.#store = store;
    this.#account = account;
    this.#batch = batch;
    this.#lists = lists;
    this.#fields = fields;
    this.#campaigns = campaigns;
  }

  static async make(store: Store): Promise<Driver> {
    const [other, own] = [await makeAccount(store), await makeAccount(store)];
    const list = (await store.lists.create({ account: other, name: "Foreign", at: 1 })).id;
    const field = { name: "Foreign", type: "STRING", isPrivate: false } as const;
    const made = await store.fields.create({ account: other, id: null, field, at: 1 });
    const campaign = await store.campaigns.record({
      account: other,
      name: "Foreign",
      lists: [list],
      createdAt: 1,
      sentAt: 1,
    });
    if (typeof made === "string" || !("id" in campaign)) throw new Error("the other account was not made");
    const { batch } = await newImport(store, own, null);
    return new Driver(store, own, batch, new Ids(list), new Ids(made.id), new Ids(campaign.id));
  }

  /** The same account by way of another store. */
  on(store: Store): Driver {
    return new Driver(store, this.#account, this.#batch, this.#lists, this.#fields, this.#campaigns);
  }

  /** Submits all at once, in this order. */
  async together(
    commands: readonly CallerCommand[],
    between: Interrupting | null,
  ): Promise<{ readonly outcomes: readonly Outcome[]; readonly between: Outcome | null }> {
    const half = Math.floor(commands.length / 2);
    const first = commands.slice(0, half).map((command) => this.#call(command));
    const interrupted = between === null ? null : this.alone(between);
    const second = commands.slice(half).map((command) => this.#call(command));
    const outcomes = await Promise.all([...first, ...second]);
    const settled = interrupted === null ? null : await interrupted;
    await this.#learnFields();
    return { outcomes, between: settled };
  }

  async alone(command: Interrupting | Standalone): Promise<Outcome> {
    const [store, account] = [this.#store, this.#account];
    switch (command.kind) {
      case "block":
        return (await addBlock(store, { account, ...command })).isChanged;
      case "unblock":
        return (await removeBlock(store, { account, ...command })).isChanged;
      case "erase":
        return erase(store, { account, address: addressed(command.key), at: command.at });
      case "correct": {
        const { email, to, data, values, at, origin } = command;
        const result = await store.subscribers.correct({
          account,
          address: addressed(email),
          correction: {
            address: to === null ? null : addressed(to),
            data,
            values: values.map(({ field, value }) => ({ field: this.#fields.at(field), value })),
          },
          at,
          origin,
        });
        return "state" in result ? `${result.outcome} ${result.state}` : result.outcome;
      }
      case "limit": {
        const { subscribers: limitSubscribers, fields: limitFields } = command;
        return (
          (await store.accounts.set({ id: account, settings: { limitSubscribers, limitFields } })) !== null
        );
      }
      case "rename-list": {
        const id = this.#lists.at(command.list);
        return (await store.lists.set({ account, id, name: command.name })) !== null;
      }
      case "create-list":
        this.#lists.add((await store.lists.create({ account, ...command })).id);
        return true;
      case "delete-list":
        return (await deleteList(store, { account, ...command, id: this.#lists.at(command.list) })) !== null;
      case "record-campaign": {
        const lists = command.lists.map((list) => this.#lists.at(list));
        const times = { createdAt: command.at, sentAt: command.sentAt };
        const made = await store.campaigns.record({ account, name: "Campaign", lists, ...times });
        if ("id" in made) this.#campaigns.add(made.id);
        return "id" in made;
      }
      case "import":
        return this.#rehearsed(command);
    }
  }

  /** Whether a field with this number exists before the next commands are submitted. */
  hasField(index: number): boolean {
    return index < this.#fields.all.length;
  }

  async #import({ list: index, at, overwrite, rows }: Import): Promise<Outcome> {
    const list = index === null ? null : this.#lists.at(index);
    const people = rows.map((row) => this.#imported(row));
    const args = {
      account: this.#account,
      list,
      overwrite,
      batch: this.#batch,
      counts: noSubscriberCounts,
      at,
      people,
    };
    const results = await this.#store.imports.add(args);
    return results === null ? "UnknownList" : importWords(results);
  }

  /** Without concurrent commands, a dry run predicts the result. */
  async #rehearsed(command: Import): Promise<Outcome> {
    const lists = await collect(this.#store.lists.all.pages({ account: this.#account }));
    const list = command.list === null ? null : this.#lists.at(command.list);
    if (list !== null && !lists.some(({ id }) => id === list)) return this.#import(command);
    const { overwrite, at: now } = command;
    const dryRun = new DryRun(this.#store, { account: this.#account, list, now, overwrite });
    const before = await this.look();
    const foretold = importWords(await dryRun.take(command.rows.map((row) => this.#imported(row))));
    assert.deepEqual(await this.look(), before, "a dry run changes nothing");
    const outcome = await this.#import(command);
    assert.equal(foretold, outcome, "a dry run says what will be");
    return outcome;
  }

  #imported({ email, values, ...row }: Row): ImportedPerson {
    const ofFields = values.map(({ field, value }) => ({ field: this.#fields.at(field), value }));
    return { ...row, address: addressed(email), values: ofFields };
  }

  async #call(command: CallerCommand): Promise<Outcome> {
    if (command.kind === "import") return this.#import(command);
    const { kind, at, origin } = command;
    const recordedCall = { operation: kind, args: wordsOf(command), isCut: false };
    const base = { account: this.#account, at, origin, recordedCall };
    if (command.kind === "add-field") {
      const { name, type } = command;
      const field = name === null ? null : { name, type, isPrivate: false };
      return this.#store.fields.add({ ...base, field });
    }
    const about = { ...base, address: parseAddress(command.email) };
    switch (command.kind) {
      case "add": {
        const { status = "active" } = command;
        return this.#store.subscribers.add({ ...about, list: this.#lists.at(command.list), status });
      }
      case "add-with-data": {
        const values = command.data.values.map(({ field, value }) => ({
          field: field === null ? null : this.#fields.at(field),
          value,
        }));
        return this.#store.subscribers.addWithData({
          ...about,
          list: this.#lists.at(command.list),
          data: { ...command.data, values },
        });
      }
      case "remove":
        return this.#store.subscribers.remove({ ...about, list: this.#lists.at(command.list) });
      case "unsubscribe":
        return this.#store.subscribers.unsubscribe(about);
      case "reactivate":
        return this.#store.subscribers.reactivate({
          ...about,
          suppression: command.suppression,
          reason: "asked",
        });
      case "event": {
        const campaign = this.#campaigns.at(command.campaign);
        return this.#store.campaigns.recordEvent({ ...about, campaign, event: command.event });
      }
    }
  }

  async #learnFields(): Promise<void> {
    const found = await collect(this.#store.fields.all.pages({ account: this.#account }));
    const fresh = found.map(({ id }) => id).filter((id) => !this.#fields.all.includes(id));
    for (const id of fresh.toSorted((one, other) => (one < other ? -1 : 1))) this.#fields.add(id);
  }

  async look(): Promise<Seen> {
    const [store, account] = [this.#store, this.#account];
    const lists = await collect(store.lists.all.pages({ account }));
    const fields = await collect(store.fields.all.pages({ account }));
    const refusals = await collect(store.refusals.all.pages({ account }));
    const noOps = await store.refusals.noOps({ account });
    const found = await Promise.all(people.map(async ({ key }) => [key, await this.#person(key)] as const));
    const campaigns = await collect(store.campaigns.all.pages({ account }));
    const lastSent = await store.campaigns.lastSent({ account });
    return {
      people: Object.fromEntries(found.filter(([, person]) => person !== null)),
      lists: await Promise.all(lists.map((list) => this.#list(list))),
      fields: fields.map(({ id, name, type, createdAt }) => ({
        name,
        type,
        createdAt,
        field: this.#fields.indexOf(id),
      })),
      blocks: (await collect(store.blocks.all.pages({ account }))).map((block) => ({ ...block })),
      campaigns: await Promise.all(this.#campaigns.all.map((id) => this.#campaign(id))),
      newestCampaigns: campaigns.map(({ id }) => this.#campaigns.indexOf(id)),
      lastSent: lastSent === null ? null : this.#campaigns.indexOf(lastSent.id),
      refusals: refusals.map(({ id: _id, isCut: _isCut, ...refusal }) => refusal).toSorted(byWords),
      noOps: Object.fromEntries(
        noOps.map(({ operation, outcome, count }) => [`${operation} ${outcome}`, count]),
      ),
    };
  }

  async #list({ id, ...list }: List) {
    const listed = await collect(this.#store.lists.members.pages({ account: this.#account, list: id }));
    return {
      ...list,
      list: this.#lists.indexOf(id),
      listed: listed.map(({ address, joinedAt, status, suppressions }) => ({
        address,
        joinedAt,
        status,
        suppressions,
      })),
    };
  }

  async #person(key: string) {
    const address = addressed(key);
    const found = await this.#store.subscribers.byAddress({ account: this.#account, address });
    if (found === null) return null;
    // Campaign events are compared with the campaigns; the model has no ids.
    const { id: _id, values, lists, history, imported, knownSince, losses: _losses, ...person } = found;
    return {
      ...person,
      since: knownSince,
      imported: imported.toSorted(),
      values: Object.fromEntries(
        values.map(({ field, value, at, key, batch }) => [
          this.#fields.indexOf(field),
          { value, at, key, isImported: batch !== null },
        ]),
      ),
      lists: Object.fromEntries(
        lists.map(({ id, joinedAt, status, counts }) => [
          this.#lists.indexOf(id),
          { joinedAt, status, counts },
        ]),
      ),
      history: history.map((entry) => ({
        ...entry,
        origin: originOf(entry),
        replaced:
          entry.replaced?.map(({ field, importedBy: _import, ...one }) => ({
            field: typeof field === "bigint" ? this.#fields.indexOf(field) : field,
            ...one,
          })) ?? null,
        list: entry.list === null ? null : this.#lists.indexOf(entry.list),
        campaign: entry.campaign === null ? null : this.#campaigns.indexOf(entry.campaign),
      })),
    };
  }

  async #campaign(campaign: number) {
    const [store, account] = [this.#store, this.#account];
    const targeted = await collect(store.campaigns.targetedLists.pages({ account, campaign }));
    const lost = await Promise.all(
      campaignEvents.map(async (event) => {
        let text = "";
        for await (const { bytes } of store.campaigns.subscribersByEvent({ account, campaign, event }, LINES))
          text += Buffer.from(bytes).toString();
        const rows = text.split("\n").slice(0, -1);
        return [event, rows.map(toLost)] as const;
      }),
    );
    return {
      lists: targeted.map(({ id, name, members }) => ({ list: this.#lists.indexOf(id), name, members })),
      ...Object.fromEntries(lost),
    };
  }
}

/** The model has no ids: checks that an entry of an import names the right batch. */
function originOf({ origin }: HistoryEntry): HistoryEntry["origin"] {
  if (origin.kind !== "import") return origin;
  assert.notEqual(origin.batch, null, "an entry of an import names its batch");
  return { kind: "import", batch: null };
}

const addressed = (email: string): Address => {
  const address = parseAddress(email);
  if (address === null) throw new Error(`${email} is no address`);
  return address;
};
const importWords = (results: readonly Imported[]): string =>
  results
    .map((row) => {
      const { outcome, isNew, suppressedBy, updatedValues: updated, keptNewerValues: kept } = row;
      return `${outcome}${isNew ? " as a new subscriber" : ""}, ${suppressedBy ?? "active"}, ${updated} updated, ${kept} kept`;
    })
    .join(", ");

const makeAccount = async (store: Store): Promise<number> =>
  (await store.accounts.create({ name: "Model", at: 1 })).id;

const LINES: RowForm<EventSubscriber> = {
  start: "",
  end: "\n",
  fields: (["address", "firstName", "lastName", "joinedAt", "at"] as const).map((name) => ({
    name,
    start: "",
    end: "\t",
    empty: "\t",
  })),
  escapes: [],
};
function toLost(row: string) {
  const [address = "", firstName = "", lastName = "", joinedAt = "", at = ""] = row.split("\t");
  return { address, firstName, lastName, joinedAt: Date.parse(joinedAt), at: Date.parse(at) };
}
