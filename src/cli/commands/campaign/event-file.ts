/**
 * A file of campaign events: one JSON object per line, read as a stream of any length. A bad line is reported
 * and skipped. Recording a line twice changes nothing, so after an interruption the whole file can be
 * recorded again.
 */
import type { EventResult, GivenEvent } from "#admin/campaigns/events.ts";
import { isFuture } from "#admin/kit/inputs.ts";
import { parseAddress } from "#domain/address/address.ts";
import { campaignEvents } from "#domain/campaign.ts";
import { readTime } from "#transfer/values/time.ts";

const GROUP = 256;
const SHOWN = 40;

/** The event of a line, or what is wrong with it as text. Other members are ignored. */
export function readEventLine(line: string, now: number): GivenEvent | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return `not JSON: ${line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line}`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "not a JSON object";
  const { event: kind, email, at = null } = value as Readonly<Record<string, unknown>>;
  const event = campaignEvents.find((one) => one === kind);
  if (event === undefined) return `"event" must be one of ${campaignEvents.join(", ")}`;
  if (typeof email !== "string" || parseAddress(email) === null) return '"email" must be an e-mail address';
  const time = typeof at === "string" ? readTime(at) : null;
  if (at !== null && time === null) return '"at" must be a time such as "2026-11-01T10:00:00Z"';
  if (time !== null && isFuture(time, now)) return '"at" must not be in the future';
  return { event, email, at: time };
}

/** Records the lines in groups; returns how many are recorded and how many are bad. */
export async function recordLines(
  lines: AsyncIterable<string>,
  now: number,
  record: (events: readonly GivenEvent[]) => Promise<readonly EventResult[]>,
  onBad: (lineNumber: number, reason: string) => void,
): Promise<{ readonly recorded: number; readonly bad: number }> {
  let [lineNumber, recorded, bad] = [0, 0, 0];
  let group: { readonly line: number; readonly event: GivenEvent }[] = [];
  const refuse = (line: number, reason: string): void => {
    bad += 1;
    onBad(line, reason);
  };
  const recordGroup = async (): Promise<void> => {
    const results = await record(group.map(({ event }) => event));
    for (const [index, { error, outcome }] of results.entries())
      if (error === null) recorded += 1;
      else refuse(group[index]?.line ?? 0, outcome);
    group = [];
  };
  for await (const text of lines) {
    lineNumber += 1;
    // The first line may begin with a byte order mark.
    const line = text.replace(/^\ufeff/, "");
    if (line.trim() === "") continue;
    const event = readEventLine(line, now);
    if (typeof event === "string") refuse(lineNumber, event);
    else group.push({ line: lineNumber, event });
    if (group.length === GROUP) await recordGroup();
  }
  await recordGroup();
  return { recorded, bad };
}
