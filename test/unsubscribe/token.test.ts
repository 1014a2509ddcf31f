import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { isGenuine, MAX_TOKEN_CHARACTERS, makeToken, parseToken } from "#unsubscribe/token.ts";

const secret = randomBytes(32);
const leaver = { account: 7, campaign: 31, subscriber: 1_204_311 };
const token = makeToken(secret, leaver);

const genuine = (text: string, key: Uint8Array = secret) => {
  const parsed = parseToken(text);
  if (parsed === null || !isGenuine(key, parsed)) return null;
  const { account, campaign, subscriber } = parsed;
  return { account, campaign, subscriber };
};

test("a token names account, campaign and subscriber", () => {
  const several = [
    leaver,
    { account: 1, campaign: 1, subscriber: 1 },
    { account: 127, campaign: 128, subscriber: 16_384 },
  ];
  for (const named of several) assert.deepEqual(genuine(makeToken(secret, named)), named);
});

test("a token has at most 48 characters for ids of up to 4 trillion campaigns and 500 trillion subscribers", () => {
  const largest = { account: 2 ** 42 - 1, campaign: 2 ** 42 - 1, subscriber: 2 ** 49 - 1 };
  const made = makeToken(secret, largest);
  assert.equal(made.length, MAX_TOKEN_CHARACTERS);
  assert.deepEqual(genuine(made), largest);
  assert.throws(() => makeToken(secret, { ...largest, subscriber: 2 ** 49 }), /too large/);
});

test("a token consists of characters that need no escaping in a URL, and ends in a letter", () => {
  for (let subscriber = 1; subscriber <= 3000; subscriber += 1)
    assert.match(makeToken(secret, { account: 3, campaign: 200, subscriber }), /^[\w-]{20,48}(?<=[A-Za-z])$/);
});

test("a token is not genuine under the secret of another account", () => {
  assert.equal(genuine(token, randomBytes(32)), null);
});

test("a token is not genuine if any character of it is another one", () => {
  for (const [index, character] of [...token].entries())
    for (const other of "AaZz09-_") {
      if (other === character) continue;
      const forged = token.slice(0, index) + other + token.slice(index + 1);
      assert.equal(genuine(forged), null, forged);
    }
});

test("a truncated or extended token is not one", () => {
  for (let length = 0; length < token.length; length += 1)
    assert.equal(genuine(token.slice(0, length)), null);
  for (const more of ["A", "AAAA", token]) assert.equal(genuine(token + more), null);
});

test("punctuation that a mail client adds to the end of a link is ignored", () => {
  for (const more of [
    ".",
    ">",
    ")",
    ",",
    ";",
    "…",
    '"',
    ">.",
    "]",
    "'",
    "=",
    "==",
    " ",
    "\r\n",
    "_",
    "-",
    "__",
    "_.",
    "._",
    "-->",
  ])
    assert.deepEqual(genuine(token + more), leaver, JSON.stringify(more));
});

test("text that is not a token is rejected, whatever its length", () => {
  const texts = [
    "",
    ".",
    "a b",
    `${token}.${token}`,
    `.${token}`,
    "A".repeat(48),
    "é".repeat(40),
    "_".repeat(1e6),
  ];
  for (const text of texts) assert.equal(genuine(text), null);
  for (let round = 0; round < 2000; round += 1)
    assert.equal(genuine(randomBytes(round % 40).toString("base64url")), null);
});
