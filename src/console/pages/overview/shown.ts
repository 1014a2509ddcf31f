/** What the parts of the overview get. */
import type { showOverview } from "#admin/numbers/overview.ts";
import { MAX_COUNTED } from "#domain/overview.ts";
import type { Formats } from "../../kit/formats.ts";
import type { Visit } from "../../kit/visit.ts";

export type Shown = Awaited<ReturnType<(typeof showOverview)["run"]>>;
export type OverviewVisit = Visit<"/{account}">;

/** A number that is counted only up to a limit. */
export const atMost = (count: number, formats: Formats): string =>
  `${formats.number(count)}${count < MAX_COUNTED ? "" : "+"}`;
