/** Settings whose values have a shape of their own. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { test } from "node:test";
import { COLLECTION_PATH, SCHEMA_PATH } from "#api/v1/fields.ts";
import { type Config, type SettingName, settings } from "#app/settings/config.ts";
import { MAX_PATHS } from "#app/settings/endpoint-paths.ts";
import { ConfigError, loadConfig } from "#app/settings/load-config.ts";
import { METRICS_PATH } from "#metrics/registry.ts";

const load = (flags: Readonly<Record<string, string>>): Config =>
  loadConfig({ flags, env: {}, folder: tmpdir() });

test("has a value for every setting that is not set: its default, an empty list, or null", () => {
  const config = load({});
  const isNull = (name: SettingName): boolean => config[name] === null;
  const names = Object.keys(settings) as SettingName[];
  assert.deepEqual(
    names.filter(isNull),
    names.filter((name) => settings[name].default === null),
  );
  assert.equal(config.replica, null);
  assert.deepEqual([config.namespaces, config.paths, config.trustedProxies], [[], [], []]);
});

test("types a setting as nullable exactly if it has no default", () => {
  const { replica, host, namespaces }: Config = load({ replica: "postgres://a@b/c" });
  // @ts-expect-error replica may be null.
  const url: string = replica;
  const [text, list]: readonly [string, readonly string[]] = [host, namespaces];
  assert.deepEqual([url, text, list], ["postgres://a@b/c", "127.0.0.1", []]);
});

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

test("reads a base URL without its trailing slash, and rejects what is not written as one", () => {
  for (const [written, read] of [
    ["https://mail.example.org/", "https://mail.example.org"],
    ["http://[::1]:8080/a/b'c&d//", "http://[::1]:8080/a/b'c&d"],
    ["HTTPS://müller.example:443", "HTTPS://müller.example:443"],
  ] as const)
    assert.equal(load({ "base-url": written }).baseUrl, read);
  for (const wrong of [
    "mail.example.org",
    "ftp://mail.example.org",
    "https:/mail.example.org",
    "https:mail.example.org",
    "https:\\\\mail.example.org",
    "https://mail.example.org\\mail",
    "https://",
    "https://mail.example.org:99999",
    "https://user@mail.example.org",
    "https://:password@mail.example.org",
    "https://mail.example.org/?",
    "https://mail.example.org/?a=b",
    "https://mail.example.org/#",
    "https://mail.example.org/a b",
    'https://mail.example.org/"',
  ])
    assert.throws(
      () => load({ "base-url": wrong }),
      (error) => error instanceof ConfigError && /^--base-url: ".*" is not an http or /.test(error.message),
      wrong,
    );
});

test("a namespace need not be a URI, and has no white space", () => {
  assert.deepEqual(load({ namespaces: "MailService, urn:a,http://b/?c=d" }).namespaces, [
    "MailService",
    "urn:a",
    "http://b/?c=d",
  ]);
  assert.throws(() => load({ namespaces: "urn:a urn:b" }), {
    name: "ConfigError",
    message:
      '--namespaces: "urn:a urn:b" is not namespaces without white space, separated by commas, or * for any',
  });
});

test("further paths may be written with the path of the base URL, in any letter case", () => {
  const pathsBelow = (base: string, paths: string) => load({ "base-url": base, paths }).paths;
  assert.deepEqual(pathsBelow("http://h/Mail", "/Mail/x.asmx,/mail/y/,/x/Mail/z"), [
    "/x.asmx",
    "/y/",
    "/x/Mail/z",
  ]);
  assert.deepEqual(pathsBelow("http://h/Mail", "/Mail,/Mail/,/Mailing/x"), ["/Mail", "/Mail/", "/Mailing/x"]);
  assert.deepEqual(pathsBelow("http://h", "/Mail/x.asmx"), ["/Mail/x.asmx"]);
  assert.throws(
    () => pathsBelow("http://h/Mail", "/mail/api/v1"),
    /"\/mail\/api\/v1" is a path of the service/,
  );
});

test("further paths are read as they are written, and there are none where nothing is set", () => {
  assert.deepEqual(load({}).paths, []);
  assert.deepEqual(load({ paths: " /api/Service.asmx , /soap/,/a-b_c~1.0/x," }).paths, [
    "/api/Service.asmx",
    "/soap/",
    "/a-b_c~1.0/x",
  ]);
  assert.equal(load({ paths: Array.from({ length: MAX_PATHS }, (_, n) => `/${n}`).join() }).paths.length, 8);
});

test("a further path that cannot be served is refused with what is wrong with it", () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    "api/service.asmx": /^--paths: "api\/service.asmx" does not begin with a slash; write it like \/api\//,
    "/ok.asmx,later.asmx": /"later.asmx" does not begin with a slash/,
    "https://old.example.org/api/service.asmx": /is an address; write its path only/,
    "/api/service.asmx?wsdl": /has a query or a fragment/,
    "/api/service.asmx#top": /has a query or a fragment/,
    "/": /names nothing/,
    "//evil.example/x": /single slashes/,
    "/a b": /may only have letters, digits/,
    "/%61pi": /may only have letters, digits/,
    "/é": /may only have letters, digits/,
    "/api/../metrics": /a segment "\." or "\.\."/,
    "/api/./x": /a segment "\." or "\.\."/,
    [`/${"x".repeat(200)}`]: /is longer than 200 characters/,
    "/1,/2,/3,/4,/5,/6,/7,/8,/9": /^--paths: 9 paths are given; at most 8 can be served$/,
  };
  for (const [paths, message] of Object.entries(wrong))
    assert.throws(() => load({ paths }), { name: "ConfigError", message }, paths);
});

test("a further path may not be one of the service's own, with or without the path of the base address", () => {
  const own = [COLLECTION_PATH, SCHEMA_PATH, METRICS_PATH, "/healthz", "/readyz", "/api/v1", "/api/v1/"];
  for (const path of [
    ...[...own, "/API/v1/service.asmx", "/Metrics", "/healthz/x", "/api/v2"],
    ...["/console", "/Console/sign-in", "/console/assets", "/u", "/U/x.asmx"],
  ])
    assert.throws(
      () => load({ paths: path }),
      { name: "ConfigError", message: /is a path of the service/ },
      path,
    );
  for (const path of ["/mail/api/v1/x.asmx", "/Mail/schemas/x", "/metrics"])
    assert.throws(
      () => load({ paths: path, "base-url": "https://example.org/mail" }),
      /MAILROLL_PATHS: ".*" is a path of the service itself; choose one/,
      path,
    );
  assert.throws(() => load({ paths: "/v1/x", "base-url": "https://example.org/api/" }), ConfigError);
  for (const path of ["/api/v10", "/api/service.asmx", "/api", "/metrics.asmx", "/mail/api/v1", "/users"])
    assert.deepEqual(load({ paths: path, "base-url": "https://example.org" }).paths, [path]);
});

test("reads a rate as a number of calls, and none by default", () => {
  assert.equal(load({}).keyRate, null);
  assert.equal(load({ "key-rate": "600" }).keyRate, 600);
  for (const wrong of ["0", "-1", "many", "1.5"])
    assert.throws(() => load({ "key-rate": wrong }), ConfigError, wrong);
});

test("reads a relay as senders have it, and the folder of one from where the program was started", () => {
  assert.equal(load({ smtp: "file:outbox" }).smtp, `file:${resolve("outbox")}`);
  for (const right of ["smtp://mail.example.org", "smtps://shop:p%25ss@mail.example.org:465"])
    assert.equal(load({ smtp: right }).smtp, right);
  for (const wrong of [
    "mail.example.org",
    "smtp://shop:p%ss@mail.example.org",
    "smtp://shop@mail.example.org",
  ])
    assert.throws(
      () => load({ smtp: wrong }),
      (error) => error instanceof ConfigError && /^--smtp: .*percent-encode/.test(error.message),
      wrong,
    );
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
