/** Bounce addresses name a message, and only we can make them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { makeBounceToken, readBounceToken } from "#delivery/mime/compose.ts";

const secret = Buffer.alloc(32, 1);
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

test("reads what it has made, in any case and with any domain", () => {
  fc.assert(
    fc.property(id, id, (campaign, subscriber) => {
      const token = makeBounceToken(secret, { campaign, subscriber });
      assert.ok(token.length <= 64);
      for (const address of [token, token.toUpperCase(), `${token}@bounce.example.org`])
        assert.deepEqual(readBounceToken(secret, address), { campaign, subscriber });
    }),
  );
});

test("does not read what somebody else has made or changed", () => {
  const token = makeBounceToken(secret, { campaign: 12, subscriber: 345 });
  assert.equal(readBounceToken(Buffer.alloc(32, 2), token), null);
  for (const other of [
    "",
    "b-",
    "news",
    "b-c-9l",
    token.replace("9l", "9m"),
    token.slice(0, -1),
    `${token}0`,
    `x${token}`,
  ])
    assert.equal(readBounceToken(secret, other), null, other);
  for (let index = 2; index < token.length; index += 1) {
    const changed = `${token.slice(0, index)}${token[index] === "0" ? "1" : "0"}${token.slice(index + 1)}`;
    assert.equal(readBounceToken(secret, changed), null, changed);
  }
});
