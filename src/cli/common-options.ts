/** The options that commands share; the help describes them once. */
import { flagOf, type SettingName, settings, variableOf } from "../config.ts";
import type { Command, Option } from "./command.ts";

type Options = Readonly<Record<string, Option>>;

/** Settings as options. */
const settingOptions = (names: readonly SettingName[]): Options =>
  Object.fromEntries(
    names.map((name) => {
      const { doc, default: fallback } = settings[name];
      const origin = `${variableOf(name)}${fallback === "" ? "" : `; ${fallback}`}`;
      return [flagOf(name), { value: "VALUE", doc: `${doc} (${origin})` }];
    }),
  );

export const commonOptions = {
  account: { value: "ID", doc: "The account, by id or name; needed where there is more than one." },
  ...settingOptions(["database"]),
  json: { doc: "Print one JSON document on standard output and nothing else, errors included." },
  help: { doc: "Print help." },
};

/** Those of them that a command takes. */
export function commonOptionsOf({ name, inAccount, settings: own }: Command): Options {
  const { account, json, help, ...database } = commonOptions;
  return {
    ...(inAccount ? { account } : {}),
    ...(own === undefined ? database : {}),
    ...(name === "serve" ? {} : { json }),
    help,
  };
}

/** All that is particular to a command: its options and the settings that are options of it. */
export const ownOptions = ({ options, settings: own }: Command): Options => ({
  ...options,
  ...settingOptions(own ?? []),
});
