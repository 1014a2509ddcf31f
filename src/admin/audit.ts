/** The audit log: who changed what. */
import {
  type AuditEntry,
  type AuditedThing,
  type AuditedValues,
  originOfActor,
} from "#domain/access/audit.ts";
import type { AccountId } from "#domain/account.ts";
import { type AuditFilter, type NamedThing, namedThings } from "#domain/ports/access/audit.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { Store } from "#domain/ports/store.ts";
import { type ActorNames, actorNames } from "./actor-names.ts";
import { query } from "./kit/action.ts";
import { InvalidInput } from "./kit/errors.ts";
import { type PageInputs, pageOf } from "./kit/paging.ts";

export interface AuditPage extends Page<AuditEntry> {
  /** Of the actors, and of users and keys that entries are about. */
  readonly names: ActorNames;
  readonly things: ThingNames;
}

/** The names of things that entries are about, as far as they still exist. */
export class ThingNames {
  readonly #names: ReadonlyMap<string, string>;

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
  }

  /** null: it has no name, or does not exist any more. */
  of(account: AccountId | null, kind: AuditedThing, id: string | number): string | null {
    return this.#names.get(`${account} ${kind} ${id}`) ?? null;
  }
}

/** Values of entries that are ids, and of what. */
const idValues: Readonly<Record<string, AuditedThing>> = {
  ...{ list: "list", lists: "list", ofList: "list", excludedLists: "list" },
  ...{ campaign: "campaign", sender: "sender", key: "key", user: "user" },
};
export const thingOfValue = (name: string): AuditedThing | null =>
  Object.hasOwn(idValues, name) ? (idValues[name] ?? null) : null;

interface Mentioned {
  readonly account: AccountId | null;
  readonly kind: AuditedThing;
  readonly id: string;
}
/** Ids that a database takes. */
const ID = /^-?\d{1,18}$/;

function mentionedIn({ account, about, before, after }: AuditEntry): readonly Mentioned[] {
  const values = [before, after].flatMap((one) => Object.entries(one ?? {}));
  const inValues = values.flatMap(([name, value]) => {
    const kind = thingOfValue(name);
    const ids: readonly unknown[] = Array.isArray(value) ? value : [value];
    return kind === null
      ? []
      : ids.filter((id) => typeof id === "number").map((id) => ({ account, kind, id: String(id) }));
  });
  const kind = about.kind === "sign-in link" ? "user" : about.kind;
  return [{ account, kind, id: about.id }, ...inValues].filter(({ id }) => ID.test(id));
}

/** `account`: of an account; null: of several, whose things are looked up account by account. */
async function namesIn(
  store: Store,
  account: AccountId | null,
  rows: readonly AuditEntry[],
): Promise<Pick<AuditPage, "names" | "things">> {
  const mentioned = rows.flatMap(mentionedIn);
  const idsOf = (kind: AuditedThing): readonly number[] =>
    mentioned.filter((one) => one.kind === kind).map(({ id }) => Number(id));
  const origins = [
    ...rows.map(({ actor }) => originOfActor(actor)),
    ...idsOf("user").map((user) => ({ kind: "user", user }) as const),
    ...idsOf("key").map((key) => ({ kind: "key", key }) as const),
  ];
  const names = await actorNames(store, account, origins);
  const things = new Map<string, string>();
  for (const of of new Set(mentioned.map((one) => one.account))) {
    if (of === null) continue;
    const here = mentioned.filter((one) => one.account === of);
    const ids = Object.fromEntries(
      namedThings.map((kind) => [
        kind,
        [...new Set(here.filter((one) => one.kind === kind).map(({ id }) => id))],
      ]),
    ) as Record<NamedThing, string[]>;
    if (namedThings.every((kind) => ids[kind].length === 0)) continue;
    for (const { kind, id, name } of await store.audit.namesOf({ account: of, ids }))
      things.set(`${of} ${kind} ${id}`, name);
  }
  for (const { account: of, kind, id } of mentioned) {
    const key = kind === "key" ? names.keys.find((one) => String(one.id) === id) : undefined;
    const name = kind === "user" ? names.users.get(Number(id)) : key?.label || key?.hint;
    if (name !== undefined) things.set(`${of} ${kind} ${id}`, name);
  }
  return { names, things: new ThingNames(things) };
}

interface ListAudit extends AuditFilter, PageInputs {
  /** null: all accounts, and the installation as a whole. */
  readonly account: AccountId | null;
}

/** The values whose stored names differ from the names in the API, which `--json` has as well. */
const names: Readonly<Record<string, string>> = {
  label: "name",
  limitSubscribers: "subscriberLimit",
  limitFields: "fieldLimit",
  totpSince: "totpSetAt",
  list: "listId",
  lists: "listIds",
  user: "userId",
  key: "keyId",
  import: "importId",
  change: "action",
  ofState: "filterState",
  ofList: "filterListId",
};
export const shownValues = (values: AuditedValues): AuditedValues =>
  Object.fromEntries(Object.entries(values).map(([stored, value]) => [names[stored] ?? stored, value]));

/** A null character, for one, cannot be looked for in every database. */
const NAME = /^[ -~]*$/;

/** The newest first, with the names of the actors. */
export const listAudit = query(
  "audit.list",
  "owner",
  async (
    { store },
    { account, actor = null, action: name, since, until = null, ...inputs }: ListAudit,
  ): Promise<AuditPage> => {
    if (actor?.name != null && !NAME.test(actor.name))
      throw new InvalidInput("actor", "is not the id of a user or of a key, or the name of a system user");
    if (name !== null && !NAME.test(name))
      throw new InvalidInput("action", "is not the name of an action, such as list.delete");
    const filter = { actor, action: name, since, until };
    const page = await (account === null
      ? pageOf(store.audit.ofInstallation, filter, inputs)
      : pageOf(store.audit.all, { ...filter, account }, inputs));
    return { ...page, ...(await namesIn(store, account, page.rows)) };
  },
);
