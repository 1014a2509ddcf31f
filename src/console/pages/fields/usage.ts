/** How many people have a value of a field. */
import type { FieldId } from "#domain/field/field.ts";
import type { FieldUsage } from "#domain/ports/fields.ts";
import type { Formats } from "../../kit/formats.ts";
import * as texts from "./fields.texts.ts";

export const valuesOf = ({ counts }: FieldUsage, id: FieldId): number =>
  counts.find(({ field }) => field === id)?.values ?? 0;
export const shareOf = (usage: FieldUsage, id: FieldId): number =>
  usage.subscribers === 0 ? 0 : valuesOf(usage, id) / usage.subscribers;

/** Exact, or the share in the sample. */
export const usageText = (usage: FieldUsage, id: FieldId, { number, percent }: Formats): string =>
  usage.hasMore ? texts.share(percent(shareOf(usage, id))) : number(valuesOf(usage, id));
