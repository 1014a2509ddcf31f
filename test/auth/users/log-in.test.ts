/** Log-ins with a password and a code. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Secret, TOTP } from "otpauth";
import { Client } from "pg";
import { LogIn } from "#auth/users/log-in.ts";
import { MAX_WAITING, Passwords } from "#auth/users/passwords.ts";
import { hashRecoveryCode } from "#auth/users/recovery-codes.ts";
import { Fault } from "#contract/faults.ts";
import type { User } from "#domain/access/user.ts";
import type { Clocks } from "#domain/clocks.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { NOW, usersInstallation } from "./installation.ts";

const home = await usersInstallation();
const { store, clocks, time, account, newUser } = home;
const PASSWORD = "correct horse battery";
const cheap = { ln: 4, r: 8, p: 1 };
const passwords = new Passwords(cheap);

async function userWithPassword(of = home): Promise<User> {
  const user = await of.newUser(of.account, "editor");
  const hash = await passwords.hash(PASSWORD);
  await of.store.users.setPassword({ id: user.id, within: null, hash, at: NOW, keeps: null });
  return user;
}

function logging(given: Passwords = passwords, of = home, usedClocks: Clocks = clocks) {
  const refused: (number | null)[] = [];
  const guard = home.newGuard();
  const logIn = new LogIn({
    store: of.store,
    clocks: usedClocks,
    guard,
    passwords: given,
    onRefused: (user) => refused.push(user),
  });
  const ask = async (email: string, password: string, code: string | null = null, client = "c") =>
    await logIn.authenticate({ email, password, code }, client);
  const kindOf = async (...words: Parameters<typeof ask>) => (await ask(...words)).kind;
  return { logIn, guard, refused, ask, kindOf };
}
const throttled = (pattern: RegExp) => (error: unknown) =>
  error instanceof Fault && error.code === "Throttled" && pattern.test(error.message);

test("the right password makes the user the actor, with their roles", async () => {
  const user = await userWithPassword();
  const result = await logging().ask(` ${user.email.toUpperCase()} `, PASSWORD, null, "192.0.2.7");
  assert.ok(result.kind === "user");
  assert.deepEqual(
    [result.actor.origin, result.actor.from, result.actor.proof],
    [{ kind: "user", user: user.id }, "192.0.2.7", { kind: "password" }],
  );
  assert.deepEqual([result.actor.roleIn(account), result.actor.roleIn(null)], ["editor", null]);
});

test("a wrong password, an unknown or disabled user and one without a password fail alike, each after one check", async () => {
  let checks = 0;
  class Counting extends Passwords {
    override check(...given: Parameters<Passwords["check"]>): Promise<boolean> {
      checks += 1;
      return super.check(...given);
    }
  }
  const { kindOf, guard } = logging(new Counting(cheap));
  const [user, disabled] = [await userWithPassword(), await userWithPassword()];
  const withFactor = await userWithTotp(RECOVERY);
  for (const one of [disabled, withFactor]) await home.set(one, { disabledAt: NOW });
  const without = await newUser(account);
  const tried: readonly (readonly [string, string])[] = [
    [user.email, `${PASSWORD}x`],
    [disabled.email, PASSWORD],
    [withFactor.email, PASSWORD],
    [without.email, PASSWORD],
    [without.email, ""],
    ["nobody@example.org", PASSWORD],
    ["not an address", PASSWORD],
  ];
  for (const [email, password] of tried) assert.equal(await kindOf(email, password), "failed", email);
  assert.deepEqual([checks, guard.failures], [tried.length, tried.length]);
});

test("failures are counted per client, and refuse the client for everything", async () => {
  const { kindOf, guard } = logging();
  for (let n = 0; n < 40; n += 1) assert.equal(await kindOf(`nobody${n}@example.org`, PASSWORD), "failed");
  const user = await userWithPassword();
  await assert.rejects(kindOf(user.email, PASSWORD), throttled(/failed log-ins came from your address/));
  assert.throws(() => guard.check("c"), throttled(/API keys/));
  assert.equal(await kindOf(user.email, PASSWORD, null, "another"), "user");
});

test("failures are counted per user from all clients together, known or not", async () => {
  const { kindOf, refused } = logging();
  const user = await userWithPassword();
  for (const email of [user.email, "nobody@example.org"]) {
    for (let n = 0; n < 20; n += 1) assert.equal(await kindOf(email, "wrong", null, `client ${n}`), "failed");
    await assert.rejects(kindOf(email, PASSWORD), throttled(/log-ins of this user failed/));
  }
  assert.deepEqual(refused, [user.id, null]);
  time.now += 899_000;
  await assert.rejects(kindOf(user.email, PASSWORD), throttled(/log-ins of this user failed/));
  time.now += 1001;
  assert.equal(await kindOf(user.email, PASSWORD), "user");
});

test("a user whose password is guessed from elsewhere can still log in from where they did before", async () => {
  const { kindOf } = logging();
  const user = await userWithPassword();
  assert.equal(await kindOf(user.email, PASSWORD, null, "home"), "user");
  for (let n = 0; n < 20; n += 1) await kindOf(user.email, "wrong", null, `client ${n}`);
  await assert.rejects(kindOf(user.email, PASSWORD, null, "elsewhere"), throttled(/this user/));
  assert.equal(await kindOf(user.email, PASSWORD, null, "home"), "user");
  assert.equal(await kindOf(user.email, "wrong", null, "home"), "failed");
});

test("a user can log in from where they did before while unknown clients fill the queue of passwords", async () => {
  const queue = new Passwords(cheap);
  const { kindOf, logIn } = logging(queue);
  const user = await userWithPassword();
  assert.equal(await kindOf(user.email, PASSWORD, null, "home"), "user");
  let isOver = false;
  const guesses = Array.from({ length: 26 }, async (_, client) => {
    for (let n = 0; !isOver; n += 1) {
      const guess = kindOf(`nobody${client}-${n}@example.org`, "wrong", null, `client ${client}-${n}`);
      await guess.catch(() => setImmediate());
    }
  });
  while (queue.load.waiting < MAX_WAITING) await setImmediate();
  try {
    for (let n = 0; n < 5; n += 1) assert.equal(await kindOf(user.email, PASSWORD, null, "home"), "user");
    assert.equal(await logIn.isPasswordOf(user.id, PASSWORD, "elsewhere"), true, "with a session");
  } finally {
    isOver = true;
    await Promise.all(guesses);
  }
});

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const codeAt = (timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(SECRET), algorithm: "SHA1", digits: 6, period: 30 }).generate({
    timestamp,
  });
async function userWithTotp(recoveryCode: string): Promise<User> {
  const user = await userWithPassword();
  const of = { id: user.id, within: null };
  await store.users.enrolTotp({ ...of, secret: SECRET });
  const hash = hashRecoveryCode(recoveryCode);
  assert.ok(hash);
  await store.users.confirmTotp({ ...of, secret: SECRET, step: 1, recoveryHashes: [hash], at: NOW });
  return user;
}
const RECOVERY = "AAAA-BBBB-CCCC-DDDD";

test("a user with a second factor needs a code, which works once", async () => {
  const user = await userWithTotp(RECOVERY);
  const { kindOf, guard } = logging();
  assert.equal(await kindOf(user.email, PASSWORD), "code needed");
  assert.equal(await kindOf(user.email, PASSWORD, "  "), "code needed");
  assert.equal(await kindOf(user.email, "wrong"), "code needed", "it does not tell a right password");
  assert.equal(guard.failures, 3);
  const code = codeAt(clocks.wall());
  assert.equal(await kindOf(user.email, "wrong", code), "failed");
  assert.equal(
    await kindOf(user.email, PASSWORD, code),
    "user",
    "a code with a wrong password is not used up",
  );
  assert.equal(await kindOf(user.email, PASSWORD, code), "failed");
  assert.equal(await logging().kindOf(user.email, PASSWORD, code), "failed", "nor in another process");
  assert.equal(await kindOf(user.email, PASSWORD, RECOVERY.toLowerCase()), "user");
  assert.equal(await kindOf(user.email, PASSWORD, RECOVERY), "failed");
});

test("both steps of a log-in with a second factor count for the client until the code is right", async () => {
  const user = await userWithTotp(RECOVERY);
  const { logIn, guard } = logging();
  const asked = await logIn.givePassword({ email: user.email, password: PASSWORD }, "c");
  assert.ok(asked.kind === "code needed");
  assert.equal(guard.failures, 1);
  assert.equal((await logIn.giveCode(asked.given, "000000", "c")).kind, "failed");
  assert.equal(guard.failures, 2);
  assert.equal((await logIn.giveCode(asked.given, RECOVERY, "c")).kind, "user");
  assert.equal(guard.failures, 2);
});

test("wrong passwords of a user with a second factor are not counted for the user: that would tell them apart", async () => {
  const user = await userWithTotp(RECOVERY);
  const { kindOf, refused } = logging();
  for (let n = 0; n < 25; n += 1)
    assert.equal(await kindOf(user.email, "wrong", null, `client ${n}`), "code needed");
  assert.equal(await kindOf(user.email, PASSWORD, RECOVERY, "home"), "user");
  assert.deepEqual(refused, []);
});

test("codes are guessed ten times a quarter of an hour, also where the user has logged in", async () => {
  const user = await userWithTotp(RECOVERY);
  const { kindOf } = logging();
  assert.equal(await kindOf(user.email, PASSWORD, RECOVERY), "user");
  for (let n = 0; n < 10; n += 1) assert.equal(await kindOf(user.email, PASSWORD, "000000"), "failed");
  assert.equal(await kindOf(user.email, PASSWORD, codeAt(clocks.wall())), "failed");
  time.now += 900_000;
  assert.equal(await kindOf(user.email, PASSWORD, codeAt(clocks.wall())), "user");
});

test("whoever only knows the address of a user cannot use up the codes that the user may try", async () => {
  const user = await userWithTotp(RECOVERY);
  const { kindOf, refused } = logging();
  for (let n = 0; n < 15; n += 1)
    assert.equal(await kindOf(user.email, "wrong", "000000", `client ${n}`), "failed");
  assert.deepEqual(refused, []);
  assert.equal(await kindOf(user.email, PASSWORD, RECOVERY, "a new place"), "user");
});

test("codes that are refused are answered at once like wrong ones, and the user still gets in at home", async () => {
  const user = await userWithTotp(RECOVERY);
  const never = () => new Promise<never>(() => {});
  const { kindOf, refused } = logging(passwords, home, { ...clocks, pause: never });
  time.now += 30_000;
  assert.equal(await kindOf(user.email, PASSWORD, codeAt(clocks.wall()), "home"), "user");
  for (let n = 0; n < 10; n += 1)
    assert.equal(await kindOf(user.email, PASSWORD, "000000", `client ${n}`), "failed");
  assert.deepEqual(refused, [user.id]);
  time.now += 30_000;
  for (const password of [PASSWORD, "wrong"])
    for (const code of ["000000", codeAt(clocks.wall()), RECOVERY])
      assert.equal(await kindOf(user.email, password, code, "elsewhere"), "failed");
  assert.equal(await kindOf(user.email, PASSWORD, RECOVERY, "home"), "user", "a refused code is not used up");
});

test("a log-in renews a hash whose parameters are outdated", async () => {
  const user = await userWithPassword();
  const stronger = new Passwords({ ...cheap, ln: 5 });
  assert.equal(await logging(stronger).kindOf(user.email, PASSWORD), "user");
  const { passwordHash } = (await store.users.credentials({ id: user.id })) ?? {};
  assert.match(passwordHash ?? "", /ln=5/);
  assert.equal(await logging(stronger).kindOf(user.email, PASSWORD), "user");
});

test("a log-in that cannot renew a hash, because the database is locked, does not wait for a session as well", async () => {
  const url = await (await sharedPostgres()).newDatabase();
  const locked = await usersInstallation(url);
  const user = await userWithPassword(locked);
  const stronger = logging(new Passwords({ ...cheap, ln: 5 }), locked);
  const rival = new Client({ connectionString: url });
  await rival.connect();
  try {
    await rival.query("BEGIN; LOCK TABLE app_user IN EXCLUSIVE MODE");
    await assert.rejects(stronger.ask(user.email, PASSWORD), StoreUnavailable);
  } finally {
    await rival.end();
  }
  assert.equal(await stronger.kindOf(user.email, PASSWORD), "user");
});

test("the password of a user who is logged in is checked with the same limits", async () => {
  const user = await userWithPassword();
  const { logIn } = logging();
  assert.equal(await logIn.isPasswordOf(user.id, PASSWORD, "c"), true);
  for (let n = 0; n < 20; n += 1) assert.equal(await logIn.isPasswordOf(user.id, "wrong", `c${n}`), false);
  await assert.rejects(logIn.isPasswordOf(user.id, PASSWORD, "c"), throttled(/this user/));
  assert.equal(await logIn.isPasswordOf(999_999, PASSWORD, "c"), false);
});
