/** What the commands of a group name, by kind: each is loaded by one statement. */
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import { nameKey } from "#domain/text.ts";
import type { Connection } from "../sessions/connection.ts";
import type { CallerCommand } from "./caller-command.ts";
import { of, type WorkingSet } from "./working-set.ts";

/** The pairs of a `Named` as a table of a statement, whose first parameters they are. */
export const keysTable = (type: "bigint" | "text", column: string): string =>
  `unnest($1::bigint[], $2::${type}[]) AS n (account_id, ${column})`;

/** Distinct (account, part) pairs that a group names, as two columns. */
export class LookupKeys<Part extends string | number | bigint> {
  readonly #seen = new Set<string>();
  readonly accounts: AccountId[] = [];
  readonly parts: Part[] = [];

  add(account: AccountId, part: Part): void {
    const key = `${account} ${part}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.accounts.push(account);
    this.parts.push(part);
  }
  /** Addresses that are not in the set, of accounts that have erased a subscriber. */
  strangersTo(set: WorkingSet): readonly { readonly account: AccountId; readonly key: string }[] {
    const strangers: { account: AccountId; key: string }[] = [];
    for (const [index, account] of this.accounts.entries()) {
      if ((set.accounts.get(account)?.erasureKey ?? null) === null) continue;
      const key = String(this.parts[index]);
      if (!set.people.has(of(account, key))) strangers.push({ account, key });
    }
    return strangers;
  }
  get isEmpty(): boolean {
    return this.parts.length === 0;
  }
}

/** Loads the rows of the keys into a working set. */
export type Load<Part extends string | number | bigint> = (
  db: Connection,
  set: WorkingSet,
  keys: LookupKeys<Part>,
) => Promise<void>;

export function lookupKeysOf(group: readonly CallerCommand[]) {
  const all = {
    addresses: new LookupKeys<string>(),
    patterns: new LookupKeys<string>(),
    lists: new LookupKeys<number>(),
    fields: new LookupKeys<bigint>(),
    fieldNames: new LookupKeys<string>(),
    campaigns: new LookupKeys<number>(),
    eventAddresses: new LookupKeys<string>(),
  };
  for (const { kind, args } of group) {
    const { account } = args;
    for (const { key, domain } of addressesOf(args)) {
      all.addresses.add(account, key);
      all.patterns.add(account, key);
      all.patterns.add(account, `@${domain}`);
      if (kind === "campaigns.recordEvent") all.eventAddresses.add(account, key);
    }
    if ("list" in args && args.list !== null) all.lists.add(account, args.list);
    if ("campaign" in args) all.campaigns.add(account, args.campaign);
    if (kind === "fields.add")
      all.fieldNames.add(account, args.field === null ? "" : nameKey(args.field.name));
    if (kind === "subscribers.addWithData")
      for (const { field } of args.data.values) if (field !== null) all.fields.add(account, field);
  }
  return all;
}

function addressesOf(args: CallerCommand["args"]): readonly Address[] {
  if ("people" in args) return args.people.map(({ address }) => address);
  return "address" in args && args.address !== null ? [args.address] : [];
}
