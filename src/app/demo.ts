/**
 * An account to look at, with half a year behind it: `mailroll serve --demo`. The commands of the service
 * make it, each at the time at which it would have been made, and always the same people. Everybody is at
 * example.org, which has no mailboxes. Its database is marked until it is complete; the next start with
 * `--demo` then removes what there is of it, and makes it again.
 */
import { startImport } from "#admin/imports/start-import.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { appendPart, createUpload, finishUpload } from "#admin/uploads.ts";
import { newKey, storedForm } from "#domain/access/key.ts";
import { parseAddress } from "#domain/address.ts";
import { DAY_MS, dayOf } from "#domain/calendar.ts";
import { collect } from "#domain/paging.ts";
import type { Program } from "#domain/ports/health.ts";
import type { DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { Store } from "#domain/ports/store.ts";
import { type CampaignContent, emptyContent } from "#domain/sending/mailing.ts";
import { leaveJob } from "#jobs/foreground.ts";
import { deleteAccount } from "#jobs/in-batches.ts";
import { VERSION } from "#shipped.ts";

type Made = NonNullable<Awaited<ReturnType<Store["accounts"]["firstStart"]>>>;

const DAYS = 180;
const PEOPLE = 3200;
const HOUR_MS = 3_600_000;
const USER = "demo@example.org";

const words = (text: string): readonly string[] => text.split(" ");
const firstNames = words(
  "Ada Alan Amina Ana Bruno Chen Clara Daniel Elena Emil Eva Farid Greta Hana Ines Ivan Jonas Julia Karim Lea Leo Lina Marta Mateo Mia Nadia Noah Olga Omar Paula Rosa Samir Sofia Tariq Tomas Yuki",
);
const lastNames = words(
  "Adams Almeida Bauer Berg Costa Dubois Fischer Garcia Haddad Ivanova Jensen Kaya Kim Kowalski Larsen Lopez Martin Meyer Moreau Nguyen Novak Okafor Olsen Patel Petrov Ricci Rossi Santos Sato Schmidt Silva Tanaka Varga Weber Wagner Young",
);
const towns = words("Lisbon Porto Vienna Berlin Lyon Turin Oslo Ghent");
const roasts = words("Light Medium Dark");
const pick = (of: readonly string[], at: number): string => of[at % of.length] ?? "";

/** The same in every demo. */
function newRandom(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const addressOf = (email: string) => {
  const address = parseAddress(email);
  if (address === null) throw new Error(`${email} is not an address`);
  return address;
};

interface Person {
  readonly nth: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly at: number;
}
/** In the order in which they subscribe. */
function people(now: number): readonly Person[] {
  const random = newRandom();
  return Array.from({ length: PEOPLE }, (_, nth): Person => {
    const firstName = pick(firstNames, Math.floor(random() * firstNames.length));
    const lastName = pick(lastNames, Math.floor(random() * lastNames.length));
    const daysAgo = DAYS * (1 - random() ** 0.75);
    const email = `${firstName}.${lastName}.${nth}@example.org`.toLowerCase();
    return { nth, firstName, lastName, email, at: Math.round(now - daysAgo * DAY_MS) };
  }).toSorted((one, other) => one.at - other.at);
}

const LETTER = `# Good morning, {{ first_name | default: "coffee lover" }}

The new harvest is here: two coffees from Ethiopia, one from the Azores, and a decaf that we drink ourselves.
{% if fields.Town %}
You can taste all of them in our shop in **{{ fields.Town }}**.
{% endif %}
| Roast | 250 g |
|---|---|
| Yirgacheffe, light | € 9.50 |
| Ribeira Quente, dark | € 11.00 |

[Order now](https://shop.example.org)
`;

/** What the relay replied to the recipients of a batch: nearly all were accepted. */
function resultOf(subscriber: number): DeliveryResult {
  if (subscriber % 131 === 13)
    return { subscriber, state: "failed", code: 550, isHardBounce: true, reply: "550 5.1.1 User unknown" };
  return { subscriber, state: "sent", code: 250 };
}

const inTurn = async <T>(all: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> => {
  // Side by side, so that one commit has many of them.
  for (let at = 0; at < all.length; at += 500) await Promise.all(all.slice(at, at + 500).map(act));
};

async function openShop(store: Store, { account, list }: Made, now: number) {
  const ago = (days: number): number => Math.round(now - days * DAY_MS);
  const at = ago(DAYS);
  const newList = async (name: string) => (await store.lists.create({ account, name, at })).id;
  const key = async (label: string): Promise<number> => {
    const made = await store.keys.create({
      ...{ ...storedForm(newKey()), account, label, scope: "full", expiresAt: null, at },
    });
    return made?.id ?? 0;
  };
  const field = async (name: string): Promise<bigint> => {
    const made = await store.fields.create({
      ...{ account, id: null, field: { name, type: "STRING", isPrivate: false }, at },
    });
    return typeof made === "object" ? made.id : 0n;
  };
  return {
    ...{ store, account, now, ago },
    keys: { shop: await key("Web shop"), till: await key("Café till") },
    lists: { newsletter: list, customers: await newList("Customers"), tours: await newList("Tours") },
    fields: { town: await field("Town"), roast: await field("Favourite roast") },
  };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

async function subscribe(
  { store, account, now, keys, lists, fields }: Shop,
  all: readonly Person[],
): Promise<void> {
  const about = ({ nth, email, at }: Person) => ({
    ...{ account, at, recordedCall: null, address: addressOf(email) },
    origin: { kind: "key", key: nth % 4 === 0 ? keys.till : keys.shop } as const,
  });
  await inTurn(all, ({ nth, firstName, lastName, ...one }) =>
    store.subscribers.addWithData({
      ...{ ...about({ nth, firstName, lastName, ...one }), list: lists.newsletter },
      data: {
        ...{ firstName, lastName, gender: null, birthday: null, countryNumber: null },
        values: [
          ...(nth % 2 === 0 ? [{ field: fields.town, value: pick(towns, nth / 2) }] : []),
          ...(nth % 3 === 0 ? [{ field: fields.roast, value: pick(roasts, nth / 3) }] : []),
        ],
      },
    }),
  );
  const some = (every: number, act: (one: Person) => Promise<unknown>) =>
    inTurn(
      all.filter(({ nth }) => nth % every === 3),
      act,
    );
  await some(4, (one) => store.subscribers.add({ ...about(one), list: lists.customers }));
  await some(17, (one) => store.subscribers.add({ ...about(one), list: lists.tours }));
  await some(41, (one) =>
    store.subscribers.unsubscribe({ ...about(one), at: Math.min(now, one.at + 9 * DAY_MS) }),
  );
}

/** As the processes that serve do, except that nothing is handed over. */
async function send({ store, account }: Shop, campaign: number, start: number): Promise<void> {
  const of = { account, campaign };
  let now = start;
  await store.mailings.change({ ...of, change: "schedule", at: now, now, allowsHttp: true });
  await store.ledger.begin({ ...of, now });
  const by = () => ({ ...of, owner: "demo", now, until: now + HOUR_MS });
  const job = (await store.jobs.left()).find(({ name }) => name === `select-recipients ${campaign}`);
  const lease = job === undefined ? null : await store.jobs.take({ ...by(), id: job.id });
  if (lease !== null) while ((await store.jobs.step({ ...lease, now, until: by().until })) === "continues");
  for (;;) {
    const { batch } = await store.ledger.take({ ...by(), limit: 500 });
    if (batch === null) return;
    const starts = batch.recipients.map(({ subscriber, address }) => ({ subscriber, address }));
    await store.ledger.proceed({ ...by(), batch: batch.id, results: [], starts });
    now += 20_000;
    const results = starts.map(({ subscriber }) => resultOf(subscriber));
    await store.ledger.proceed({ ...by(), batch: batch.id, results, starts: [] });
  }
}

/** Of programs that had a wrong address, or a list that does not exist. */
async function refusedCalls({ store, account, now, keys, lists }: Shop): Promise<void> {
  const calls: readonly (readonly [key: number, list: number, email: string])[] = [
    [keys.shop, lists.newsletter, "maria.santos@@example.org"],
    [keys.shop, lists.newsletter, "joao.pereira@"],
    [keys.till, lists.customers, "walk-in guest"],
    [keys.till, 99, "rita@example.org"],
  ];
  for (const [nth, [key, list, email]] of calls.entries())
    await store.subscribers.add({
      ...{ account, at: now - (nth + 1) * HOUR_MS, list, address: parseAddress(email) },
      origin: { kind: "key", key },
      recordedCall: {
        operation: "Subscriber.Add",
        args: JSON.stringify({ SubscribersListID: String(list), EMail: email }),
        isCut: false,
      },
    });
}

async function callCounts({ store, now, ago, keys }: Shop): Promise<void> {
  const calls = Array.from({ length: 60 }, (_, daysAgo) => {
    const counts = { day: dayOf(ago(daysAgo)), refusals: daysAgo % 7 === 1 ? 4 : 0, faults: 0 };
    return [
      { ...counts, key: keys.shop, program: "PHP-SOAP", calls: 300 + ((daysAgo * 59) % 120) },
      { ...counts, key: keys.till, program: "MS Web Services Client", calls: 90 + ((daysAgo * 37) % 70) },
    ];
  }).flat();
  await store.statistics.addCalls({ calls, quirks: [] });
  await store.keys.touch({ uses: [{ id: keys.shop, at: now - 240_000, network: null }] });
}

/** A table of a spreadsheet, with a few rows that are wrong. The service imports it when it has started. */
async function importTable({ store, account, now, lists }: Shop): Promise<void> {
  const rows = Array.from({ length: 240 }, (_, nth) => {
    const [first, last] = [pick(firstNames, nth * 7), pick(lastNames, nth * 11)];
    const email = nth % 60 === 17 ? `${first} at example` : `${first}.${last}.fair${nth}@example.org`;
    return `${email.toLowerCase()};${first};${last};${pick(towns, nth)}`;
  });
  const bytes = Buffer.from(["E-mail;First name;Last name;Town", ...rows, ""].join("\r\n"));
  const admin: Admin = {
    ...{ store, clock: () => now, continueJob: leaveJob(store.jobs, () => {}) },
    actor: { origin: { kind: "operator", name: "demo" }, roleIn: () => "administrator" },
  };
  const file = { account, name: "Coffee fair.csv", size: bytes.length };
  const { id: upload } = await perform(admin, createUpload, file);
  await perform(admin, appendPart, { account, id: upload, offset: 0, bytes });
  await perform(admin, finishUpload, { account, id: upload, sha256: null });
  await perform(admin, startImport, {
    ...{ account, upload, format: { separator: null, encoding: null, dates: [] }, isDryRun: false },
    contents: {
      ...{ kind: "subscribers", list: lists.customers, overwrite: false },
      ...{ map: [], ignoresUnknown: false },
    },
  });
}

/** Four campaigns that are over, and a draft. Those who left did so soon after a campaign, or by a call. */
async function campaigns(shop: Shop): Promise<void> {
  const { store, account, now, ago, lists } = shop;
  const { id: sender } = await store.senders.create({
    ...{ account, createdAt: ago(DAYS), fromAddress: "hello@example.org", fromName: "Northwind Coffee" },
    ...{ replyTo: null, postalAddress: "Rua do Carmo 7\n1200-093 Lisbon", bounceDomain: null, relays: [] },
    ...{ signing: "relay", dkimDomain: null, dkimSelector: null, dkimKey: null },
    ...{ perSecond: null, perDomainMinute: null, perDay: null },
  });
  const compose = async (name: string, at: number, more: Partial<CampaignContent>): Promise<number> => {
    const letter = { sender, markdown: LETTER, layout: "newsletter", lists: [lists.newsletter] };
    const content = { ...emptyContent, ...letter, ...more };
    const made = await store.mailings.create({ account, name, at, content });
    if (!("campaign" in made)) throw new Error("the campaign names what does not exist");
    return made.campaign.id;
  };
  const all = people(now);
  let from = 0;
  for (const [name, daysAgo, subject] of [
    ["Spring harvest", 150, "The spring harvest is here"],
    ["Summer cold brew", 102, "{{ first_name }}, your summer cold brew"],
    ["New single origins", 54, "Two new single origins"],
    ["Winter roasts", 6, "The winter roasts are here"],
  ] as const) {
    const at = ago(daysAgo);
    const joined = all.filter((one) => one.at >= from && one.at < at);
    from = at;
    await subscribe(shop, joined);
    const campaign = await compose(name, at - DAY_MS, { subject });
    await send(shop, campaign, at);
    for (const { nth, email } of joined.filter((one) => one.nth % 29 === 3))
      await store.campaigns.recordEvent({
        ...{ account, campaign, event: nth % 11 === 0 ? "complained" : "unsubscribed", recordedCall: null },
        ...{
          at: at + (1 + ((nth * 37) % 60)) * HOUR_MS,
          address: addressOf(email),
          origin: { kind: "link" },
        },
      });
  }
  await subscribe(
    shop,
    all.filter((one) => one.at >= from),
  );
  await compose("Tasting in your town", now - HOUR_MS, {
    ...{ subject: "{{ first_name }}, taste the winter roasts", excludedLists: [lists.tours] },
    preheader: "Four new coffees, and a table for you",
  });
}

/** What is stored about this start. */
const program = ({ schemaVersion }: Store, since: number, isFilling: boolean): Program => ({
  ...{ version: VERSION, schemaVersion, since, address: null, isDemo: true, isFilling },
});

/** Removes what an interrupted start has made, also if its removal was interrupted; nothing of others. */
async function removeUnfinished(store: Store, at: number): Promise<void> {
  if ((await store.health.program())?.isFilling !== true) return;
  const accounts = new Set((await collect(store.accounts.all.pages({}))).map(({ id }) => id));
  for (const { account } of await store.jobs.left()) if (account !== null) accounts.add(account);
  for (const account of accounts) await deleteAccount(store, { account, at });
}

/** Returns the user who looks at it. */
async function fill(store: Store, made: Made, now: number): Promise<number> {
  const shop = await openShop(store, made, now);
  await campaigns(shop);
  await refusedCalls(shop);
  await callCounts(shop);
  await importTable(shop);
  await store.accounts.dismissSteps({ account: made.account, at: now });
  const address = addressOf(USER);
  const user =
    (await store.users.byAddress({ address })) ??
    (await store.users.create({ address, name: "Demo", isAdministrator: true, role: null, at: now }));
  if (typeof user === "string") throw new Error(user);
  await store.health.startProgram(program(store, now, false));
  return user.id;
}

/** What the service makes of an empty installation for a demo. */
export const demo = {
  ...{ account: "Northwind Coffee", user: USER, ageMs: DAYS * DAY_MS },
  ...{ removeUnfinished, program, fill },
};
export type Demo = typeof demo;
