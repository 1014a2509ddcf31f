/** The options that commands share; the help describes them once. */
import { flagOf, type SettingName, settings, variableOf } from "#app/settings/config.ts";
import type { Command, Option } from "../command.ts";

type Options = Readonly<Record<string, Option>>;

/** Settings as options. */
const settingOptions = (names: readonly SettingName[]): Options =>
  Object.fromEntries(
    names.map((name) => {
      const { doc, default: fallback } = settings[name];
      const origin = `${variableOf(name)}${fallback ? `; default: ${fallback}` : ""}`;
      return [flagOf(name), { value: "VALUE", doc: `${doc} (${origin})` }];
    }),
  );

/** The account of commands that are given none. */
export const ACCOUNT_VARIABLE = "MAILROLL_ACCOUNT";

export const commonOptions = {
  account: {
    value: "ID",
    doc: `The account, by id or name; required if there is more than one (${ACCOUNT_VARIABLE}).`,
  },
  ...settingOptions(["database"]),
  json: { doc: "Print one JSON document on standard output, also for errors, and nothing else." },
  help: { doc: "Print help." },
};

/** The common options that a command takes. */
export function commonOptionsOf({ name, inAccount, settings: own }: Command): Options {
  const { account, json, help, ...database } = commonOptions;
  return {
    ...(inAccount ? { account } : {}),
    ...(own === undefined ? database : {}),
    ...(name === "serve" ? {} : { json }),
    help,
  };
}

/** A command's own options, and the settings that it takes as options. */
export const ownOptions = ({ options, settings: own }: Command): Options => ({
  ...options,
  ...settingOptions(own ?? []),
});
