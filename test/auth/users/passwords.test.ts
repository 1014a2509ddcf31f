/** Hashing and checking of passwords. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { COST, MAX_OF_CLIENT, MAX_WAITING, Passwords } from "#auth/users/passwords.ts";
import { Fault } from "#contract/faults.ts";

const cheap = { ln: 4, r: 8, p: 1 };
const PASSWORD = "correct horse battery";

test("a password is right for its hash only, whatever form of Unicode it is typed in", async () => {
  const passwords = new Passwords(cheap);
  const hash = await passwords.hash("Ångström is a unit");
  assert.match(hash, /^\$scrypt\$ln=4,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
  assert.notEqual(hash, await passwords.hash("Ångström is a unit"), "salted");
  assert.equal(await passwords.check("Ångström is a unit".normalize("NFD"), hash, "c", false), true);
  for (const wrong of ["ångström is a unit", "", "x".repeat(5_000_000)])
    assert.equal(await passwords.check(wrong, hash, "c", false), false);
  assert.equal(await passwords.check("", null, "c", false), false);
});

test("the hash contains its parameters, so that older ones can be checked and replaced", async () => {
  const hash = await new Passwords(cheap).hash(PASSWORD);
  const stronger = new Passwords({ ...cheap, ln: 5 });
  assert.equal(await stronger.check(PASSWORD, hash, "c", false), true);
  assert.equal(stronger.isOutdated(hash), true);
  assert.equal(stronger.isOutdated(await stronger.hash(PASSWORD)), false);
  await assert.rejects(stronger.check(PASSWORD, "$2b$10$bcrypt", "c", false), /malformed/);
});

test("new hashes take 32 MiB and three passes", async () => {
  assert.deepEqual(COST, { ln: 15, r: 8, p: 3 });
  const hash = await new Passwords().hash(PASSWORD);
  assert.equal(await new Passwords().check(PASSWORD, hash, "c", false), true);
});

test("two passwords are checked at a time, twenty wait, and more are refused at once", async () => {
  const passwords = new Passwords(cheap);
  const ended: string[] = [];
  const check = async (client: string, isKnown: boolean): Promise<boolean> => {
    const isRight = await passwords.check(PASSWORD, null, client, isKnown);
    ended.push(client);
    return isRight;
  };
  const isThrottled = (error: unknown): boolean =>
    error instanceof Fault && error.code === "Throttled" && (error.retryAfterSeconds ?? 0) > 0;
  const running = [check("many", false), check("many", false)];
  const others = Array.from({ length: MAX_OF_CLIENT }, () => check("many", false));
  await assert.rejects(check("many", false), isThrottled, "a client has a share of the places");
  while (others.length < MAX_WAITING) others.push(check(`other ${others.length}`, false));
  await assert.rejects(check("further", false), isThrottled);
  const known = Array.from({ length: MAX_WAITING }, (_, at) => check(`known ${at >> 1}`, true));
  await assert.rejects(check("further", true), isThrottled);
  assert.deepEqual(passwords.load, { running: 2, waiting: 20 });
  assert.deepEqual(new Set(await Promise.all([...running, ...others, ...known])), new Set([false]));
  const last = ended.filter((client) => client !== "many").slice(-(MAX_WAITING - MAX_OF_CLIENT));
  // Of the two that run at a time, the second may end first.
  assert.ok(last.filter((client) => client.startsWith("known")).length <= 1, "known clients go first");
  assert.deepEqual(passwords.load, { running: 0, waiting: 0 });
  await assert.rejects(passwords.check(PASSWORD, "malformed", "c", false));
  assert.deepEqual(passwords.load, { running: 0, waiting: 0 }, "a failure frees its place");
});
