/**
 * Imports campaign events from a file: one JSON object per line, read as a stream of any length. Lines are
 * written in groups, so that a group shares a commit. A bad line is reported and skipped. Recording a line
 * twice changes nothing, so after an interruption the whole file can be imported again.
 */
import type { AccountId } from "../domain/account.ts";
import { parseAddress } from "../domain/address.ts";
import { type CampaignEvent, type CampaignId, campaignEvents } from "../domain/campaign.ts";
import type { Store } from "../domain/ports/store.ts";
import { readTime } from "../transfer/time.ts";
import { isFuture } from "./inputs.ts";

const GROUP = 256;
const SHOWN = 40;

export interface EventLine {
  readonly event: CampaignEvent;
  readonly email: string;
  /** null: not given, so now. */
  readonly at: number | null;
}

/** The event of a line, or what is wrong with it as text. Other members are ignored. */
export function readEventLine(line: string, now: number): EventLine | string {
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

export interface Import {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly now: number;
  readonly onBad: (lineNumber: number, reason: string) => void;
}
export interface Imported {
  readonly recorded: number;
  readonly bad: number;
}

export async function importEvents(
  store: Store,
  from: AsyncIterable<string>,
  { account, campaign, now, onBad }: Import,
): Promise<Imported> {
  let [lineNumber, recorded, bad] = [0, 0, 0];
  let group: Promise<void>[] = [];
  const refuse = (number: number, reason: string): void => {
    bad += 1;
    onBad(number, reason);
  };
  const record = async (number: number, { event, email, at }: EventLine): Promise<void> => {
    const outcome = await store.campaigns.recordEvent({
      account,
      at: at ?? now,
      origin: { kind: "import", batch: null },
      recordedCall: null,
      address: parseAddress(email),
      campaign,
      event,
    });
    if (outcome === "Done") recorded += 1;
    else refuse(number, outcome);
  };
  for await (const line of from) {
    lineNumber += 1;
    // The first line may begin with a byte order mark.
    const text = line.replace(/^\ufeff/, "");
    if (text.trim() === "") continue;
    const event = readEventLine(text, now);
    if (typeof event === "string") refuse(lineNumber, event);
    else group.push(record(lineNumber, event));
    if (group.length < GROUP) continue;
    await Promise.all(group);
    group = [];
  }
  await Promise.all(group);
  return { recorded, bad };
}
