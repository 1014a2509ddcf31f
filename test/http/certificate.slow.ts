/**
 * Which pairs of certificate and key are accepted: those that clients can connect with, and that are valid
 * now.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { BadCertificate, Certificate, type CertificateFiles } from "#http/tls/certificate.ts";
import { datedPair, newDsaPair, newPair } from "../certificate-files.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-certificate-"));
after(() => rmSync(folder, { recursive: true }));

const DAY = 86_400_000;
const second = Math.floor(Date.now() / 1000) * 1000;
const inDays = (days: number): Date => new Date(second + days * DAY);
const good = newPair(folder, "good");
const rsa = newPair(folder, "rsa", 2, "rsa:2048");
const curve = (name: string): CertificateFiles =>
  newPair(folder, name, 2, `ec -pkeyopt ec_paramgen_curve:${name}`);
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const pipe = join(folder, "pipe");
execFileSync("mkfifo", [pipe]);
const large = file("large", "");
truncateSync(large, 1024 ** 2 + 1);

const unusable: readonly (readonly [string, CertificateFiles, RegExp])[] = [
  ["an empty certificate", { ...good, cert: file("empty", "") }, / is not a certificate in PEM form/],
  ["an empty key", { ...good, key: file("empty", "") }, / is not a private key in PEM form/],
  [
    "an RSA key for an EC certificate",
    { ...good, key: rsa.key },
    /\.key is not the key of the first .*\.crt$/,
  ],
  [
    "an EC key for an RSA certificate",
    { ...rsa, key: good.key },
    /\.key is not the key of the first .*\.crt$/,
  ],
  ["a key on secp256k1", curve("secp256k1"), /clients could not connect .*P-256/],
  ["a key on brainpoolP256r1", curve("brainpoolP256r1"), /clients could not connect .*P-256/],
  ["a DSA key", newDsaPair(folder, "dsa"), /clients could not connect .*P-256/],
  ["a pipe as certificate", { ...good, cert: pipe }, /pipe cannot be read: it is not a regular file/],
  ["a pipe as key", { ...good, key: pipe }, /pipe cannot be read: it is not a regular file/],
  ["a folder as key", { ...good, key: folder }, /cannot be read: it is not a regular file/],
  [
    "a file of more than 1 MiB",
    { ...good, cert: large },
    /large cannot be read: it has 1048577 bytes; the limit is 1048576/,
  ],
];

for (const [what, files, reason] of unusable)
  test(`rejects ${what} at the start`, async () => {
    await assert.rejects(Certificate.open(files), (error) => {
      assert.ok(error instanceof BadCertificate);
      assert.match(error.message, reason);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });

for (const kind of ["rsa:2048", "ec -pkeyopt ec_paramgen_curve:secp384r1", "ed25519", "rsa-pss"])
  test(`accepts a key of kind ${kind}`, async () => {
    const { validity } = await Certificate.open(newPair(folder, "accepted", 3, kind));
    assert.equal(validity.until - validity.from, 3 * DAY);
  });

test("accepts a key with its curve before it, and a certificate with a key before it in its file", async () => {
  const parameters = execFileSync("openssl", ["ecparam", "-name", "prime256v1"], { encoding: "utf8" });
  const key = file("with-parameters", parameters + readFileSync(good.key, "utf8"));
  const cert = file("combined", readFileSync(good.key, "utf8") + readFileSync(good.cert, "utf8"));
  await Certificate.open({ cert, key });
});

describe("certificate reload", () => {
  const live = { cert: join(folder, "live.crt"), key: join(folder, "live.key") };
  const put = ({ cert, key }: CertificateFiles): void => {
    copyFileSync(cert, live.cert);
    copyFileSync(key, live.key);
  };
  const now = Date.now();

  for (const [what, files, reason] of unusable.slice(0, 7))
    test(`reports ${what} once, and keeps the pair in use`, async () => {
      put(good);
      const certificate = await Certificate.open(live);
      const { pair } = certificate;
      put(files);
      await assert.rejects(certificate.reload(now), reason);
      assert.equal(await certificate.reload(now), null, "it is said once");
      assert.equal(certificate.pair, pair);
      put(good);
      assert.equal(await certificate.reload(now), null);
    });

  test("rejects a named pipe in place of a file without waiting for a writer", async () => {
    put(good);
    const certificate = await Certificate.open(live);
    rmSync(live.cert);
    execFileSync("mkfifo", [live.cert]);
    await assert.rejects(certificate.reload(now), /it is not a regular file/);
    rmSync(live.cert);
  });

  test("replaces a valid certificate by one that is not valid yet only when that becomes valid", async () => {
    put(good);
    const certificate = await Certificate.open(live);
    put(datedPair(folder, "early", inDays(1), inDays(9)));
    await assert.rejects(certificate.reload(now), /is valid from .*, which is not now/);
    assert.equal(await certificate.reload(now), null, "it is said once");
    assert.equal((await certificate.reload(inDays(1).getTime()))?.validity.until, inDays(9).getTime());
  });

  test("replaces an expired certificate by an expired one, but not a valid one", async () => {
    put(good);
    const certificate = await Certificate.open(live);
    put(datedPair(folder, "late", inDays(-9), inDays(-1)));
    await assert.rejects(certificate.reload(now), /is valid from .*, which is not now/);
    assert.ok(await certificate.reload(inDays(5).getTime()));
  });

  test("replaces an expired certificate, which may be served from the start, by a valid one", async () => {
    put(datedPair(folder, "late", inDays(-9), inDays(-1)));
    const certificate = await Certificate.open(live);
    put(good);
    assert.ok(await certificate.reload(now));
  });
});
