/**
 * Stores the results of a group of messages, and marks the recipients of the next ones as `sending`: one
 * transaction, whose number of statements does not depend on the size of the group. Callers wait for it only
 * if an address has bounced hard, or while the campaign is not visible: only then is the account locked.
 */

import { parseAddress } from "#domain/address.ts";
import type {
  BatchId,
  DeliveryResult,
  DeliveryStart,
  Ledger,
  Proceeded,
  StartOutcome,
} from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { holdReasons, mayChange } from "#domain/sending/mailing.ts";
import { skipNumber } from "#domain/sending/recipient.ts";
import { decideEvent } from "#domain/subscriber/rules.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { partsInCampaign } from "../campaign-events.ts";
import type { Db } from "../kit/db.ts";
import { restoreAmong } from "../sending/earlier-results.ts";
import { lockIfDraft, publishDraft, storeLists } from "../sending/publication.ts";
import { findBatch, type Members, saveBatch } from "./batch-rows.ts";
import { type Allowance, loadAllowance, saveAllowance } from "./limits.ts";
import { counted, heldFor, isSending, lockMailing, saveMailing } from "./mailing-lock.ts";
import { markOf, recipientRows, type Settled, saveSettled, started } from "./recipient-rows.ts";
import { isWaiting, type States, settleResults, withoutSameRefusals } from "./results.ts";
import { decideStart, domainOf, loadDeciding, type People } from "./starts.ts";

const isHardBounce = (result: DeliveryResult): boolean => result.state === "failed" && result.isHardBounce;
const isQueuedAgain = ({ state }: DeliveryResult): boolean => state === "queued";
const publishes = ({ state }: Settled): boolean =>
  state === "sent" || state === "failed" || state === "unknown";
const wasNotHandedOver = ({ from, state }: Settled): boolean => from === "sending" && state === "queued";

export async function proceed(db: Db, given: Parameters<Ledger["proceed"]>[0]): Promise<Proceeded> {
  const { account, owner, now, until, results, starts } = given;
  const isDraft = given.isVisible !== true && (await lockIfDraft(db, given));
  if (!isDraft && results.some(isHardBounce)) await db.lockAccount(account);
  const ids = [...new Set([...results, ...starts].map(({ subscriber }) => subscriber))];
  // On PostgreSQL these are sent together and executed in order: the first one locks the mailing.
  const [before, batch, rows, { limited, gone, people }] = await Promise.all([
    lockMailing(db, given),
    findBatch(db, given, given.batch),
    recipientRows(db, given, ids),
    loadDeciding(db, given, starts),
  ]);
  if (before === null) {
    const stopped = starts.map(() => "stopped" as const);
    return { starts: stopped, state: "cancelled", waitsUntil: null, isOurs: false, isVisible: !isDraft };
  }

  const own = batch?.owner === owner ? batch : null;
  const isOurs = own !== null && own.leasedUntil > now;
  const members: Members = own?.members ?? new Map();
  const all = settleResults(results, rows, members, { isOurs, mark: markOf(given.batch), now });
  const { settled, mailing } = await withoutSameRefusals(db, given, before, all, now);

  const mayStart = isOurs && limited !== null && gone.length === 0 && isSending(mailing, now);
  const able = mayStart ? starts.filter(isAble(rows.states, members)) : [];
  const domains = new Set(able.map(({ address }) => domainOf(address)));
  const isCounted = starts.length > 0 || results.some(isQueuedAgain);
  const allowance =
    limited === null || !isCounted ? null : await loadAllowance(db, account, limited, domains, now);
  for (const { id } of settled.filter(wasNotHandedOver)) allowance?.giveBack(rows.times.get(id) ?? now);
  const begun = begin(given, mayStart ? allowance : null, people, rows.states, members);

  const changed = [...settled, ...begun.settled];
  const moves = begun.settled.map(({ from, state }) => ({ from, to: state }));
  const isHeld = gone.length > 0 && mayChange("hold", mailing.state);
  const after = isHeld
    ? heldFor(mailing, holdReasons.goneMeanwhile(gone, given.campaign))
    : counted(mailing, moves);
  // What was being sent while the mailing was cancelled may wait again, and is restored below.
  const isCancelled = after.state === "cancelled";
  const saves = isCancelled ? db : db.atCommit;
  const leasedUntil = isOurs ? until : (own?.leasedUntil ?? until);
  const resultsBefore = settled.length > 0 ? null : (own?.resultsBefore ?? null);
  await Promise.all([
    saveSettled(saves, given, now, changed),
    changed.length === 0 && !isHeld ? null : saveMailing(saves, given, after),
    own === null ? null : saveBatch(saves, account, { ...own, members, leasedUntil, resultsBefore }),
    allowance === null ? null : saveAllowance(saves, account, limited?.sender ?? null, allowance),
  ]);
  const waiting = settled.filter(({ state }) => isWaiting(state)).map(({ id }) => id);
  if (isCancelled) await restoreAmong(db, given, waiting);
  const isPublished = isDraft && settled.some(publishes);
  if (isDraft && begun.outcomes.includes("started")) await storeLists(db, given);
  if (isPublished) await publishDraft(db, given);
  const hardBounces = settled.filter((one) => one.isHardBounce).map(({ id }) => id);
  await recordHardBounces(db, given, hardBounces, now);
  const { state, waitsUntil } = after;
  return { starts: begun.outcomes, state, waitsUntil, isOurs, isVisible: !isDraft || isPublished };
}

const isAble =
  (states: States, members: Members) =>
  ({ subscriber: id }: DeliveryStart): boolean =>
    members.has(id) && isWaiting(states.get(id));

/** Takes skipped recipients out of the members. Without an allowance no recipient may be started. */
function begin(
  { starts, batch }: { readonly starts: readonly DeliveryStart[]; readonly batch: BatchId },
  allowance: Allowance | null,
  people: People,
  states: States,
  members: Members,
): { readonly outcomes: readonly StartOutcome[]; readonly settled: readonly Settled[] } {
  const settled: Settled[] = [];
  const save = (id: SubscriberId, one: Settled): void => {
    settled.push(one);
    states.set(id, one.state);
  };
  const outcomes = starts.map((start): StartOutcome => {
    const { subscriber: id } = start;
    const from = states.get(id);
    if (allowance === null || !members.has(id) || !isWaiting(from)) return "stopped";
    const outcome = decideStart(start, people.get(id) ?? null, allowance);
    if (outcome === "started") save(id, started(id, from, batch));
    else if (typeof outcome === "object" && "skipped" in outcome) {
      save(id, { ...started(id, from, batch), state: "skipped", code: skipNumber(outcome.skipped) });
      members.delete(id);
    }
    return outcome;
  });
  return { outcomes, settled };
}

/**
 * Recipients whose address does not exist, as the relay said: a hard bounce of the campaign, and a
 * suppression of the subscriber. The account must be locked.
 */
async function recordHardBounces(
  db: Db,
  { account, campaign }: OfMailing,
  ids: readonly SubscriberId[],
  at: number,
): Promise<void> {
  if (ids.length === 0) return;
  const event = "bounced";
  const found = await partsInCampaign(db, { account, campaign, event }, ids);
  const decided = found.map(({ id, address, ...part }) => {
    const command = { address: parseAddress(address), campaign, event, at } as const;
    const state = { blockedAt: null, erased: null, campaignExists: true, ...part };
    const { changes } = decideEvent({ ...command, origin: { kind: "bounce" } }, state);
    return { subscriber: id, changes };
  });
  await db.saveChanges(account, decided);
}
