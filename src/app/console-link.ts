/** The address of a link to sign in with. */
import { CONSOLE_PATH } from "#console/console-path.ts";
import type { Config } from "./settings/config.ts";

/** `base` is the address of the service. */
export const consoleLink = (base: string, secret: string): string =>
  `${base.replace(/\/$/, "")}${CONSOLE_PATH}/link?token=${secret}`;

/** As far as the settings say it. */
export const configuredBase = ({ baseUrl, port, tlsCert }: Config): string =>
  baseUrl ?? `${tlsCert === null ? "http" : "https"}://localhost:${port}`;
