/**
 * Reads the settings' values from flags, then MAILROLL_* variables, then mailroll.config.json, then the
 * defaults. An invalid value is reported in one line, with its source. config.ts defines the settings.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SettingSource, SettingValue } from "#domain/setting-value.ts";
import { type Config, flagOf, type SettingName, settings, variableOf } from "./config.ts";
import { belowPrefix, RESERVED_ADVICE, reservedAmong } from "./endpoint-paths.ts";

/** Settings as administrators see them: with the source of each value, and no secret. */
export function secretOf(name: SettingName): "all" | "credentials" | null {
  const declared = settings[name];
  return "secret" in declared ? (declared.secret ?? null) : null;
}

/** Only what says which database or server it is: users, passwords and options can each contain a secret. */
function withoutCredentials(text: string): string {
  if (/^(?:sqlite|file):/.test(text)) return text;
  const { protocol, host, pathname } = new URL(text);
  // A slash that is not encoded in a password: what follows it would be taken for the path.
  return pathname.includes("@") ? `${protocol}//…` : `${protocol}//${host}${pathname}`;
}

/** `text`: as it was written, after it was found to be valid; null: nowhere. */
function shownSetting(name: SettingName, source: SettingSource, text: string | null): SettingValue {
  const secret = secretOf(name);
  const { group, doc } = settings[name];
  const written = text?.trim() ?? null;
  return {
    name,
    flag: `--${flagOf(name)}`,
    variable: variableOf(name),
    group,
    doc,
    source,
    isSet: written !== null && written !== "",
    isSecret: secret === "all",
    value:
      written === null || written === "" || secret === "all"
        ? null
        : secret === "credentials"
          ? withoutCredentials(written)
          : written,
  };
}

const FILE = "mailroll.config.json";

/** One line for the operator: which setting, where it is set, what was expected. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

interface Sources {
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which mailroll.config.json may be. */
  readonly folder: string;
}

export function loadConfig({ flags, env, folder }: Sources): Config {
  const file = readFile(resolve(folder, FILE));
  const names = Object.keys(settings) as SettingName[];
  const given = names.map((name) => ({ name, ...find(name, { flags, env, file }) }));
  const config = Object.fromEntries(
    given.map((one) => [one.name, one.value === null ? null : readValue(one)]),
  ) as unknown as Config;
  const prefix = pathOf(config.baseUrl);
  const reserved = reservedAmong(config.paths, prefix);
  if (reserved !== null) throw new ConfigError(`${variableOf("paths")}: "${reserved}" ${RESERVED_ADVICE}`);
  const shown = given.map(({ name, source, value }) => shownSetting(name, source, textOf(value)));
  return { ...config, paths: config.paths.map((path) => belowPrefix(path, prefix)), shown };
}

interface Found {
  readonly source: SettingSource;
  /** Where it is set, as the operator would look for it. */
  readonly place: string;
  /** null: nowhere. */
  readonly value: unknown;
}
interface Given extends Found {
  readonly name: SettingName;
}

function find(
  name: SettingName,
  { flags, env, file }: Pick<Sources, "flags" | "env"> & { readonly file: Readonly<Record<string, unknown>> },
): Found {
  const [flag, variable] = [flagOf(name), variableOf(name)];
  if (flags[flag] !== undefined) return { source: "flag", place: `--${flag}`, value: flags[flag] };
  if ((env[variable] ?? "") !== "") return { source: "environment", place: variable, value: env[variable] };
  if (file[name] !== undefined) return { source: "file", place: `"${name}" in ${FILE}`, value: file[name] };
  return { source: "default", place: "default", value: settings[name].default };
}

/** The path of the base address, without a trailing slash. */
const pathOf = (baseUrl: string | null): string =>
  baseUrl === null ? "" : new URL(baseUrl).pathname.replace(/\/$/, "");

/**
 * The file may contain numbers as numbers and lists as lists. Everything else is converted to the text it
 * would be in a variable.
 */
function textOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? value.join(",") : null;
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** A database URL may contain a password, even more so if it is misspelt. */
function isSecret(name: SettingName, text: string): boolean {
  const secret = secretOf(name);
  return secret === "credentials" ? /@|pass/i.test(text) : secret === "all";
}

function readValue({ name, place: source, value: given }: Given): unknown {
  const text = textOf(given);
  const value = text === null ? null : settings[name].read(text.trim());
  if (value !== null) return value;
  const problem = text === null ? null : (settings[name].problem?.(text.trim()) ?? null);
  if (problem !== null) throw new ConfigError(`${source}: ${problem}`);
  const shown = isSecret(name, text ?? "") ? "the value" : JSON.stringify(given);
  throw new ConfigError(`${source}: ${shown} is not ${settings[name].expected}`);
}

/** The folder's mailroll.config.json if it contains secrets. */
export function fileOfSecrets(folder: string): string | null {
  const path = resolve(folder, FILE);
  const given = Object.entries(readFile(path)) as [SettingName, unknown][];
  return given.some(([name, value]) => isSecret(name, textOf(value) ?? "")) ? path : null;
}

function readFile(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new ConfigError(`${FILE} cannot be read: ${(error as Error).message}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${FILE} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ConfigError(`${FILE} must contain one JSON object of settings`);
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(settings, name));
  if (unknown !== undefined)
    throw new ConfigError(
      `"${unknown}" in ${FILE} is not a setting; the settings are: ${Object.keys(settings).join(", ")}`,
    );
  return value as Readonly<Record<string, unknown>>;
}
