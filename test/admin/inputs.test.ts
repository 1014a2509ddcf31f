/** The rules for inputs of actions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { campaignTimes } from "#admin/campaigns/campaigns.ts";
import { InvalidInput } from "#admin/kit/errors.ts";
import { requireAddress, requireName, requireReason } from "#admin/kit/inputs.ts";
import { findField } from "#admin/subscribers/field-values.ts";

const isInvalid = (input: string, pattern: RegExp) => (error: unknown) =>
  error instanceof InvalidInput && error.input === input && pattern.test(error.message);

test("a name is trimmed and has 1 to 100 characters", () => {
  assert.equal(requireName(" Ñandú "), "Ñandú");
  for (const bad of [" ", "a".repeat(101), "a\u0000b"])
    assert.throws(() => requireName(bad), isInvalid("name", /1 to 100 characters/));
  assert.throws(() => requireName("", "label"), isInvalid("label", /1 to 100 characters/));
});

test("a reason has 1 to 500 characters on one line", () => {
  assert.equal(requireReason(" they called "), "they called");
  for (const bad of ["a\nb", "  ", "a".repeat(501)])
    assert.throws(() => requireReason(bad), isInvalid("reason", /one line/));
});

test("an address may be given with a display name; what is wrong with another one is said", () => {
  assert.equal(requireAddress("Ada <ada@example.org>").text, "ada@example.org");
  assert.throws(() => requireAddress("ada"), isInvalid("email", /not an e-mail address: it has no @/));
});

const now = Date.UTC(2026, 10, 15);
const [early, late] = [Date.UTC(2026, 2, 3), Date.UTC(2026, 10, 15, 0, 5)];

test("a campaign cannot be sent before it was created", () => {
  assert.deepEqual(campaignTimes({ createdAt: null, sentAt: null }, now), { createdAt: now, sentAt: null });
  assert.deepEqual(campaignTimes({ createdAt: null, sentAt: early }, now), {
    createdAt: early,
    sentAt: early,
  });
  assert.deepEqual(campaignTimes({ createdAt: null, sentAt: late }, now), { createdAt: now, sentAt: late });
  assert.deepEqual(campaignTimes({ createdAt: early, sentAt: late }, now), {
    createdAt: early,
    sentAt: late,
  });
  assert.throws(
    () => campaignTimes({ createdAt: early + 1, sentAt: early }, now),
    isInvalid("sentAt", /not be before the time of creation/),
  );
});

test("a campaign that is created or sent more than five minutes in the future is rejected", () => {
  assert.throws(
    () => campaignTimes({ createdAt: null, sentAt: late + 1 }, now),
    isInvalid("sentAt", /^must not be in the future; it is now 2026-11-15T00:00:00\.000Z$/),
  );
  assert.throws(
    () => campaignTimes({ createdAt: late + 1, sentAt: null }, now),
    isInvalid("createdAt", /must not be in the future/),
  );
});

test("a custom value finds its field by name, ignoring case, or by id", () => {
  const field = {
    id: 9007199254740993n,
    name: "Größe",
    type: "REAL",
    isPrivate: false,
    createdAt: 0,
  } as const;
  const find = (name: string, value: string, fields = [field]) => findField({ field: name, value }, fields);
  assert.deepEqual(find("GRÖSSE", "1", [{ ...field, name: "grösse" as never }]).value, "1");
  assert.equal(find("gro\u0308ße", "1.5").field, field);
  assert.equal(find("9007199254740993", "2").field, field);
  assert.throws(() => find("Size", "1"), isInvalid("values", /no field 'Size'; there are: Größe/));
  assert.throws(() => find("Größe", ""), isInvalid("values", /the value of Größe is empty/));
});
