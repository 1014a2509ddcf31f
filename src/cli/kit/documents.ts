/**
 * What commands print with --json about things that the JSON API has, too: in the words of the API
 * (docs/decisions/0042), with ids as numbers. A document that only one command prints is with that command.
 */
import type { CountedEvents } from "#admin/campaigns/campaigns.ts";
import type { Sending } from "#admin/campaigns/progress.ts";
import { inWords } from "#admin/kit/in-words.ts";
import type { ApiKey, KeyId } from "#domain/access/key.ts";
import type { UserToken } from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import type { List } from "#domain/list.ts";
import { Failure } from "./command.ts";

export const keyDocument = (key: ApiKey) => inWords(key, { account: "accountId", label: "name" });
export const tokenDocument = (token: UserToken) => inWords(token, { user: "userId" });
export const userDocument = ({ roles, ...user }: User) => ({
  ...inWords(user, { totpSince: "totpSetAt" }),
  roles: roles.map((role) => inWords(role, { account: "accountId" })),
});
export const listDocument = <Shown extends Pick<List, "members">>({ members, ...list }: Shown) => ({
  ...list,
  memberCount: members,
});

export const sendingDocument = ({ progress, ...sending }: Sending) => ({
  ...inWords(sending, {
    ...{ account: "accountId", campaign: "campaignId", allowsHttp: "isHttpAllowed" },
    ...{ waitsUntil: "waitsUntilAt", selected: "selectedCount" },
  }),
  progress: inWords(progress, { done: "doneCount", total: "totalCount" }),
});
/** What subscribers did because of a campaign. */
export const countedDocument = <Shown extends CountedEvents>({
  events,
  hasMoreEvents,
  ...campaign
}: Shown) => ({
  ...campaign,
  counts: events,
  hasMoreEvents: Object.values(hasMoreEvents).includes(true),
});

/** A job as commands show it, and whether all of it was done if a command has waited for it. */
export const jobDocument = (job: Job, now: number) =>
  inWords(
    { ...job, state: stateOfJob(job, now) },
    {
      ...{ account: "accountId", by: "actor", done: "doneCount", total: "totalCount" },
      ...{ attempts: "failureCount", leasedUntil: "leasedUntilAt" },
    },
  );

/** null: the account of the job was deleted meanwhile. */
export function requireFinished(job: Job | null): void {
  if (job === null) throw new Failure("the account was deleted before all of it was done");
  if (job.ending === "finished") return;
  const reason = job.lastError === null ? "" : `: ${job.lastError}`;
  throw new Failure(
    `not all of it was done: job ${job.id} ${job.ending === "failed" ? "has failed" : `was ${job.ending ?? "left"}`}${reason}`,
  );
}

// An API key as commands show it, in texts and in JSON.

/** Its name, with the id that `key list` shows. */
export function keyName(id: KeyId, keys: readonly ApiKey[]): string {
  const key = keys.find((one) => one.id === id);
  if (key === undefined) return `key ${id}`;
  return key.label === "" ? `key ${id} (${key.hint}…)` : `${key.label} (key ${id})`;
}
