/** An account with people in every state, for tests of their pages. Some names are hostile. */
import assert from "node:assert/strict";
import type { KeyId } from "#domain/access/key.ts";
import type { Origin } from "#domain/access/origin.ts";
import type { FieldId } from "#domain/field/field.ts";
import type { Store } from "#domain/ports/store.ts";
import { addBlock } from "#jobs/in-batches.ts";
import { noData } from "../no-data.ts";
import { addressOf } from "../store/actor.ts";

export const HOSTILE = `"><script>alert('x')</script>`;

export interface World {
  readonly account: number;
  readonly newsletter: number;
  readonly events: number;
  readonly campaign: number;
  readonly key: KeyId;
  readonly fields: Readonly<Record<"town" | "vip" | "born" | "score", FieldId>>;
  /** By the local part of the address. */
  readonly ids: Readonly<Record<string, number>>;
}

const DAY_MS = 86_400_000;
const names: readonly (readonly [email: string, first: string, last: string])[] = [
  ["ada.lovelace@example.org", "Ada", "Lovelace"],
  ["barbara.liskov@example.net", "Barbara", "Liskov"],
  ["edsger@example.com", "Edsger", "Dijkstra"],
  ["frances.allen@example.com", "Frances", "Allen"],
  ["grace.hopper@example.org", "Grace", "Hopper"],
  ["hedy@example.org", "Hedy", "Lamarr"],
  ["john.backus@spam.example", "John", "Backus"],
  ["katherine.johnson@example.net", "Katherine", "Johnson"],
  ["margaret@example.org", "Margaret", "Hamilton"],
  ["oedoen@example.org", "Ödön", "Kővári"],
  ["zz-hostile@example.org", HOSTILE, HOSTILE],
];

/** `user`: who corrects a name and reactivates somebody. */
export async function fillWorld(store: Store, now: number, user: number): Promise<World> {
  const account = (await store.accounts.create({ name: "Northwind Coffee", at: now })).id;
  const made = await store.keys.create({
    account,
    hash: Buffer.alloc(32, account),
    hint: "f3a9",
    length: 32,
    label: "Web shop",
    scope: "full",
    expiresAt: null,
    at: now,
  });
  assert.ok(made);
  const list = async (name: string) => (await store.lists.create({ account, name, at: now })).id;
  const [newsletter, events] = [await list("Newsletter"), await list("Events in Berlin")];
  await list(HOSTILE);
  const field = async (name: string, type: "STRING" | "BOOLEAN" | "DATE" | "REAL") => {
    const created = await store.fields.create({
      account,
      id: null,
      field: { name, type, isPrivate: false },
      at: now,
    });
    assert.ok(typeof created === "object");
    return created.id;
  };
  const fields = {
    town: await field("Town", "STRING"),
    vip: await field("Regular guest", "BOOLEAN"),
    born: await field("Customer since", "DATE"),
    score: await field("Cups per week", "REAL"),
  };
  const byKey: Origin = { kind: "key", key: made.id };
  const byUser: Origin = { kind: "user", user };
  const cause = (daysAgo: number, origin: Origin) =>
    ({ account, at: now - daysAgo * DAY_MS, origin, recordedCall: null }) as const;
  for (const [n, [email, firstName, lastName]] of names.entries())
    await store.subscribers.addWithData({
      ...cause(200 - n, byKey),
      address: addressOf(email),
      list: newsletter,
      data: {
        ...noData,
        firstName,
        lastName,
        values: [
          { field: fields.town, value: n % 2 === 0 ? "London" : HOSTILE },
          { field: fields.vip, value: "true" },
        ],
      },
    });
  const campaign = await store.campaigns.record({
    account,
    name: "Spring roast",
    lists: [newsletter],
    createdAt: now - 60 * DAY_MS,
    sentAt: now - 60 * DAY_MS,
  });
  assert.ok("id" in campaign);
  const event = (email: string, kind: "bounced" | "complained" | "unsubscribed") =>
    store.campaigns.recordEvent({
      ...cause(59, byKey),
      address: addressOf(email),
      campaign: campaign.id,
      event: kind,
    });
  await event("edsger@example.com", "bounced");
  await event("frances.allen@example.com", "complained");
  await event("grace.hopper@example.org", "unsubscribed");
  await store.subscribers.reactivate({
    ...cause(30, byUser),
    address: addressOf("grace.hopper@example.org"),
    suppression: "unsubscribed",
    reason: "asked by mail to get the newsletter again",
  });
  await store.subscribers.correct({
    account,
    at: now - 20 * DAY_MS,
    origin: byUser,
    address: addressOf("ada.lovelace@example.org"),
    correction: { address: null, data: { lastName: "King" }, values: [] },
  });
  await store.subscribers.add({
    ...cause(12, byKey),
    address: addressOf("ada.lovelace@example.org"),
    list: events,
  });
  await store.subscribers.unsubscribe({
    ...cause(3, byKey),
    address: addressOf("barbara.liskov@example.net"),
  });
  await addBlock(store, {
    account,
    at: now - 8 * DAY_MS,
    origin: byUser,
    pattern: "@spam.example",
    audit: { at: now - 8 * DAY_MS, origin: byUser, from: null, action: "block.add" },
  });
  const ids: Record<string, number> = {};
  for (const [email] of names) {
    const found = await store.subscribers.find({ account, address: addressOf(email) });
    ids[email.slice(0, email.indexOf("@"))] = found?.id ?? 0;
  }
  return { account, newsletter, events, campaign: campaign.id, key: made.id, fields, ids };
}
