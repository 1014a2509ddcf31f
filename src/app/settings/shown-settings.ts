/** Settings as administrators see them: with the source of each value, and no secret. */
import type { SettingSource, ShownSetting } from "#domain/shown-setting.ts";
import { flagOf, type SettingName, settings, variableOf } from "./config.ts";

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
export function shownSetting(name: SettingName, source: SettingSource, text: string | null): ShownSetting {
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
