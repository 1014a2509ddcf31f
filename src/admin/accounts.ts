/** Accounts of the installation. */
import type { Account, AccountId } from "#domain/account.ts";
import { parseCountry } from "#domain/country.ts";
import * as inBatches from "#jobs/in-batches.ts";
import { audited, query } from "./kit/action.ts";
import { existing, InvalidInput } from "./kit/errors.ts";
import { requireName } from "./kit/inputs.ts";
import { type PageInputs, pageOf } from "./kit/paging.ts";

export const createAccount = audited(
  "account.create",
  "administrator",
  ({ store, clock, audit }, { name }: { readonly name: string }): Promise<Account> =>
    store.accounts.create({ name: requireName(name), at: clock(), audit }),
);

/** Accounts in which the actor has a role; an administrator has one in all of them. */
export const listAccounts = query(
  "account.list",
  "anyone",
  ({ store, actor: { accounts: ids } }, page: PageInputs) =>
    ids === undefined ? pageOf(store.accounts.all, {}, page) : pageOf(store.accounts.some, { ids }, page),
);

interface OneAccount {
  readonly account: AccountId;
}

export const showAccount = query("account.show", "viewer", async ({ store }, { account: id }: OneAccount) =>
  existing("account", id, await store.accounts.byId({ id })),
);

/** How many subscribers are in each state. */
export const countStates = query("subscriber.states", "viewer", async ({ store }, { account }: OneAccount) =>
  existing("account", account, await store.subscribers.countStates({ account })),
);

export const renameAccount = audited(
  "account.rename",
  "owner",
  async ({ store, audit }, { account: id, name }: { readonly account: AccountId; readonly name: string }) =>
    existing("account", id, await store.accounts.set({ id, settings: { name: requireName(name) }, audit })),
);

const MAX_LIMIT = 999_999_999_999;

function requireLimit(input: string, limit: number | null | undefined): number | null | undefined {
  if (limit === null || limit === undefined) return limit;
  if (Number.isInteger(limit) && limit >= 0 && limit <= MAX_LIMIT) return limit;
  throw new InvalidInput(input, `must be a whole number from 0 to ${MAX_LIMIT}`);
}

function requireCountry(given: string | null | undefined): string | null | undefined {
  if (given === null || given === undefined) return given;
  const country = parseCountry(given);
  if (country === null)
    throw new InvalidInput("country", "must be an ISO 3166-1 country code such as AR, ARG or 32");
  return country;
}

/** undefined keeps a setting; null removes it. */
export const setAccount = audited(
  "account.set",
  "administrator",
  async (
    { store, audit },
    given: {
      readonly account: AccountId;
      readonly limitSubscribers?: number | null | undefined;
      readonly limitFields?: number | null | undefined;
      readonly country?: string | null | undefined;
    },
  ) => {
    const settings = {
      limitSubscribers: requireLimit("limitSubscribers", given.limitSubscribers),
      limitFields: requireLimit("limitFields", given.limitFields),
      country: requireCountry(given.country),
    };
    return existing(
      "account",
      given.account,
      await store.accounts.set({ id: given.account, settings, audit }),
    );
  },
);

/** The account that would be deleted, even if its deletion has begun and was interrupted. */
export const showAccountToDelete = query(
  "account.deletion",
  "administrator",
  async ({ store }, { account: id }: OneAccount) =>
    existing("account", id, await store.accounts.toDelete({ id })),
);

/**
 * With everything that belongs to it. `name` is its name, so that no other account is deleted by a wrong
 * number. `job` deletes everything after the keys.
 */
export const deleteAccount = audited(
  "account.delete",
  "administrator",
  async (
    { store, clock, audit, continueJob, rewritesLater: rewriteLater },
    { account: id, name }: OneAccount & { readonly name: string },
  ) => {
    const found = existing("account", id, await store.accounts.toDelete({ id }));
    if (name !== found.name)
      throw new InvalidInput("name", `is not the name of account ${id}; nothing was deleted`);
    const command = { account: id, at: clock(), audit, rewriteLater };
    return existing("account", id, await inBatches.deleteAccount(store, command, continueJob));
  },
);
