/** A shop with two months behind it, for pictures of the console: always the same people and numbers. */
import assert from "node:assert/strict";
import { storedForm } from "#domain/access/key.ts";
import { parseAddress } from "#domain/address.ts";
import { dayOf } from "#domain/calendar.ts";
import type { CampaignEvent } from "#domain/campaign.ts";
import type { Store } from "#domain/ports/store.ts";
import { addBlock } from "#jobs/in-batches.ts";
import { noData } from "../no-data.ts";
import { addressOf, forEachOf } from "../store/actor.ts";

const DAY_MS = 86_400_000;
const DAYS = 60;
const PEOPLE = 1_840;

const firstNames = [
  ..."Ada Grace Alan Barbara Edsger Frances Hedy John Katherine Margaret Donald Radia Tim Joan Ken".split(
    " ",
  ),
  ..."Annie Dennis Sophie Linus Karen Niklaus Elena Guido Shafi Leslie Mary Tony Adele Vint Evelyn".split(
    " ",
  ),
];
const lastNames = [
  ..."Lovelace Hopper Turing Liskov Dijkstra Allen Lamarr Backus Johnson Hamilton Knuth Perlman".split(" "),
  ..."Berners Clarke Thompson Easley Ritchie Wilson Torvalds Jones Wirth Rossi Novak Schmidt Moreau".split(
    " ",
  ),
];
const domains = ["example.com", "example.org", "example.net", "mail.example", "post.example"];

/** Repeats itself, so that the pictures do not change by themselves. */
function newRandom(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

interface Person {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly at: number;
}
function people(now: number): readonly Person[] {
  const random = newRandom();
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? "";
  const made = Array.from({ length: PEOPLE }, (_, n) => {
    const [firstName, lastName] = [pick(firstNames), pick(lastNames)];
    // Growth is a little faster lately, and less at weekends.
    const daysAgo = Math.floor(DAYS * (1 - Math.sqrt(random())));
    const at = now - daysAgo * DAY_MS - Math.floor(random() * 8) * 3_600_000;
    const number = n < firstNames.length * lastNames.length ? "" : String(n);
    const email = `${firstName}.${lastName}${number}@${pick(domains)}`.toLowerCase();
    return { email, firstName, lastName, at };
  });
  const byAddress = new Map(made.map((person) => [person.email, person]));
  return [...byAddress.values()].toSorted((one, other) => one.at - other.at);
}

async function newKey(store: Store, account: number, label: string, secret: string, at: number) {
  const key = await store.keys.create({
    ...{ ...storedForm(secret), account, label, scope: "full", expiresAt: null, at },
  });
  assert.ok(key);
  return key.id;
}

/** Somebody whose page shows why she gets no mail. */
export const SOFIA = "sofia.almeida@example.com";

async function addSofia(
  store: Store,
  account: number,
  [newsletter, customers, tours]: readonly number[],
  [shop, till]: readonly [number, number],
  now: number,
): Promise<void> {
  const about = (daysAgo: number, key: number) => ({
    ...{ account, at: now - daysAgo * DAY_MS, recordedCall: null, address: addressOf(SOFIA) },
    origin: { kind: "key", key } as const,
  });
  const data = {
    ...{ firstName: "Sofia", lastName: "Almeida", gender: null, birthday: "1988-05-21", countryNumber: 620 },
    values: [
      { field: 1n, value: "Lisbon" },
      { field: 2n, value: "Dark" },
      { field: 3n, value: "true" },
    ],
  };
  await store.subscribers.addWithData({ ...about(58, shop), list: newsletter ?? 0, data });
  await store.subscribers.add({ ...about(51, till), list: customers ?? 0 });
  await store.subscribers.add({ ...about(33, till), list: tours ?? 0 });
}

/** Those who may sign in; returns the one who looks at the pages. */
export async function addUsers(store: Store, now: number): Promise<number> {
  const ids: number[] = [];
  for (const [name, email, role] of [
    ["Ana Ferreira", "ana@northwind.example", "owner"],
    ["Tomás Lopes", "tomas@northwind.example", "editor"],
    ["Inês Costa", "ines@northwind.example", "viewer"],
    ["Rui Matos", "rui@northwind.example", null],
  ] as const) {
    const user = await store.users.create({
      ...{ address: addressOf(email), name, isAdministrator: role === null },
      role: role === null ? null : { account: 1, role },
      at: now - 30 * DAY_MS,
    });
    assert.ok(typeof user === "object");
    ids.push(user.id);
    // Nobody signs in with it: the pictures have a session.
    const hash = "not the hash of a password";
    if (role !== "viewer")
      await store.users.setPassword({ id: user.id, within: null, hash, at: now, keeps: null });
  }
  return ids[0] ?? 0;
}

/** As a spreadsheet program of the shop saves it: foreign headings, semicolons, days first. */
export const customersFile = {
  name: "Clientes 2026.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(
    [
      "Correo electrónico;Nombre;Apellidos;Ciudad;Fecha de nacimiento;Café favorito;Notas internas",
      "lucia.garcia@example.com;Lucía;García;Vigo;23/04/1991;Oscuro;",
      "mateo.ibanez@example.org;Mateo;Ibáñez;Salamanca;07/11/1984;Claro;llama por la tarde",
      "noa.munoz@example.net;Noa;Muñoz;Badajoz;30/01/1999;Medio;",
      "hugo.penalver@example.com;Hugo;Peñalver;Vigo;15/08/1976;Oscuro;",
      `${SOFIA};Sofía;Almeida;Lisboa;21/05/1988;Oscuro;`,
      "sin correo;Iria;Núñez;Lugo;02/02/1970;Claro;",
      "",
    ].join("\r\n"),
    "latin1",
  ),
};

/** Fills an empty installation; `now` is the time of the pictures. */
export async function fillDemo(store: Store, now: number): Promise<void> {
  const account = (await store.accounts.create({ name: "Northwind Coffee", at: now - 400 * DAY_MS })).id;
  const lists = new Map<string, number>();
  for (const name of ["Newsletter", "Customers", "Roastery tours"])
    lists.set(name, (await store.lists.create({ account, name, at: now - 90 * DAY_MS })).id);
  const listOf = (name: string): number => lists.get(name) ?? 0;
  for (const [name, type] of [
    ["Town", "STRING"],
    ["Favourite roast", "STRING"],
    ["Regular guest", "BOOLEAN"],
    ["Customer since", "DATE"],
  ] as const)
    await store.fields.create({
      account,
      id: null,
      field: { name, type, isPrivate: false },
      at: now - 120 * DAY_MS,
    });
  const shop = await newKey(store, account, "Web shop", "nw-shop-2016-F3A9-77C1-0D2E", now - 300 * DAY_MS);
  const till = await newKey(store, account, "Café till", "nw-till-2019-9B20-41AA-C3D4", now - 200 * DAY_MS);
  const origin = (nth: number) => ({ kind: "key", key: nth % 4 === 0 ? till : shop }) as const;

  const all = people(now);
  const towns = ["Lisbon", "Porto", "Braga", "Coimbra", "Faro"];
  const roasts = ["Light", "Medium", "Dark"];
  await forEachOf(all, async ({ email, firstName, lastName, at }, nth) => {
    const about = { account, at, origin: origin(nth), recordedCall: null, address: addressOf(email) };
    const values = [
      ...(nth % 2 === 0 ? [{ field: 1n, value: towns[nth % towns.length] ?? "" }] : []),
      ...(nth % 3 === 0 ? [{ field: 2n, value: roasts[nth % roasts.length] ?? "" }] : []),
    ];
    const data = { ...noData, firstName, lastName, values };
    await store.subscribers.addWithData({ ...about, list: listOf("Newsletter"), data });
    if (nth % 3 === 0) await store.subscribers.add({ ...about, list: listOf("Customers") });
    if (nth % 19 === 0) await store.subscribers.add({ ...about, list: listOf("Roastery tours") });
  });
  await addSofia(store, account, [...lists.values()], [shop, till], now);
  await campaigns(store, account, [...lists.values()], all, now);
  for (const [nth, { email, at }] of all.entries())
    if (nth % 31 === 7)
      await store.subscribers.unsubscribe({
        ...{ account, at: Math.min(now, at + 9 * DAY_MS), origin: origin(nth), recordedCall: null },
        address: addressOf(email),
      });
  await addBlock(store, {
    account,
    at: now - 3 * DAY_MS,
    origin: { kind: "operator" },
    pattern: "@spam.example",
  });
  await refusedCalls(store, account, shop, till, now);
  await calls(store, shop, till, now);
}

async function campaigns(
  store: Store,
  account: number,
  lists: readonly number[],
  all: readonly Person[],
  now: number,
): Promise<void> {
  for (const [nth, [name, daysAgo]] of (
    [
      ["Autumn menu", 40],
      ["New single origins", 26],
      ["Free tasting on Saturday", 12],
      ["Winter blend is here", 4],
    ] as const
  ).entries()) {
    const sentAt = now - daysAgo * DAY_MS;
    const targeted = lists.slice(0, (nth % 2) + 1);
    const made = await store.campaigns.record({
      ...{ account, name, lists: targeted, createdAt: sentAt - DAY_MS, sentAt },
    });
    assert.ok("id" in made);
    const before = all.filter(({ at }) => at < sentAt);
    const events: readonly (readonly [CampaignEvent, number])[] = [
      ["unsubscribed", 12 + nth * 3],
      ["bounced", 7 + nth],
      ["complained", 1 + (nth % 2)],
    ];
    for (const [event, count] of events)
      for (let index = 0; index < count; index += 1) {
        const person = before[(nth * 211 + index * 37 + event.length * 5) % before.length];
        if (person === undefined) continue;
        const at = Math.min(now, sentAt + Math.floor(((index * index) % 50) * 1.7) * 3_600_000);
        await store.campaigns.recordEvent({
          ...{ account, campaign: made.id, event, at, origin: { kind: "operator" }, recordedCall: null },
          address: addressOf(person.email),
        });
      }
    if (name === "Free tasting on Saturday")
      await store.campaigns.recordEvent({
        ...{ account, campaign: made.id, event: "unsubscribed", at: sentAt + 5 * 3_600_000 },
        ...{ origin: { kind: "operator" }, recordedCall: null, address: addressOf(SOFIA) },
      });
  }
}

async function refusedCalls(
  store: Store,
  account: number,
  shop: number,
  till: number,
  now: number,
): Promise<void> {
  for (const [nth, [key, email]] of (
    [
      [shop, "maria.santos@@example.com"],
      [shop, "joao.pereira@"],
      [shop, "no-at-sign.example.com"],
      [till, "walk-in guest"],
    ] as const
  ).entries())
    await store.subscribers.add({
      ...{ account, at: now - (nth + 1) * 5_400_000, list: 1, address: parseAddress(email) },
      origin: { kind: "key", key },
      recordedCall: {
        operation: "Subscriber.Add",
        args: JSON.stringify({ SubscribersListID: "1", EMail: email }),
        isCut: false,
      },
    });
  await store.subscribers.add({
    ...{ account, at: now - 3_600_000, list: 99, address: addressOf("rita@example.org") },
    origin: { kind: "key", key: till },
    recordedCall: {
      operation: "Subscriber.Add",
      args: JSON.stringify({ SubscribersListID: "99", EMail: "rita@example.org" }),
      isCut: false,
    },
  });
}

async function calls(store: Store, shop: number, till: number, now: number): Promise<void> {
  const random = newRandom();
  const rows = Array.from({ length: DAYS }, (_, daysAgo) => daysAgo).flatMap((daysAgo) => {
    const day = dayOf(now - daysAgo * DAY_MS);
    const some = (most: number): number => Math.round(most * (0.6 + 0.4 * random()));
    return [
      {
        key: shop,
        day,
        program: "PHP-SOAP",
        calls: some(420),
        refusals: daysAgo % 4 === 1 ? some(9) : 0,
        faults: 0,
      },
      { key: shop, day, program: "curl", calls: some(14), refusals: 0, faults: daysAgo % 9 === 0 ? 1 : 0 },
      {
        key: till,
        day,
        program: "MS Web Services Client",
        calls: some(160),
        refusals: daysAgo % 7 === 3 ? some(6) : 0,
        faults: 0,
      },
    ];
  });
  const quirk = {
    key: till,
    quirk: "wsdl-every-call",
    program: "MS Web Services Client",
    seenAt: now,
  } as const;
  await store.statistics.addCalls({ calls: rows, quirks: [quirk] });
  const uses = [
    { id: shop, at: now - 4 * 60_000, network: null },
    { id: till, at: now - 65 * 60_000, network: null },
  ];
  await store.keys.touch({ uses });
}
