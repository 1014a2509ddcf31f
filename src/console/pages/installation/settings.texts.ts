import type { SettingSource } from "../../../domain/shown-setting.ts";
import type { Tone } from "../../../html/components/badge.ts";

export const title = "Settings of the installation";
export const description =
  "As the service was started with them. To change one, set it where it comes from and restart the service. A flag comes before a variable, a variable before the file mailroll.config.json, and that before the default.";
export const setting = "Setting";
export const value = "Value";
export const source = "Source";
export const sources: Readonly<Record<SettingSource, readonly [label: string, tone: Tone]>> = {
  flag: ["Flag", "info"],
  environment: ["Environment", "info"],
  file: ["File", "info"],
  default: ["Default", "neutral"],
};
export const secret = "set, and never shown";
export const notSet = "not set";
