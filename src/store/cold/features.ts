/** Every feature whose port, or a part of it, is written once for both databases. */
import { accounts } from "./accounts.ts";
import { audit } from "./audit.ts";
import { blocks } from "./blocks.ts";
import { campaigns } from "./campaigns.ts";
import { fields } from "./fields.ts";
import { health } from "./health.ts";
import { imports } from "./imports.ts";
import { jobs } from "./jobs/jobs.ts";
import { keys } from "./keys.ts";
import type { Context, ListingOperation, Operation } from "./kit/feature.ts";
import { ledger } from "./ledger/ledger.ts";
import { lists } from "./lists.ts";
import { refusals } from "./refused-calls/refused-calls.ts";
import { requests, secrets } from "./secrets.ts";
import { mailings } from "./sending/mailings.ts";
import { paces } from "./sending/paces.ts";
import { senders } from "./sending/senders.ts";
import { unsubscribeLinks } from "./sending/unsubscribe-links.ts";
import { webhooks } from "./sending/webhooks.ts";
import { statistics } from "./statistics.ts";
import { subscribers } from "./subscribers/subscribers.ts";
import { uploads } from "./uploads.ts";
import { sessions } from "./users/sessions.ts";
import { users } from "./users/users.ts";

export const features = {
  accounts,
  keys,
  lists,
  fields,
  subscribers,
  campaigns,
  mailings,
  senders,
  unsubscribeLinks,
  paces,
  webhooks,
  blocks,
  ledger,
  imports,
  uploads,
  refusals,
  jobs,
  audit,
  requests,
  secrets,
  users,
  sessions,
  statistics,
  health,
};
export type Features = typeof features;

export type ColdOperation = Operation<never, unknown> | ListingOperation<never, unknown>;
export type { Context };

/** By kind, such as `lists.create`. */
export const coldOperations: ReadonlyMap<string, ColdOperation> = new Map(
  Object.entries(features).flatMap(([name, methods]) =>
    Object.entries<ColdOperation>(methods).map(([method, operation]) => [`${name}.${method}`, operation]),
  ),
);

/** Whether a page may visit many more rows than it has. */
export const mayWalk = (kind: string, args: object): boolean => {
  const operation = coldOperations.get(kind);
  return operation?.kind === "listing" && operation.mayWalk(args as never);
};

/** Whether a read is declared to be of a sort: see `Options` of a feature. */
export const isDeclared = (kind: string, sort: "isLookup" | "isOfService" | "isStepOfWalk"): boolean => {
  const operation = coldOperations.get(kind);
  return operation?.kind === "read" && operation[sort] === true;
};
