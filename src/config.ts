/**
 * Every setting once: name, type, default, sentence. Values come from flags, then MAILROLL_* variables, then
 * mailroll.config.json, then the defaults; a wrong one is named in one line with where it came from.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { parseKey } from "./domain/key.ts";

const fail = (expected: string) => ({ error: expected });

const whole = (min: number, max: number, expected: string) =>
  z
    .union([z.number(), z.string().trim().regex(/^\d+$/).transform(Number)], fail(expected))
    .refine((n) => Number.isInteger(n) && n >= min && n <= max, fail(expected));

const units: Readonly<Record<string, number>> = { "": 1, b: 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 };
const SIZE = "a number of bytes from 1 KiB to 1 GiB, such as 4194304 or 4MiB";
const size = z.union([z.number(), z.string()], fail(SIZE)).transform((given, context) => {
  const [, amount = "", unit = ""] = /^(\d+)\s*([a-z]*)$/i.exec(String(given).trim()) ?? [];
  const bytes = Number(amount) * (units[unit.toLowerCase()] ?? Number.NaN);
  if (amount !== "" && bytes >= 1024 && bytes <= 1024 ** 3) return bytes;
  context.addIssue({ code: "custom", message: SIZE });
  return z.NEVER;
});

const BASE_URL = "an http or https address without query or fragment, such as https://mail.example.org";
const address = z.string(fail(BASE_URL)).transform((given, context) => {
  const bare = given.trim().replace(/\/+$/, "");
  const url = URL.canParse(bare) ? new URL(bare) : null;
  if (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.search === "" &&
    url.hash === "" &&
    !/\s/.test(bare)
  )
    return bare;
  context.addIssue({ code: "custom", message: BASE_URL });
  return z.NEVER;
});

const NAMESPACES = "namespace URIs separated by commas, or * for any";
const namespaces = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(","))], fail(NAMESPACES))
  .transform((list) => list.map((item) => item.trim()).filter((item) => item !== ""))
  .refine(
    (list) => list.every((item) => item === "*" || /^[a-z][a-z0-9+.-]*:\S+$/i.test(item)),
    fail(NAMESPACES),
  );

const DATABASE = "sqlite: and a file, such as sqlite:./data/mailroll.db";
const database = z
  .string(fail(DATABASE))
  .regex(/^sqlite:[^\0]+$/, fail(DATABASE))
  .transform((text) => ({ kind: "sqlite" as const, file: resolve(text.slice("sqlite:".length)) }));

const KEY = "8 to 128 printable characters without spaces";
const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

interface Setting<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly default: string;
  readonly doc: string;
}
const setting = <Schema extends z.ZodType>(
  schema: Schema,
  fallback: string,
  doc: string,
): Setting<Schema> => ({
  schema,
  default: fallback,
  doc,
});

/** `default` is written as a person would write it; an empty one means "not set". */
export const settings = {
  host: setting(
    z.string(fail("a host name or address")).trim().min(1, fail("a host name or address")),
    "127.0.0.1",
    "The address to listen on; 0.0.0.0 for all.",
  ),
  port: setting(
    whole(0, 65535, "a port from 0 to 65535; 0 picks a free one"),
    "8080",
    "The port to listen on; 0 picks a free one.",
  ),
  baseUrl: setting(
    address.optional(),
    "",
    "The public address: the service namespace, and what the WSDL points to. Set it in production.",
  ),
  namespaces: setting(
    namespaces,
    "",
    "Further namespaces that requests may use, separated by commas; * for any.",
  ),
  database: setting(database, "sqlite:./data/mailroll.db", "Where the data is."),
  apiKey: setting(
    z
      .string(fail(KEY))
      .refine((text) => parseKey(text) !== null, fail(KEY))
      .optional(),
    "",
    "On the very first start, the key to make instead of a random one.",
  ),
  log: setting(
    z.enum(levels, fail(`one of ${levels.join(", ")}`)),
    "info",
    "How much to log, to standard error.",
  ),
  bodyLimit: setting(size, "4MiB", "The largest request taken, also after inflating."),
  refusedDays: setting(
    whole(1, 36_500, "a number of days from 1 to 36500"),
    "90",
    "How long refused calls are kept.",
  ),
  refusedRows: setting(
    whole(1, 1_000_000_000, "a number of rows from 1 to 1000000000"),
    "100000",
    "How many refused calls are kept per account, the oldest dropped first.",
  ),
} as const;

export type SettingName = keyof typeof settings;
export type Config = { readonly [K in SettingName]: z.output<(typeof settings)[K]["schema"]> };

const separated = (name: string, separator: string): string =>
  name.replace(/[A-Z]/g, (letter) => `${separator}${letter.toLowerCase()}`);
export const variableOf = (name: SettingName): string => `MAILROLL_${separated(name, "_").toUpperCase()}`;
export const flagOf = (name: SettingName): string => separated(name, "-");
const FILE = "mailroll.config.json";

/** One line for a person: which setting, where it stands, what was expected. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export interface Sources {
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder where mailroll.config.json may lie. */
  readonly folder: string;
}

export function loadConfig({ flags, env, folder }: Sources): Config {
  const file = readFile(resolve(folder, FILE));
  const names = Object.keys(settings) as SettingName[];
  return Object.fromEntries(
    names.map((name) => {
      const candidates: readonly (readonly [source: string, value: unknown])[] = [
        [`--${flagOf(name)}`, flags[flagOf(name)]],
        [variableOf(name), env[variableOf(name)] === "" ? undefined : env[variableOf(name)]],
        [`"${name}" in ${FILE}`, file[name]],
        ["default", settings[name].default === "" ? undefined : settings[name].default],
      ];
      const [source, value] = candidates.find(([, candidate]) => candidate !== undefined) ?? [
        "default",
        undefined,
      ];
      return [name, read(name, source, value)];
    }),
  ) as unknown as Config;
}

function read(name: SettingName, source: string, value: unknown): unknown {
  const parsed = settings[name].schema.safeParse(name === "namespaces" ? (value ?? []) : value);
  if (parsed.success) return parsed.data;
  const shown = name === "apiKey" ? "the value" : JSON.stringify(value);
  throw new ConfigError(`${source}: ${shown} is not ${parsed.error.issues[0]?.message ?? "valid"}`);
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
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (!parsed.success) throw new ConfigError(`${FILE} must hold one object of settings`);
  const unknown = Object.keys(parsed.data).find((name) => !(name in settings));
  if (unknown !== undefined)
    throw new ConfigError(
      `"${unknown}" in ${FILE} is no setting; there are: ${Object.keys(settings).join(", ")}`,
    );
  return parsed.data;
}
