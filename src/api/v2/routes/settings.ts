/** The settings of the installation, for reading. */
import { Type } from "typebox";
import { showSettings } from "#admin/settings.ts";
import { type SettingValue, settingSources } from "#domain/setting-value.ts";
import { route } from "../kit/route.ts";
import { Named, Nullable, OneOf, pageOfFew } from "../kit/schemas.ts";

const Setting = Named("Setting", {
  name: Type.String({ description: "As in mailroll.config.json.", examples: ["bodyLimit"] }),
  flag: Type.String({ examples: ["--body-limit"] }),
  variable: Type.String({ examples: ["MAILROLL_BODY_LIMIT"] }),
  group: Type.String({ examples: ["Limits"] }),
  description: Type.String(),
  source: OneOf(settingSources, "Where the value comes from. default: nobody has set it."),
  isSet: Type.Boolean({ description: "Whether it has a value, if only the default." }),
  isSecret: Type.Boolean({ description: "The value is never shown." }),
  value: Nullable(
    Type.String({
      description:
        "As it was written. null: it is secret or not set. The address of a database is without user, password and options.",
      examples: ["4MiB"],
    }),
  ),
});
const toSetting = ({ doc, ...shown }: SettingValue) => ({ ...shown, description: doc });

export const settingRoutes = [
  route("GET /settings", {
    summary: "List the settings of the service",
    description:
      "Settings are read when the service starts, from flags, MAILROLL_* variables and mailroll.config.json.",
    action: showSettings,
    ...pageOfFew(Setting, toSetting),
  }),
];
