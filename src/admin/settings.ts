/** The settings of the installation: they are read at the start, and changed where they are set. */
import type { SettingValue } from "#domain/setting-value.ts";
import { action } from "./kit/action.ts";
import { NotPossible } from "./kit/errors.ts";

/** With the source of each value; no secret. */
export const showSettings = action(
  "settings.show",
  "administrator",
  "nothing",
  async ({ settings }): Promise<readonly SettingValue[]> => {
    if (settings === undefined) throw new NotPossible("only the service itself knows its settings");
    return settings;
  },
);
