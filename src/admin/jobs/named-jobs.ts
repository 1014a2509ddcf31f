/** Jobs with the names of those who started them. */
import { originOfActor } from "#domain/access/audit.ts";
import type { Origin } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Job } from "#domain/job/job.ts";
import type { Store } from "#domain/ports/store.ts";
import { actorNames, namedActor } from "../actor-names.ts";

const originOf = ({ by }: Job): Origin | null =>
  by === null ? null : originOfActor({ kind: by.kind, name: by.id ?? by.name });

/** `account`: null if the jobs are of several accounts. */
export async function namedJobs(
  store: Store,
  account: AccountId | null,
  jobs: readonly Job[],
): Promise<readonly Job[]> {
  const names = await actorNames(store, account, jobs.map(originOf));
  return jobs.map((job) => {
    const origin = originOf(job);
    return origin === null ? job : { ...job, by: namedActor(origin, names) };
  });
}

export async function namedJob(store: Store, job: Job): Promise<Job> {
  const [named = job] = await namedJobs(store, job.account, [job]);
  return named;
}
