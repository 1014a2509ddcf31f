/** Reports MAILROLL_ variables that are not settings: typos that would otherwise be ignored silently. */
import { type SettingName, settings, variableOf } from "#app/settings/config.ts";
import { nearest } from "#domain/text/nearest.ts";
import { ACCOUNT_VARIABLE } from "./common-options.ts";

/** One message for each. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = [...(Object.keys(settings) as SettingName[]).map(variableOf), ACCOUNT_VARIABLE];
  const unknown = Object.keys(env).filter((name) => name.startsWith("MAILROLL_") && !known.includes(name));
  return unknown.sort().map((name) => {
    const meant = nearest(name, known);
    const advice = meant === null ? "see 'mailroll serve --help'" : `did you mean ${meant}?`;
    return `${name} is set, but there is no such setting; ${advice}`;
  });
}
