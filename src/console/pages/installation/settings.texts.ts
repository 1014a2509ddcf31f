import type { SettingSource } from "#domain/shown-setting.ts";
import type { Tone } from "#html/components/badge.ts";

export const title = "Settings of the installation";
export const description =
  "The settings that the service was started with. To change one, set it at its source and restart the service. A flag overrides a variable, which overrides the file mailroll.config.json, which overrides the default.";
export const setting = "Setting";
export const value = "Value";
export const source = "Source";
export const sources: Readonly<Record<SettingSource, readonly [label: string, tone: Tone]>> = {
  flag: ["Flag", "info"],
  environment: ["Environment", "info"],
  file: ["File", "info"],
  default: ["Default", "neutral"],
};
export const secret = "set, not shown";
export const notSet = "not set";
