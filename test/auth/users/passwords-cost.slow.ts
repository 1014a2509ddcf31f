/** What it costs to check a password. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Passwords } from "#auth/users/passwords.ts";

const PASSWORD = "correct horse battery";

test("a check without a hash, or of a password that is too long, takes as much work as any other", async () => {
  const passwords = new Passwords({ ln: 13, r: 8, p: 1 });
  const hash = await passwords.hash(PASSWORD);
  const workOf = async (password: string, stored: string | null): Promise<number> => {
    const before = process.cpuUsage();
    for (let n = 0; n < 10; n += 1) await passwords.check(password, stored, "", true);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const usual = await workOf("wrong", hash);
  for (const work of [await workOf(PASSWORD, null), await workOf("x".repeat(300), hash)])
    assert.ok(work > usual / 3 && work < usual * 3, `${work} µs instead of ${usual} µs`);
});
