import assert from "node:assert/strict";
import { test } from "node:test";
import { bearerOf } from "#auth/authenticator.ts";

test("takes the key of a bearer token, whatever the letter case and the white space around it", () => {
  for (const header of ["Bearer a-Key/1", "bearer a-Key/1", "BEARER   a-Key/1  "])
    assert.equal(bearerOf(header), "a-Key/1", header);
});

test("takes no key from another scheme, from none, or from more than one token", () => {
  for (const header of [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "a-Key/1",
    "Basic eDp4",
    "Bearera-Key/1",
    "Bearer a b",
  ])
    assert.equal(bearerOf(header), null, header);
});
