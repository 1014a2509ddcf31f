/** The settings as administrators see them: each with its source, and none with a secret. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { flagOf, type SettingName, settings, variableOf } from "#app/settings/config.ts";
import { loadConfig, secretOf } from "#app/settings/load-config.ts";

const SECRET = "s3cretS3cretS3cret";
const names = Object.keys(settings) as SettingName[];
const secrets = names.filter((name) => secretOf(name) !== null);

/** Values with the secret in every part that may have one. */
const relays = [
  `smtp://user:${SECRET}@mail.example.org:587`,
  `smtps://${SECRET}:pw@mail.example.org`,
  `smtp://user:1%2F${SECRET}@mail.example.org`,
];
const valuesOf = (name: SettingName): readonly string[] =>
  secretOf(name) === "all"
    ? [SECRET]
    : name === "smtp"
      ? relays
      : [
          `postgres://user:${SECRET}@db.example.org:5432/mailroll`,
          `postgres://${SECRET}@db.example.org/mailroll`,
          `postgresql://db.example.org/mailroll?password=${SECRET}&user=u`,
          `postgres://db.example.org/mailroll#${SECRET}`,
          `postgres://user:1/${SECRET}@db.example.org/mailroll`,
        ];

test("every setting is shown once, with its group, and with the source of its value", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, "mailroll.config.json"),
    JSON.stringify({ port: 1234, host: "0.0.0.0", namespaces: ["urn:a", "urn:b"], log: "warn" }),
  );
  const env = { MAILROLL_HOST: "10.0.0.1", MAILROLL_LOG: "error", MAILROLL_METRICS_PORT: "" };
  const { shown } = loadConfig({ flags: { log: "debug" }, env, folder });
  assert.deepEqual(
    shown.map(({ name }) => name),
    names,
  );
  const sourced = (name: SettingName) => {
    const { source, value, isSet } = shown.find((one) => one.name === name) ?? assert.fail(name);
    return [source, value, isSet];
  };
  assert.deepEqual(sourced("log"), ["flag", "debug", true]);
  assert.deepEqual(sourced("host"), ["environment", "10.0.0.1", true]);
  assert.deepEqual(sourced("port"), ["file", "1234", true]);
  assert.deepEqual(sourced("namespaces"), ["file", "urn:a,urn:b", true]);
  assert.deepEqual(sourced("bodyLimit"), ["default", "4MiB", true]);
  assert.deepEqual(sourced("metricsPort"), ["default", null, false]);
  assert.deepEqual(sourced("paths"), ["default", null, false]);
});

test("the secret settings are those that contain a key, a token or the address of a server", () => {
  assert.deepEqual(secrets, ["database", "replica", "apiKey", "smtp", "metricsToken"]);
});

for (const name of secrets)
  test(`no part of the secret in ${name} is shown, wherever it is set`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "mailroll-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "mailroll.config.json");
    for (const value of valuesOf(name))
      for (const source of ["flag", "environment", "file"] as const) {
        writeFileSync(file, JSON.stringify(source === "file" ? { [name]: value } : {}));
        const { shown } = loadConfig({
          flags: source === "flag" ? { [flagOf(name)]: value } : {},
          env: source === "environment" ? { [variableOf(name)]: value } : {},
          folder,
        });
        assert.doesNotMatch(JSON.stringify(shown), new RegExp(SECRET.slice(0, 6)), `${source}: ${value}`);
        const one = shown.find((setting) => setting.name === name) ?? assert.fail(name);
        assert.deepEqual([one.source, one.isSet], [source, true]);
        assert.equal(one.isSecret, secretOf(name) === "all");
      }
  });

test("of the address of a database the host and the name are shown; a file is shown as it is", () => {
  const databaseOf = (database: string) =>
    loadConfig({ flags: { database }, env: {}, folder: tmpdir() }).shown.find(
      ({ name }) => name === "database",
    )?.value;
  assert.equal(
    databaseOf("postgres://user:pw@db.example.org:5432/mailroll?sslmode=require"),
    "postgres://db.example.org:5432/mailroll",
  );
  assert.equal(databaseOf("sqlite:./data/mailroll.db"), "sqlite:./data/mailroll.db");
  const { shown } = loadConfig({ flags: {}, env: {}, folder: tmpdir() });
  assert.equal(shown.find(({ name }) => name === "smtp")?.value, "file:./outbox");
});
