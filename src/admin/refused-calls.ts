/**
 * Refused calls by the group: the calls of one operation and outcome, and of one key if it is given. A group
 * is replayed or dismissed as a job.
 */
import type { OutcomeName } from "#contract/outcomes.ts";
import type { AuditedValues } from "#domain/access/audit.ts";
import { parseCustomValue } from "#domain/field/custom-value.ts";
import type { Field, FieldId } from "#domain/field/field.ts";
import type { Job } from "#domain/job/job.ts";
import { type JobKinds, refusalGroupJob } from "#domain/job/kinds.ts";
import type { ListId } from "#domain/list.ts";
import type { RefusalGroupCount } from "#domain/ports/refused-calls.ts";
import {
  type GroupCorrections,
  isSettled,
  type Refusal,
  type RefusalFilter,
  type RefusalGroup,
  type RefusalId,
  type RefusalRange,
} from "#domain/refused-call.ts";
import { writeOf } from "#operations/handlers.ts";
import { argumentsOf, BadArgument, parametersOf } from "#refused-calls/recorded-call.ts";
import { byteOf, NotReplayable, namedIn, replayedCall } from "#refused-calls/replay.ts";
import { type Admin, audited, type InAccount, type Performing, query } from "./kit/action.ts";
import { existing, InvalidInput, NotFound, NotPossible } from "./kit/errors.ts";
import { type PageInputs, pageOf } from "./kit/paging.ts";
import { startJob } from "./kit/start-job.ts";

// What the arguments of refused calls are, for adapters that show and correct them.
export type { KeptArguments } from "#refused-calls/recorded-call.ts";
export { argumentsOf, type CallParameter, parametersOf } from "#refused-calls/recorded-call.ts";

/** Calls that the service refused: to be looked at, corrected and replayed, or dismissed. */
interface OneRefusal extends InAccount {
  readonly id: RefusalId;
}

/** The newest first. */
export const listRefusals = query(
  "refused.list",
  "viewer",
  ({ store }, { account, ...given }: InAccount & Partial<RefusalFilter> & PageInputs) => {
    const { operation = null, outcome = null, key = null, ...page } = given;
    return pageOf(store.refusals.search, { account, operation, outcome, key }, page);
  },
);

/** How many calls changed nothing, by operation and outcome. */
export const listNoOps = query("refused.noOps", "viewer", ({ store }, { account }: InAccount) =>
  store.refusals.noOps({ account }),
);

const find = async ({ store }: Admin, { account, id }: OneRefusal): Promise<Refusal> =>
  existing("refused call", id, await store.refusals.byId({ account, id }));
export const findRefusal = query("refused.show", "viewer", find);

/** A call that succeeds is removed from the refused calls. `call` is the call with its corrections. */
export const replayRefusal = audited(
  "refused.replay",
  "editor",
  async (admin, given: OneRefusal & { readonly corrections: Readonly<Record<string, string>> }) => {
    const { store, clock, actor, audit } = admin;
    const { account } = given;
    const refusal = await find(admin, given);
    const { operation } = refusal;
    const args = { ...argumentsOf(refusal), ...byContractName(given.corrections, operation) };
    try {
      const cause = { at: clock(), origin: actor.origin };
      const call = await replayedCall(writeOf, account, refusal, args, cause, false);
      const outcome = await store.refusals.replay({ account, call, audit });
      if (outcome === null) throw new NotFound("refused call", given.id);
      const corrected = { ...refusal, args: JSON.stringify(args) };
      return { outcome, byte: byteOf(operation, outcome), isRemoved: isSettled(outcome), call: corrected };
    } catch (error) {
      if (error instanceof BadArgument) throw new InvalidInput("corrections", error.message, error.place);
      throw error instanceof NotReplayable ? new NotPossible(error.message) : error;
    }
  },
);

/** Parameters by their names in the contract; the given names are compared ignoring case. */
function byContractName(
  corrections: Readonly<Record<string, string>>,
  operation: string,
): Readonly<Record<string, string>> {
  const names = (parametersOf(operation) ?? []).map(({ name }) => name);
  return Object.fromEntries(
    Object.entries(corrections).map(([given, value]) => [
      names.find((name) => name.toLowerCase() === given.toLowerCase()) ?? given,
      value,
    ]),
  );
}

export const dismissRefusal = audited(
  "refused.dismiss",
  "editor",
  async ({ store, audit }, { account, id }: OneRefusal) => {
    if (!(await store.refusals.dismiss({ account, id, audit }))) throw new NotFound("refused call", id);
    return { id };
  },
);

export type OneGroup = InAccount & RefusalGroup;

/** The most that a preview counts. */
const MAX_COUNTED = 10_000;
const SAMPLE = 10;

export const listRefusalGroups = query(
  "refused.groups",
  "viewer",
  ({ store }, { account }: InAccount): Promise<readonly RefusalGroupCount[]> =>
    store.refusals.groups({ account }),
);

async function preview({ store }: Performing, { account, operation, outcome, key }: OneGroup) {
  const group = { account, operation, outcome, key };
  const found = await store.refusals.previewGroup({ ...group, most: MAX_COUNTED + 1, sample: SAMPLE });
  const isMore = found.count > MAX_COUNTED;
  return { count: isMore ? MAX_COUNTED : found.count, isMore, sample: found.newest, upTo: found.upTo };
}

/** What calls of a group name, by id, and how many of them do. */
type Unknown = readonly { readonly id: string; readonly calls: number }[];

/** The calls of a group that are looked at for what they name, and the most ids that are counted. */
const MAX_LOOKED = 5000;
const MAX_IDS = 1000;

async function* callsOf({ store }: Performing, { account, ...group }: OneGroup, upTo: RefusalId) {
  let [after, looked]: [RefusalId | null, number] = [0, 0];
  while (after !== null && looked < MAX_LOOKED) {
    const range = { account, ...group, upTo, after, limit: PAGE };
    const { refusals, next } = await store.refusals.nextOfGroup(range);
    for (const refusal of refusals) yield namedIn(refusal);
    [after, looked] = [next, looked + PAGE];
  }
}
const PAGE = 500;

/** The reasons that the calls of a group can be corrected for: a list, or a field, that does not exist. */
const NO_LIST: OutcomeName = "UnknownList";
const NO_FIELD: OutcomeName = "UnknownField";

/** The lists or fields that do not exist, as the calls of the group name them; the most frequent first. */
async function unknownIn(admin: Performing, group: OneGroup, upTo: RefusalId) {
  const { store } = admin;
  const { account, outcome } = group;
  if (outcome !== NO_LIST && outcome !== NO_FIELD) return { lists: [], fields: [] };
  const counts = new Map<string, number>();
  for await (const { list, values } of callsOf(admin, group, upTo))
    for (const id of outcome === NO_LIST ? [list] : new Set(values.map(({ field }) => field)))
      if (counts.has(id) || counts.size < MAX_IDS) counts.set(id, (counts.get(id) ?? 0) + 1);
  const ids = [...counts.keys()].filter((id) => ID.test(id));
  const known =
    outcome === NO_LIST
      ? await store.lists.some({ account, ids: ids.map(Number) })
      : await store.fields.some({ account, ids: ids.map(BigInt) });
  const exists = new Set(known.map(({ id }) => String(id)));
  const unknown: Unknown = [...counts]
    .filter(([id]) => !exists.has(id))
    .map(([id, calls]) => ({ id, calls }))
    .sort((one, other) => other.calls - one.calls);
  return outcome === NO_LIST ? { lists: unknown, fields: [] } : { lists: [], fields: unknown };
}
/** Of a list or a field; a program may have sent anything that is a number. */
const ID = /^[1-9]\d{0,17}$/;

/**
 * What a replay or dismissal of the group would deal with: how many calls, the newest of them, and what they
 * name that does not exist, for corrections.
 */
export const previewRefusalGroup = query("refused.group", "viewer", async (admin, one: OneGroup) => {
  const { upTo, ...shown } = await preview(admin, one);
  return { ...shown, unknown: await unknownIn(admin, one, upTo) };
});

/** By the id that the calls name: the list or field that is meant; `null` leaves the value out. */
interface Meant {
  readonly lists?: Readonly<Record<string, ListId>> | undefined;
  readonly fields?: Readonly<Record<string, FieldId | null>> | undefined;
}

/** No database has a larger number. */
const MAX_LONG = 2n ** 63n - 1n;

/** Throws InvalidInput. */
async function checkedCorrections(
  admin: Performing,
  group: OneGroup,
  { lists = {}, fields = {} }: Meant,
  upTo: RefusalId,
): Promise<GroupCorrections | undefined> {
  const { account, outcome } = group;
  const { store } = admin;
  const given = { lists: Object.entries(lists), fields: Object.entries(fields) };
  if (given.lists.length + given.fields.length === 0) return undefined;
  for (const [name, reason, what] of [
    ["lists", NO_LIST, "a list"],
    ["fields", NO_FIELD, "a field"],
  ] as const) {
    if (given[name].length > 0 && outcome !== reason)
      throw new InvalidInput(name, `only calls that name ${what} which does not exist can be corrected so`);
    if (given[name].length > MAX_IDS)
      throw new InvalidInput(name, `at most ${MAX_IDS} corrections are taken`);
  }
  for (const [id, list] of given.lists)
    if ((await store.lists.byId({ account, id: list })) === null)
      throw new InvalidInput("lists", `there is no list ${list}`, id);
  const found = new Map<string, Field>();
  for (const [id, field] of given.fields) {
    if (field === null) continue;
    const one = field > MAX_LONG ? null : await store.fields.byId({ account, id: field });
    if (one === null) throw new InvalidInput("fields", `there is no field ${field}`, id);
    found.set(id, one);
  }
  await requireNamed(admin, group, given, found, upTo);
  return {
    lists,
    fields: Object.fromEntries(
      given.fields.map(([id, field]) => [id, field === null ? null : String(field)]),
    ),
  };
}

/** Calls must name what is corrected, and a field must take at least one of their values. */
async function requireNamed(
  admin: Performing,
  group: OneGroup,
  given: Readonly<Record<"lists" | "fields", readonly (readonly [id: string, meant: unknown])[]>>,
  found: ReadonlyMap<string, Field>,
  upTo: RefusalId,
): Promise<void> {
  const country = (await admin.store.accounts.byId({ id: group.account }))?.country ?? null;
  const named = new Set<string>();
  const fitting = new Set<string>();
  for await (const { list, values } of callsOf(admin, group, upTo)) {
    if (given.lists.length > 0) named.add(list);
    for (const { field, value } of values) {
      named.add(field);
      const { type } = found.get(field) ?? {};
      const fits = type === undefined || value.trim() === "" || fitting.has(field);
      if (fits || parseCustomValue(type, value, country) !== null) fitting.add(field);
    }
  }
  for (const name of ["lists", "fields"] as const)
    for (const [id] of given[name]) {
      const what = name === "lists" ? "list" : "field";
      if (!named.has(id)) throw new InvalidInput(name, `none of the calls names the ${what} ${id}`, id);
      const { name: called, type } = found.get(id) ?? {};
      if (name === "fields" && !fitting.has(id))
        throw new InvalidInput(
          name,
          `the field ${called} has the type ${type}, and none of the values in the calls fits it`,
          id,
        );
    }
}

type GroupKind = "dismiss-refusals" | "replay-refusals";

async function startFor<Kind extends GroupKind>(
  admin: Performing,
  kind: Kind,
  one: OneGroup,
  more: (upTo: RefusalId) => Promise<Omit<JobKinds[Kind]["args"], keyof RefusalRange>>,
  audited: AuditedValues = {},
): Promise<Job | null> {
  const { account, operation, outcome, key } = one;
  const { count, isMore, upTo } = await preview(admin, one);
  // A repeated request finds none if its job has ended; the store answers it with that job.
  if (count === 0 && !admin.isRepeat)
    throw new NotPossible("there are no refused calls of this operation and outcome");
  return startJob(admin, {
    account,
    kind,
    name: refusalGroupJob(kind, account, one),
    args: { operation, outcome, key, upTo, ...(await more(upTo)) } as JobKinds[Kind]["args"],
    total: isMore ? null : count,
    audited: { operation, outcome, key, ...audited },
  });
}

/** For the audit log: ids only. */
const inAudit = (corrections: Readonly<Record<string, ListId | FieldId | null>>): readonly string[] =>
  Object.entries(corrections).map(([id, meant]) => `${id} → ${meant === null ? "left out" : String(meant)}`);

/**
 * Executes the calls again, in order, with corrections of what they name. Calls with nothing left to do are
 * removed from the refused calls; one that is refused for another reason keeps it, with the corrections.
 */
export const replayRefusalGroup = audited(
  "refused.replayGroup",
  "editor",
  async (admin, { lists = {}, fields = {}, ...group }: OneGroup & Meant) => ({
    job: await startFor(
      admin,
      "replay-refusals",
      group,
      async (upTo) => {
        const origin = { origin: admin.actor.origin };
        // Its calls may be gone, and its job is not started again.
        if (admin.isRepeat) return origin;
        const corrections = await checkedCorrections(admin, group, { lists, fields }, upTo);
        return corrections === undefined ? origin : { ...origin, corrections };
      },
      {
        ...(Object.keys(lists).length === 0 ? {} : { correctedLists: inAudit(lists) }),
        ...(Object.keys(fields).length === 0 ? {} : { correctedFields: inAudit(fields) }),
      },
    ),
  }),
);

export const dismissRefusalGroup = audited(
  "refused.dismissGroup",
  "editor",
  async (admin, one: OneGroup) => ({ job: await startFor(admin, "dismiss-refusals", one, async () => ({})) }),
);
