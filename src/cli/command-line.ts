/**
 * The command line: finds the command, reads its options, opens what it needs and turns what went wrong into one
 * line and an exit code: 1 for what could not be done, 2 for a wrong call, 78 for a wrong setting.
 */
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { openStore } from "../app.ts";
import { type Config, ConfigError, loadConfig, type SettingName, settings } from "../config.ts";
import type { Account } from "../domain/account.ts";
import { type Store, StoreRefused, StoreUnavailable } from "../domain/ports.ts";
import { type Command, type Context, Failure, type Option, UsageError } from "./command.ts";
import { commands } from "./commands.ts";
import { commandHelp, overview, settingOptions, usage } from "./help.ts";
import { output } from "./output.ts";

const EXIT = { failure: 1, usage: 2, config: 78 } as const;

const accountOption: Readonly<Record<string, Option>> = {
  account: { value: "ID", doc: "The account, by id or name; needed where there is more than one." },
};
/** Only the server has all settings as options; other commands need to know where the data is. */
const settingsOf = ({ name }: Command): readonly SettingName[] =>
  name === "serve" ? (Object.keys(settings) as SettingName[]) : ["database"];
const commonOptions = (command: Command): Readonly<Record<string, Option>> => ({
  ...(command.inAccount ? accountOption : {}),
  ...(command.name === "serve" ? {} : { json: { doc: "Print one JSON document." } }),
  ...settingOptions(settingsOf(command)),
  help: { doc: "Print this." },
});

export async function runCommandLine(words: readonly string[]): Promise<number> {
  try {
    return await run(words);
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === null) throw error;
    process.stderr.write(`mailroll: ${(error as Error).message}\n`);
    return code;
  }
}

function exitCodeOf(error: unknown): number | null {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ConfigError) return EXIT.config;
  const isExpected =
    error instanceof Failure || error instanceof StoreRefused || error instanceof StoreUnavailable;
  return isExpected ? EXIT.failure : null;
}

async function run(words: readonly string[]): Promise<number> {
  const [first] = words;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    process.stdout.write(`${overview(commands)}\n`);
    return first === undefined ? EXIT.usage : 0;
  }
  const command = commands.find(({ name }) => isPrefix(name.split(" "), words));
  if (command === undefined) return unknownCommand(words);
  const rest = words.slice(command.name.split(" ").length);
  const common = commonOptions(command);
  const { values, positionals } = parse(command, { ...command.options, ...common }, rest);
  if (values.help === true) {
    process.stdout.write(`${commandHelp(command, common)}\n`);
    return 0;
  }
  checkArguments(command, positionals);
  const flags = Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
  const config = loadConfig({ flags, env: process.env, folder: process.cwd() });
  await execute(command, positionals, values, config);
  return 0;
}

const isPrefix = (name: readonly string[], words: readonly string[]): boolean =>
  name.every((word, index) => words[index] === word);

function unknownCommand(words: readonly string[]): number {
  const family = commands.filter(({ name }) => name.split(" ")[0] === words[0]);
  if (family.length > 0 && words.some((word) => word === "--help" || word === "-h")) {
    process.stdout.write(`${overview(family)}\n`);
    return 0;
  }
  const known = (family.length > 0 ? family : commands).map(({ name }) => name);
  throw new UsageError(
    `there is no command '${words.slice(0, 2).join(" ")}'; there are: ${known.join(", ")}`,
  );
}

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

function parse(command: Command, options: Readonly<Record<string, Option>>, words: readonly string[]) {
  const declared = Object.entries(options).map(([name, { value, repeated }]) => [
    name,
    {
      type: value === undefined ? ("boolean" as const) : ("string" as const),
      multiple: repeated === true,
      ...(name === "help" ? { short: "h" } : {}),
    },
  ]);
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: Object.fromEntries(declared),
    }) as { readonly values: Values; readonly positionals: readonly string[] };
  } catch (error) {
    const reason = (error as Error).message.split(/[.\n]/, 1)[0] ?? "";
    throw new UsageError(`${reason}. Usage: ${usage(command)}`);
  }
}

function checkArguments(command: Command, given: readonly string[]): void {
  const missing = command.args.slice(given.length).find((name) => !name.startsWith("["));
  if (missing !== undefined) throw new UsageError(`${missing} is missing. Usage: ${usage(command)}`);
  const extra = given[command.args.length];
  if (extra !== undefined && !command.args.at(-1)?.endsWith("…"))
    throw new UsageError(`'${extra}' is one argument too many. Usage: ${usage(command)}`);
}

async function execute(
  command: Command,
  args: readonly string[],
  values: Values,
  config: Config,
): Promise<void> {
  let opened: Store | null = null;
  const store = async (): Promise<Store> => {
    opened ??= await openStore(config);
    return opened;
  };
  const context: Context = {
    args,
    config,
    option: (name) => (typeof values[name] === "string" ? values[name] : undefined),
    options: (name) => {
      const given = values[name];
      return Array.isArray(given) ? given.map(String) : [];
    },
    has: (name) => values[name] === true,
    store,
    account: async () => findAccount(await store(), values.account),
    out: output((text) => process.stdout.write(text), values.json === true),
    now: Date.now(),
    confirm,
  };
  try {
    await command.run(context);
  } finally {
    await (opened as Store | null)?.close();
  }
}

async function findAccount(store: Store, named: Values[string]): Promise<Account> {
  const accounts = await store.read("accounts", {});
  const list = accounts.map(({ id, name }) => `${id} ${name}`).join(", ");
  if (named !== undefined) {
    const found = accounts.find(({ id, name }) => String(id) === named || name === named);
    if (found === undefined)
      throw new Failure(`there is no account ${String(named)}; there are: ${list || "none"}`);
    return found;
  }
  const [only] = accounts;
  if (only === undefined)
    throw new Failure("there is no account yet; start the server once, or 'mailroll account create NAME'");
  if (accounts.length > 1) throw new UsageError(`name one of the accounts with --account: ${list}`);
  return only;
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim());
  } finally {
    prompt.close();
  }
}
