/**
 * compose.yaml, as far as it can be checked without Docker: it is YAML, and fits the Dockerfile and the
 * settings.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { type SettingName, settings, variableOf } from "#app/settings/config.ts";
import { skipUnless } from "../skip-unless.ts";
import { dockerfile, root } from "./production-tree.ts";

// Debian's Python has Debian's modules, whatever comes first on the PATH.
const toJson = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
const { status, stdout, stderr } = spawnSync("/usr/bin/python3", ["-c", toJson, join(root, "compose.yaml")], {
  encoding: "utf8",
});
const isThere = spawnSync("/usr/bin/python3", ["-c", "import yaml"]).status === 0;
const skip = skipUnless(isThere, "there is no PyYAML; install it (Debian: apt-get install python3-yaml)");

interface Compose {
  readonly services: { readonly mailroll: Readonly<Record<string, unknown>> };
  readonly volumes: object;
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { subnet: string }[] } };
  };
}
function read(): Compose {
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Compose;
}
const textOf = (wanted: string): string => dockerfile().findLast(([name]) => name === wanted)?.[1] ?? "";

test("compose.yaml starts the image of the Dockerfile on its port and with its volume", { skip }, () => {
  const { services, volumes } = read();
  const { mailroll } = services;
  assert.equal(mailroll.build, ".");
  assert.deepEqual(mailroll.ports, [`127.0.0.1:8080:${textOf("EXPOSE")}`]);
  assert.deepEqual(mailroll.volumes, [`data:${textOf("VOLUME")}`]);
  assert.deepEqual(volumes, { data: null });
});

test("compose.yaml gives the container no more rights than the guide's docker run", { skip }, () => {
  const { mailroll } = read().services;
  assert.equal(mailroll.read_only, true);
  assert.deepEqual(mailroll.cap_drop, ["ALL"]);
  assert.deepEqual(mailroll.security_opt, ["no-new-privileges:true"]);
  assert.equal(mailroll.user, undefined, "the user is that of the Dockerfile");
});

test("compose.yaml gives calls in flight ten seconds, and restarts the container", {
  skip,
}, () => {
  const { mailroll } = read().services;
  assert.ok(Number.parseInt(String(mailroll.stop_grace_period), 10) > 10);
  assert.equal(mailroll.restart, "unless-stopped");
});

test("compose.yaml sets existing settings to valid values", { skip }, () => {
  const { services, networks } = read();
  const given = services.mailroll.environment as Readonly<Record<string, string>>;
  for (const [variable, value] of Object.entries(given)) {
    const name = (Object.keys(settings) as SettingName[]).find((one) => variableOf(one) === variable);
    assert.ok(name !== undefined, variable);
    assert.notEqual(settings[name].read(value), null, variable);
  }
  assert.equal(given.MAILROLL_TRUSTED_PROXIES, networks.default.ipam.config[0]?.subnet);
});
