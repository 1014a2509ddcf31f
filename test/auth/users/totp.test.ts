/** Codes of authenticator apps, and recovery codes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashRecoveryCode, newRecoveryCodes } from "#auth/users/recovery-codes.ts";
import { newTotpSecret, totpStep, totpUri } from "#auth/users/totp.ts";

/** The secret of the test vectors of RFC 6238, in Base32; of their eight digits the last six count. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const vectors = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
] as const;

test("codes are those of RFC 6238", () => {
  for (const [seconds, code] of vectors)
    assert.equal(totpStep(SECRET, code, seconds * 1000), Math.floor(seconds / 30), code);
});

test("a code is accepted one step early or late, with white space, and not further", () => {
  const [at, step] = [1_234_567_890_000, 41_152_263];
  assert.equal(totpStep(SECRET, " 005 924 ", at), step);
  assert.equal(totpStep(SECRET, "005924", at + 30_000), step);
  assert.equal(totpStep(SECRET, "005924", at - 30_000), step);
  for (const late of [60_000, -60_000]) assert.equal(totpStep(SECRET, "005924", at + late), null);
  for (const wrong of ["005925", "5924", "", "0059241", "abcdef", "١٢٣٤٥٦"])
    assert.equal(totpStep(SECRET, wrong, at), null, wrong);
});

test("a secret has 160 bits, and the address of a user is part of its URI", () => {
  const secret = newTotpSecret();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.notEqual(secret, newTotpSecret());
  const uri = new URL(totpUri(secret, "ada&b@example.org"));
  assert.deepEqual([uri.protocol, uri.host], ["otpauth:", "totp"]);
  assert.equal(decodeURIComponent(uri.pathname), "/Mailroll:ada&b@example.org");
  assert.equal(uri.searchParams.get("secret"), secret);
});

test("there are ten recovery codes, which may be typed in any case and without dashes", () => {
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){3}$/);
  const [code = ""] = codes;
  assert.deepEqual(hashRecoveryCode(` ${code.toLowerCase().replaceAll("-", " ")} `), hashRecoveryCode(code));
  assert.equal(hashRecoveryCode("x".repeat(1_000_000)), null);
});
