/**
 * The scheduler of runs: which mailings are sent now, and which of them are preempted for others. Accounts
 * share the runs evenly, whatever number of campaigns they have. A run that only waits for a limit is
 * preempted for any other one. Knows neither the store nor the thread.
 */
import type { AccountId } from "#domain/account.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";

/** So many mailings are sent side by side. */
export const MAX_RUNS = 8;
/** Of one account, with the runs that are ending: with a slow relay, that can take minutes. */
const MAX_OF_ACCOUNT = 2 * MAX_RUNS;
/** After this time a mailing is prepared again, because its sender may have changed. */
const LONGEST_RUN_MS = 300_000;
/** After this time it lets others go first, if they wait. */
export const TIME_SLICE_MS = 15_000;

export interface Waiting extends OfMailing {
  /** When its last run ended; 0: never. */
  readonly servedAt: number;
}
export interface Running extends OfMailing {
  readonly began: number;
  /** It starts nothing more, and waits for the results of what is being sent. */
  readonly isEnding: boolean;
  readonly waitsForLimit: boolean;
}
interface ScheduleInput {
  readonly waiting: readonly Waiting[];
  readonly running: readonly Running[];
  /** When a run of an account began last; 0: never. */
  readonly accountServedAt: (account: AccountId) => number;
  readonly now: number;
}
interface Plan {
  readonly begin: readonly OfMailing[];
  readonly preempt: readonly OfMailing[];
}

class Counts {
  readonly #counts = new Map<AccountId, number>();
  of(account: AccountId): number {
    return this.#counts.get(account) ?? 0;
  }
  add(account: AccountId, difference: number): void {
    this.#counts.set(account, this.of(account) + difference);
  }
}

function byAccount(waiting: readonly Waiting[]): Map<AccountId, Waiting[]> {
  const queues = new Map<AccountId, Waiting[]>();
  for (const one of waiting.toSorted((a, b) => a.servedAt - b.servedAt)) {
    const queue = queues.get(one.account);
    if (queue === undefined) queues.set(one.account, [one]);
    else queue.push(one);
  }
  return queues;
}

export function planRuns({ waiting, running, accountServedAt, now }: ScheduleInput): Plan {
  const begin: OfMailing[] = [];
  const preempt = running.filter(({ isEnding, began }) => !isEnding && now - began >= LONGEST_RUN_MS);
  // The longest run first.
  let active = running
    .filter((one) => !one.isEnding && !preempt.includes(one))
    .toSorted((a, b) => a.began - b.began);
  /** Runs that send, and all with the runs that are ending. */
  const [sending, all] = [new Counts(), new Counts()];
  for (const { account } of active) sending.add(account, 1);
  for (const { account } of running) all.add(account, 1);

  const mayPreempt = (one: Running, account: AccountId): boolean => {
    if (one.waitsForLimit) return true;
    const lead = sending.of(one.account) - sending.of(account);
    if (one.account !== account && lead > 1) return true;
    return now - one.began >= TIME_SLICE_MS && (one.account === account || lead > 0);
  };
  const preemptFor = (account: AccountId): boolean => {
    if (active.length + begin.length < MAX_RUNS) return true;
    const candidates = active.filter((one) => mayPreempt(one, account));
    const rank = (one: Running): number => (one.waitsForLimit ? MAX_RUNS : 0) + sending.of(one.account);
    const [evicted] = candidates.toSorted((a, b) => rank(b) - rank(a));
    if (evicted === undefined) return false;
    preempt.push(evicted);
    active = active.filter((one) => one !== evicted);
    sending.add(evicted.account, -1);
    return true;
  };

  const queues = byAccount(waiting);
  while (queues.size > 0) {
    // The account with the fewest runs; of several, the least recently served.
    const account = [...queues.keys()].reduce((first, other) =>
      (sending.of(other) - sending.of(first) || accountServedAt(other) - accountServedAt(first)) < 0
        ? other
        : first,
    );
    const next = queues.get(account)?.shift();
    if (next === undefined || all.of(account) >= MAX_OF_ACCOUNT) {
      queues.delete(account);
      continue;
    }
    if (!preemptFor(account)) {
      // Nor can one start for the others that have no run either.
      for (const other of queues.keys())
        if (other === account || sending.of(other) === 0) queues.delete(other);
      continue;
    }
    begin.push({ account, campaign: next.campaign });
    sending.add(account, 1);
    all.add(account, 1);
  }
  return { begin, preempt: preempt.map(({ account, campaign }) => ({ account, campaign })) };
}
