import assert from "node:assert/strict";
import { test } from "node:test";
import {
  hashText,
  MAX_CLIENTS_OF_KEY,
  MAX_RECENT_KEYS,
  network24Or48Of,
  RecentKeys,
} from "#auth/recent-keys.ts";
import { hashKey } from "#domain/access/key.ts";

const HOUR_MS = 3_600_000;
const WALL = Date.UTC(2026, 0, 1);
const hash = (n: number): Buffer => hashKey(`KEY-${n}`);
const text = (n: number): string => hashText(hash(n));

test("holds 10,000 hashes of keys, and drops the least recently used", () => {
  const recent = new RecentKeys();
  for (let n = 0; n < MAX_RECENT_KEYS; n += 1) recent.used(text(n), "a", n);
  recent.used(text(0), "a", MAX_RECENT_KEYS);
  recent.used(text(-1), "a", MAX_RECENT_KEYS);
  assert.equal(recent.size, MAX_RECENT_KEYS);
  assert.equal(recent.has(text(1), "a", MAX_RECENT_KEYS), false);
  for (const n of [-1, 0, 2]) assert.equal(recent.has(text(n), "a", MAX_RECENT_KEYS), true);
});

test("merges the database's keys with its own and keeps the most recently used", () => {
  const recent = new RecentKeys();
  for (let n = 0; n < 10; n += 1) recent.used(text(n), "a", n);
  const uses = Array.from({ length: MAX_RECENT_KEYS - 5 }, (_, n) => ({ hash: hash(1000 + n), at: WALL }));
  recent.merge(uses, WALL, 10);
  assert.equal(recent.size, MAX_RECENT_KEYS);
  assert.equal(recent.has(text(4), "a", 10), false);
  for (const n of [5, 9, 1000]) assert.equal(recent.has(text(n), "a", 10), true);
});

test("converts dates of the database into ages, and never makes a key older than known", () => {
  const recent = new RecentKeys();
  const now = 1000;
  recent.used(text(3), "a", now);
  const uses = [
    { hash: hash(1), at: WALL - 23 * HOUR_MS },
    { hash: hash(2), at: WALL + HOUR_MS },
    { hash: hash(3), at: WALL - 23 * HOUR_MS },
    { hash: hash(4), at: WALL - 24 * HOUR_MS },
  ];
  recent.merge(uses, WALL, now);
  assert.equal(recent.size, 3);
  const lives = (n: number, hours: number): readonly boolean[] => [
    recent.has(text(n), "a", now + hours * HOUR_MS - 1),
    recent.has(text(n), "a", now + hours * HOUR_MS),
  ];
  assert.deepEqual(lives(1, 1), [true, false]);
  assert.deepEqual(lives(2, 24), [true, false]);
  assert.deepEqual(lives(3, 24), [true, false]);
});

test("counts a key from the database for the clients of its network until one has used it, and then for its clients only", () => {
  const recent = new RecentKeys();
  const uses = [{ hash: hash(1), at: WALL, network: "192.0.2.0/24" }];
  recent.merge(uses, WALL, 0);
  const counts: Readonly<Record<string, boolean>> = { "192.0.2.7": true, "192.0.3.7": false, a: false };
  for (const [client, has] of Object.entries(counts)) assert.equal(recent.has(text(1), client, 0), has);
  assert.equal(recent.isUnseen(text(1), 0), true);
  assert.equal(recent.isUnseen(text(1), 24 * HOUR_MS), false);
  recent.used(text(1), "a", 0);
  recent.merge(uses, WALL, 0);
  assert.equal(recent.has(text(1), "a", 0), true);
  for (const client of ["b", "192.0.2.7"]) assert.equal(recent.has(text(1), client, 0), false);
  assert.equal(recent.isUnseen(text(1), 0), false);
  recent.used(text(1), "b", 23 * HOUR_MS);
  assert.equal(recent.has(text(1), "a", 24 * HOUR_MS), false);
  assert.equal(recent.has(text(1), "b", 24 * HOUR_MS), true);
});

test("counts a token from the database, which has no network, for every client", () => {
  const recent = new RecentKeys();
  recent.merge([{ hash: hash(1), at: WALL }], WALL, 0);
  for (const client of ["a", "b"]) assert.equal(recent.has(text(1), client, 0), true);
});

test("knows the /24 network of an IPv4 address and the /48 network of an IPv6 network", () => {
  for (const [client, network] of [
    ["192.0.2.7", "192.0.2.0/24"],
    ["2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["0:0:0:0::/64", "0:0:0::/48"],
    ["", ""],
  ] as const)
    assert.equal(network24Or48Of(client), network);
});

test("holds 16 clients of a key, and drops the one that used it longest ago", () => {
  const recent = new RecentKeys();
  for (let n = 0; n < MAX_CLIENTS_OF_KEY; n += 1) recent.used(text(1), `client ${n}`, n);
  recent.used(text(1), "client 0", 100);
  recent.used(text(1), "one more", 101);
  assert.equal(recent.has(text(1), "client 1", 101), false);
  for (const client of ["client 0", "client 2", "one more"])
    assert.equal(recent.has(text(1), client, 101), true);
});
