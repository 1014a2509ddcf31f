/** The settings of the installation: they are read at the start, and changed where they are set. */
import type { SettingValue } from "#domain/setting-value.ts";
import { query } from "./kit/action.ts";
import { NotPossible } from "./kit/errors.ts";

/** With the source of each value; no secret. */
export const showSettings = query(
  "settings.show",
  "administrator",
  async ({ settings }): Promise<readonly SettingValue[]> => {
    if (settings === undefined) throw new NotPossible("only the service itself knows its settings");
    return settings;
  },
);
