/**
 * What belongs to another account is not there. Two installations are asked the same by the same stranger, in
 * every operation and with every id: one where the ids belong to somebody else, and one where nobody has
 * them. The answers are the same to the byte, on either store.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { contract } from "#contract/operations.ts";
import { storedForm } from "#domain/access/key.ts";
import type { Store } from "#domain/ports/store.ts";
import { addBlock } from "#jobs/in-batches.ts";
import { sendRequest } from "./send-request.ts";
import { KEY, type Service, startService } from "./service.ts";
import { sharedPostgres } from "./shared-postgres.ts";

const BASE = "http://mail.example.org";
const OWNERS_KEY = "AAAABBBBCCCCDDDDAAAABBBBCCCCDDDD";
const AT = Date.UTC(2026, 0, 1);
const operator = { kind: "operator" } as const;
const addressOf = (text: string) => ({ text, key: text, domain: "owner.example" });
const addresses = {
  member: "member@owner.example",
  unsubscribed: "gone@owner.example",
  bounced: "bounced@owner.example",
  complained: "complained@owner.example",
  unknown: "nobody@owner.example",
  malformed: "no address",
};
const FIELD_NAME = "Shoe size";

/** Of everything that has an id, one that belongs to the owner; the campaign's is the last. */
async function fill(store: Store): Promise<readonly number[]> {
  const { id: account } = await store.accounts.create({ name: "Owner", at: AT });
  await store.keys.create({
    account,
    ...storedForm(OWNERS_KEY),
    label: "",
    scope: "full",
    expiresAt: null,
    at: AT,
  });
  const list = await store.lists.create({ account, name: "Owner's list", at: AT });
  const field = await store.fields.create({
    account,
    id: null,
    field: { name: FIELD_NAME, isPrivate: true, type: "STRING" },
    at: AT,
  });
  const campaign = await store.campaigns.record({
    account,
    name: "Owner's campaign",
    lists: [list.id],
    createdAt: AT,
    sentAt: AT,
  });
  assert.ok(typeof field === "object" && "id" in campaign);
  const command = { account, at: AT, origin: operator, recordedCall: null };
  const add = (text: string) =>
    store.subscribers.add({ ...command, address: addressOf(text), list: list.id });
  for (const text of [addresses.member, addresses.unsubscribed, addresses.bounced, addresses.complained])
    assert.equal(await add(text), "Done");
  await store.subscribers.unsubscribe({ ...command, address: addressOf(addresses.unsubscribed) });
  for (const [text, event] of [
    [addresses.bounced, "bounced"],
    [addresses.complained, "complained"],
  ] as const)
    await store.campaigns.recordEvent({
      ...command,
      address: addressOf(text),
      campaign: campaign.id,
      event,
    });
  await addBlock(store, { account, at: AT, origin: operator, pattern: "blocked.example" });
  return [account, list.id, Number(field.id), campaign.id];
}

/**
 * For each parameter, everything that a stranger may try; a parameter that is new in the contract must be
 * thought of here.
 */
function valuesOf(parameter: string, ownersIds: readonly number[]): readonly string[] {
  const ids = [...new Set([...ownersIds, 0, -1, 2_147_483_647])].map(String);
  const tried: Readonly<Record<string, readonly string[]>> = {
    APIKey: [KEY],
    SubscribersListID: ids,
    CampaignID: ids,
    EMail: [...Object.values(addresses), "someone@blocked.example"],
    CustomsFields: ids.flatMap((id) => [
      `<customField><Customfieldid>${id}</Customfieldid><Value>42</Value></customField>`,
      `<customField><Customfieldid>${id}</Customfieldid><Value /></customField>`,
    ]),
    fieldName: [FIELD_NAME],
    dataType: ["STRING"],
    isPrivate: ["false"],
    FirstName: ["Ada"],
    LastName: [""],
    Gender: [""],
    Birthday: [""],
    CountryID: ["0"],
  };
  const values = tried[parameter];
  assert.ok(values, `nothing is tried for the parameter ${parameter}`);
  return values;
}

/**
 * Every pair of values of any two parameters, where the others have their first. All combinations would be
 * three times as many requests.
 */
function combinations(parameters: readonly string[], ownersIds: readonly number[]): ReadonlySet<string> {
  const values = parameters.map((parameter) => valuesOf(parameter, ownersIds));
  const elementsWith = (chosen: ReadonlyMap<number, string>): string =>
    parameters
      .map((parameter, at) => `<${parameter}>${chosen.get(at) ?? values[at]?.[0]}</${parameter}>`)
      .join("");
  const made = new Set<string>();
  for (const [first, ones] of values.entries())
    for (const [second, others] of values.entries())
      for (const one of ones)
        for (const other of others)
          if (first < second || parameters.length === 1)
            made.add(
              elementsWith(
                new Map([
                  [first, one],
                  [second, other],
                ]),
              ),
            );
  return made;
}

async function answer({ port }: Service, operation: string, params: string): Promise<string> {
  const { status, headers, body } = await sendRequest(`http://localhost:${port}/default.asmx`, {
    method: "POST",
    headers: { "Content-Type": "text/xml; charset=utf-8" },
    body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation} xmlns="${BASE}">${params}</${operation}></e:Body></e:Envelope>`,
  });
  return JSON.stringify([status, [...headers].filter(([name]) => name !== "date"), body]);
}

/** What the owner sees of their own. */
const ownersView = (beside: Service, ownersIds: readonly number[]): Promise<readonly string[]> =>
  Promise.all(
    Object.entries(contract.operations)
      .filter(([, { access }]) => access === "read")
      .map(([operation]) =>
        answer(
          beside,
          operation,
          `<APIKey>${OWNERS_KEY}</APIKey><CampaignID>${ownersIds.at(-1)}</CampaignID>`,
        ),
      ),
  );

// Field.Add last: it makes ids, which are those of the whole installation.
const operations = Object.entries(contract.operations).sort(
  ([one], [other]) => Number(one === "Field.Add") - Number(other === "Field.Add"),
);

const server = await sharedPostgres();

for (const store of ["SQLite", "PostgreSQL"] as const)
  describe(`on ${store}`, () => {
    let beside: Service;
    let alone: Service;
    let ownersIds: readonly number[];
    before(async () => {
      const start = async (): Promise<Service> => {
        const database = store === "SQLite" ? {} : { database: await server.newDatabase() };
        return startService({ "base-url": BASE, ...database }, () => AT);
      };
      [beside, alone] = [await start(), await start()];
      ownersIds = await fill(beside.store);
    });
    after(() => Promise.all([beside.close(), alone.close()]));

    test("finds data in both accounts", async () => {
      const view = (await ownersView(beside, ownersIds)).join("");
      for (const text of ["Owner's list", FIELD_NAME, "Owner's campaign", addresses.bounced])
        assert.ok(view.includes(text), text);
    });

    for (const [operation, { params }] of operations)
      test(`${operation} answers the same for data of another account as for missing data`, async () => {
        const before = await ownersView(beside, ownersIds);
        const tried = combinations(Object.keys(params), ownersIds);
        for (const given of tried)
          assert.equal(await answer(beside, operation, given), await answer(alone, operation, given), given);
        assert.deepEqual(await ownersView(beside, ownersIds), before, "and changes nothing of it");
      });

    test("lists no fields of another account in the JSON API", async () => {
      const fields = async ({ port }: Service): Promise<string> => {
        const url = `http://localhost:${port}/api/v1/fields`;
        return (await fetch(url, { headers: { Authorization: `Bearer ${KEY}` } })).text();
      };
      const text = await fields(beside);
      assert.match(text, new RegExp(`"Name":"${FIELD_NAME}"`), "the stranger has made one of the same name");
      assert.equal(text.split('"FieldId"').length, 2);
      assert.equal(text.replace(/"FieldId":2/, '"FieldId":1'), await fields(alone));
    });
  });
