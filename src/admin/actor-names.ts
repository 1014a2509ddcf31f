/** The names of actors, where records have their ids. */
import { type AuditEntry, originOfActor } from "#domain/access/audit.ts";
import type { ApiKey } from "#domain/access/key.ts";
import { batchOf, keyOf, type Origin, operatorOf, userOf } from "#domain/access/origin.ts";
import type { UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import type { Job } from "#domain/job/job.ts";
import type { Store } from "#domain/ports/store.ts";
import type { SubscriberData } from "#domain/ports/subscribers.ts";
import { userAddresses } from "./users/user-names.ts";

export interface ActorNames {
  readonly keys: readonly Pick<ApiKey, "id" | "label" | "hint">[];
  /** The addresses of users. */
  readonly users: ReadonlyMap<UserId, string>;
}

export interface NamedActor {
  readonly kind: Origin["kind"];
  readonly id: string | null;
  readonly name: string | null;
}
export function namedActor(origin: Origin, { keys, users }: ActorNames): NamedActor {
  const [key, user] = [keyOf(origin), userOf(origin)];
  const id = key ?? user ?? batchOf(origin);
  const named = keys.find((one) => one.id === key);
  const name =
    named === undefined
      ? user === null
        ? operatorOf(origin)
        : (users.get(user) ?? null)
      : named.label || named.hint;
  return { kind: origin.kind, id: id === null ? null : String(id), name };
}

type StoredValue = SubscriberData["values"][number];
/** Values of subscribers have no other origins. */
export const originOfValue = ({ key, batch }: Pick<StoredValue, "key" | "batch">): Origin | null =>
  key === null ? (batch === null ? null : { kind: "import", batch }) : { kind: "key", key };

/** `account`: whose records they are; null: of several accounts. A key of another account is not named. */
export async function actorNames(
  store: Store,
  account: AccountId | null,
  origins: readonly (Origin | null)[],
): Promise<ActorNames> {
  const known = origins.filter((origin) => origin !== null);
  const ids = [...new Set(known.map(keyOf))].filter((id) => id !== null);
  const [keys, users] = await Promise.all([
    ids.length === 0 ? [] : store.keys.labels({ ids }),
    userAddresses(store, known.map(userOf)),
  ]);
  return { keys: keys.filter((key) => account === null || key.account === account), users };
}

export function auditedActor({ actor }: Pick<AuditEntry, "actor">, names: ActorNames): NamedActor {
  const origin = originOfActor(actor);
  return origin === null ? { ...actor, id: null } : namedActor(origin, names);
}

/** Jobs with the names of the actors who started them. */
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
