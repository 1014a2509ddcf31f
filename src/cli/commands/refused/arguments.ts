/** The arguments of a refused call, as text. */
import type { Refusal } from "#domain/refusal.ts";
import { shorten } from "../../kit/terminal/terminal-text.ts";

const ARGUMENTS_WIDTH = 60;

type Arguments = Readonly<Record<string, unknown>>;
export const argumentsOf = ({ args }: Refusal): Arguments => JSON.parse(args) as Arguments;

export const shortArguments = (refusal: Refusal): string =>
  shorten(
    Object.entries(argumentsOf(refusal))
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" "),
    ARGUMENTS_WIDTH,
  );
