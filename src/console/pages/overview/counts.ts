/** Numbers that are counted only up to a limit. */
import { MOST_COUNTED } from "../../../domain/overview.ts";
import type { Formats } from "../../kit/formats.ts";

export const atMost = (count: number, { number }: Formats): string =>
  count < MOST_COUNTED ? number(count) : `${number(count)}+`;
