/** Settings whose values have a shape of their own. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import type { Config } from "../src/config.ts";
import { ConfigError, loadConfig } from "../src/load-config.ts";

const load = (flags: Readonly<Record<string, string>>): Config =>
  loadConfig({ flags, env: {}, folder: tmpdir() });

test("reads trusted proxies as addresses and networks, and none by default", () => {
  assert.deepEqual(load({}).trustedProxies, []);
  assert.deepEqual(load({ "trusted-proxies": " 127.0.0.1, 10.0.0.0/8,::1 , 2001:db8::/32" }).trustedProxies, [
    "127.0.0.1",
    "10.0.0.0/8",
    "::1",
    "2001:db8::/32",
  ]);
  for (const wrong of [
    "proxy.example.org",
    "10.0.0.0/33",
    "10.0.0/8",
    "::1/129",
    "10.0.0.0/",
    "1.2.3.4/8/8",
    "*",
  ])
    assert.throws(
      () => load({ "trusted-proxies": wrong }),
      (error) =>
        error instanceof ConfigError &&
        /^--trusted-proxies: ".*" is not addresses or networks/.test(error.message),
      wrong,
    );
});

test("reads a rate as a number of calls, and none by default", () => {
  assert.equal(load({}).keyRate, null);
  assert.equal(load({ "key-rate": "600" }).keyRate, 600);
  for (const wrong of ["0", "-1", "many", "1.5"])
    assert.throws(() => load({ "key-rate": wrong }), ConfigError, wrong);
});

test("does not repeat an invalid value that may be a secret", () => {
  const wrong = {
    database: "postgrs://mailroll:hunter2@db.example.org/mailroll",
    replica: "postgrs://mailroll:hunter2@db.example.org/mailroll",
    "api-key": "a hunter2",
    "metrics-token": "hunter2",
  };
  for (const [flag, value] of Object.entries(wrong))
    assert.throws(
      () => load({ [flag]: value }),
      ({ message }: Error) =>
        message.startsWith(`--${flag}: the value is not `) && !message.includes("hunter2"),
      flag,
    );
});
