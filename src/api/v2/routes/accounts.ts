/**
 * Accounts of the installation. The name and the settings are two routes because they need different roles:
 * one request does one thing, and is allowed or forbidden as a whole.
 */
import { Type } from "typebox";
import {
  createAccount,
  deleteAccount,
  listAccounts,
  renameAccount,
  setAccount,
  showAccount,
  showAccountToDelete,
} from "#admin/accounts.ts";
import type { Account } from "#domain/account.ts";
import { jobOrNull, RewriteAt, WithJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Id, Input, Named, Nullable, pageOfRows, Time, timeOrNull, written } from "../kit/schemas.ts";

const settings = {
  subscriberLimit: Nullable(
    Type.Integer({
      description: "The maximum number of active subscribers; null: no limit.",
      examples: [50_000],
    }),
  ),
  fieldLimit: Nullable(Type.Integer({ description: "The maximum number of custom fields; null: no limit." })),
  country: Nullable(
    Type.String({
      description:
        "The country that is assumed for telephone numbers without a country code: an ISO 3166-1 code.",
      examples: ["AR"],
    }),
  ),
};
const AccountSchema = Named("Account", {
  id: Id(),
  name: Type.String(),
  ...settings,
  activeSubscriberCount: Type.Integer(),
  createdAt: Time(),
});
const toAccount = ({ limitSubscribers, limitFields, activeSubscribers, ...account }: Account) => ({
  ...written(account),
  subscriberLimit: limitSubscribers,
  fieldLimit: limitFields,
  activeSubscriberCount: activeSubscribers,
});
const shown = { reply: AccountSchema, answer: toAccount, thing: "account" } as const;
const Name = Type.String({ examples: ["Acme Ltd"] });

export const accountRoutes = [
  route("GET /accounts", {
    summary: "List accounts",
    description: "The accounts in which you have a role; for an administrator, all accounts.",
    action: listAccounts,
    ...pageOfRows(AccountSchema, toAccount),
  }),
  route("POST /accounts", {
    summary: "Create an account",
    action: createAccount,
    body: Input({ name: Name }),
    status: 201,
    ...shown,
  }),
  route("GET /accounts/{account}", {
    summary: "Show an account",
    action: showAccount,
    ...shown,
  }),
  route("PATCH /accounts/{account}", {
    summary: "Rename an account",
    action: renameAccount,
    body: Input({ name: Name }),
    ...shown,
  }),
  route("PATCH /accounts/{account}/settings", {
    summary: "Set the limits and the country of an account",
    description: "A setting that is not given stays; null removes it.",
    action: setAccount,
    body: Input({
      subscriberLimit: Type.Optional(settings.subscriberLimit),
      fieldLimit: Type.Optional(settings.fieldLimit),
      country: Type.Optional(settings.country),
    }),
    args: ({ params, body: { subscriberLimit, fieldLimit, country } }) => ({
      ...params,
      limitSubscribers: subscriberLimit,
      limitFields: fieldLimit,
      country,
    }),
    inputs: { limitSubscribers: "subscriberLimit", limitFields: "fieldLimit" },
    ...shown,
  }),
  route("GET /accounts/{account}/deletion", {
    summary: "Preview the deletion of an account",
    description: "Shows the account that would be deleted. Nothing is changed.",
    action: showAccountToDelete,
    reply: AccountSchema,
    answer: toAccount,
  }),
  route("POST /accounts/{account}/deletion", {
    summary: "Delete an account and everything in it",
    description:
      "Its keys stop working within a second. Nothing of it can be restored, except from a backup. This is no DELETE, because the request has a body: the name, so that nobody deletes another account by a wrong number. If the job ends after `rewriteAt`, the files are rewritten again in the night after that.",
    action: deleteAccount,
    body: Input({ name: Type.String({ description: "The name of the account.", examples: ["Acme Ltd"] }) }),
    status: 202,
    reply: WithJob({ account: AccountSchema, rewriteAt: RewriteAt }),
    answer: ({ account, rewriteAt, job }, { now }) => ({
      account: toAccount(account),
      rewriteAt: timeOrNull(rewriteAt),
      job: jobOrNull(job, now),
    }),
  }),
];
