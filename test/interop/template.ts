/** The database that every run starts from, filled with the records that the scenario expects. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { parseKey, storedForm } from "#domain/access/key.ts";
import { type Address, parseAddress } from "#domain/address.ts";
import type { CampaignEvent } from "#domain/campaign.ts";
import type { DataType } from "#domain/field/field.ts";
import type { Store } from "#domain/ports/store.ts";
import { startService } from "../service.ts";
import {
  campaigns,
  fields,
  KEY,
  KEY_OF_NONE,
  KEY_OF_ONE,
  lists,
  lost,
  members,
  type Row,
  START,
} from "./scenario.ts";

const at = Date.parse(START);
const origin = { kind: "operator" } as const;

/** Writes the database to a file. */
export async function makeTemplate(file: string): Promise<void> {
  const service = await startService({ "api-key": KEY }, () => at);
  const { store, folder } = service;
  const database = join(folder, "m.db");
  try {
    const one = (await store.accounts.create({ name: "One", at })).id;
    const none = (await store.accounts.create({ name: "None", at })).id;
    await addKey(store, one, KEY_OF_ONE);
    await addKey(store, none, KEY_OF_NONE);
    await store.lists.create({ account: 1, name: text(lists.main[1], "Name"), at });
    await store.lists.create({ account: one, name: text(lists.one, "Name"), at });
    await addField(store, 1, fields.main[0]);
    await addField(store, one, fields.one);
    await addField(store, 1, fields.main[1]);
    for (const [email, list] of members) await add(store, email, list, "", "");
    for (const [record, targets] of [
      [campaigns.main[0], [1, 2]],
      [campaigns.main[1], [1]],
      [campaigns.main[2], []],
    ] as const)
      await addCampaign(store, 1, record, targets);
    await addCampaign(store, one, campaigns.one, [3]);
    await lose(store, 1, "unsubscribed", lost.unsubscribed);
    await lose(store, 2, "unsubscribed", [lost.unsubscribedOne]);
    await lose(store, 1, "bounced", lost.bounced);
    await lose(store, 2, "bounced", [lost.bouncedOne]);
    await service.stop();
    copyFileSync(database, file);
  } finally {
    await service.close();
  }
}

async function addKey(store: Store, account: number, key: string): Promise<void> {
  const parsed = parseKey(key);
  if (parsed === null) throw new Error(`${key} is no key`);
  const made = {
    ...storedForm(parsed),
    label: key,
    scope: "full",
    expiresAt: null,
  } as const;
  await store.keys.create({ account, ...made, at });
}

async function addField(store: Store, account: number, record: Row): Promise<void> {
  const field = {
    name: text(record, "Name"),
    type: text(record, "DataType") as DataType,
    isPrivate: record.IsPrivate === "true",
  };
  await store.fields.create({ account, at, id: BigInt(text(record, "FieldId")), field });
}

async function addCampaign(
  store: Store,
  account: number,
  record: Row,
  targets: readonly number[],
): Promise<void> {
  await store.campaigns.record({
    account,
    name: text(record, "Name"),
    lists: targets,
    createdAt: Date.parse(text(record, "CreationDate")),
    sentAt: record.SentDate === undefined ? null : Date.parse(record.SentDate),
  });
}

async function lose(
  store: Store,
  campaign: number,
  event: CampaignEvent,
  people: readonly Row[],
): Promise<void> {
  await Promise.all(
    people.map(async (row) => {
      const email = text(row, "EMail");
      await add(store, email, 1, text(row, "FirstName"), text(row, "LastName"));
      // Real events happen at any millisecond.
      const when = Date.parse(text(row, "UnsubscribedDate")) + 250;
      const command = { account: 1, at: when, origin, recordedCall: null, address: address(email) };
      await store.campaigns.recordEvent({ ...command, campaign, event });
    }),
  );
}

async function add(
  store: Store,
  email: string,
  list: number,
  firstName: string,
  lastName: string,
): Promise<void> {
  const data = { firstName, lastName, gender: null, birthday: null, countryNumber: null, values: [] };
  const command = { account: 1, at, origin, recordedCall: null, address: address(email), list, data };
  const outcome = await store.subscribers.addWithData(command);
  if (outcome !== "Done") throw new Error(`${email}: ${outcome}`);
}

function address(email: string): Address {
  const parsed = parseAddress(email);
  if (parsed === null) throw new Error(`${email} is no address`);
  return parsed;
}

function text(row: Row, name: string): string {
  const value = row[name];
  if (value === undefined) throw new Error(`no ${name}`);
  return value;
}
