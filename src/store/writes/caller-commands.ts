/**
 * The commands that are committed in groups, written once for all stores. Each looks up the state that its
 * decision needs, calls the domain rule and saves the changes. Depends neither on SQL nor on when a store
 * writes.
 */
import { decideAddField } from "#domain/field/field.ts";
import { countRows } from "#domain/import/batch.ts";
import { withCreated } from "#domain/import/job.ts";
import { decideImport } from "#domain/import/rules.ts";
import type { AddressCommand, Command } from "#domain/ports/command.ts";
import { ImportMoved, ImportUndone } from "#domain/ports/errors.ts";
import type { OtherSubscriber } from "#domain/ports/subscribers.ts";
import type { PersonState } from "#domain/subscriber/person-data.ts";
import {
  type AddState,
  type Decided,
  decideAdd,
  decideAddWithData,
  decideEvent,
  decideReactivate,
  decideRemove,
  decideUnsubscribe,
} from "#domain/subscriber/rules.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { nameKey } from "#domain/text.ts";
import type { Args, Result, TunedCommand } from "../methods.ts";
import type { Lookup, UnitOfWork } from "./unit-of-work.ts";

const nobody: Lookup<never> = { person: null, known: null, blockedAt: null, erased: null };

const find = <Person>(
  work: UnitOfWork<Person>,
  { account, address }: Args<"subscribers.unsubscribe">,
): Lookup<Person> => (address === null ? nobody : work.lookUp(account, address));

/**
 * Looks up everything that a command about a list may need. All of it is in memory already, and one object is
 * cheaper than several.
 */
function findForList<Person>(
  work: UnitOfWork<Person>,
  command: Args<"subscribers.remove">,
): Lookup<Person> & AddState & PersonState {
  const { account, list } = command;
  const { person, known, blockedAt, erased } = find(work, command);
  const { country, subscribers, subscriberLimit } = work.accountState(account);
  const held = person === null ? null : work.membership(person, list);
  return {
    person,
    known,
    blockedAt,
    erased,
    listExists: work.hasList(account, list),
    membership: held?.status ?? null,
    fromImport: held?.fromImport ?? null,
    subscribers,
    subscriberLimit,
    country,
    fieldTypes: work.fieldTypes(account),
  };
}

function carryOut<Person, Outcome extends string>(
  work: UnitOfWork<Person>,
  { account }: Command,
  { person }: Lookup<Person>,
  { outcome, changes }: Decided<Outcome>,
): Outcome {
  work.save(account, person, changes);
  return outcome;
}

type Execute<Args, Result> = <Person>(work: UnitOfWork<Person>, args: Args) => Result;
type ExecuteWrite<K extends TunedCommand> = Execute<Args<K>, Exclude<Result<K>, OtherSubscriber>>;

const addSubscriber: ExecuteWrite<"subscribers.add"> = (work, command) => {
  const found = findForList(work, command);
  return carryOut(work, command, found, decideAdd(command, found));
};

const addSubscriberWithData: ExecuteWrite<"subscribers.addWithData"> = (work, command) => {
  const found = findForList(work, command);
  const stored = found.person === null ? null : work.stored(found.person);
  return carryOut(work, command, found, decideAddWithData(command, found, stored));
};

const removeSubscriber: ExecuteWrite<"subscribers.remove"> = (work, command) => {
  const found = findForList(work, command);
  return carryOut(work, command, found, decideRemove(command, found));
};

const unsubscribe: ExecuteWrite<"subscribers.unsubscribe"> = (work, command) => {
  const found = find(work, command);
  return carryOut(work, command, found, decideUnsubscribe(command, found));
};

const reactivate: ExecuteWrite<"subscribers.reactivate"> = (work, command) => {
  const found = find(work, command);
  return carryOut(work, command, found, decideReactivate(command, found));
};

const recordEvent: ExecuteWrite<"campaigns.recordEvent"> = (work, command) => {
  const { account, campaign, event } = command;
  const found = find(work, command);
  const part = work.partInCampaign(account, found.person, campaign, event);
  return carryOut(work, command, found, decideEvent(command, { ...found, ...part }));
};

/** Rows are decided in order: each sees the changes of the rows before it. */
const importPeople: ExecuteWrite<"imports.add"> = (work, command) => {
  const { account, list, at, batch, people, progress } = command;
  if (progress !== undefined && work.importVersion(account, batch) + 1 !== progress.version)
    throw new ImportMoved(`import ${batch} was continued by another process`);
  if (work.isImportUndone(account, batch))
    throw new ImportUndone(`import ${batch} is being undone, so it adds no more rows`);
  if (list !== null && !work.hasList(account, list)) return null;
  const cause = { at, origin: { kind: "import", batch } } as const;
  const results = people.map((person) => {
    const found = work.lookUpForImport(account, person.address, list);
    const decided = decideImport(person, command, cause, found, work.accountState(account));
    const { changes, ...imported } = decided;
    work.save(account, found.person, changes);
    return imported;
  });
  work.saveImportCounts(account, batch, countRows(command.counts, people, results));
  if (progress !== undefined)
    work.saveImportProgress(account, batch, withCreated(progress, batch, people, results));
  return results;
};

const addField: ExecuteWrite<"fields.add"> = (work, { account, at, field }) => {
  const state = work.fieldState(account, field === null ? "" : nameKey(field.name));
  const { outcome } = decideAddField(field?.name ?? null, state);
  if (outcome === "Done" && field !== null) work.addField(account, field, at);
  return outcome;
};

/**
 * Records what was refused to a caller in the same transaction. Refusals of admin commands are not recorded:
 * the operator sees them.
 */
const kept =
  <Args extends Command, Outcome extends string>(execute: Execute<Args, Outcome>): Execute<Args, Outcome> =>
  (work, command) => {
    const outcome = execute(work, command);
    if (outcome !== "Done") work.keepRefusal(command, outcome);
    return outcome;
  };

/** Changes nothing if the command means a subscriber, and it does not have the address any more. */
const ofSubscriber =
  <Args extends AddressCommand, Outcome>(
    execute: Execute<Args, Outcome>,
  ): Execute<Args & { readonly subscriber?: SubscriberId }, Outcome | OtherSubscriber> =>
  (work, command) => {
    if (command.subscriber === undefined) return execute(work, command);
    const { person } = find(work, command);
    return person !== null && work.idOf(person) === command.subscriber
      ? execute(work, command)
      : "OtherSubscriber";
  };

export const callerCommands = {
  "subscribers.add": ofSubscriber(kept(addSubscriber)),
  "subscribers.addWithData": ofSubscriber(kept(addSubscriberWithData)),
  "subscribers.remove": ofSubscriber(kept(removeSubscriber)),
  "subscribers.unsubscribe": ofSubscriber(kept(unsubscribe)),
  "fields.add": kept(addField),
  "subscribers.reactivate": ofSubscriber(reactivate),
  "campaigns.recordEvent": recordEvent,
  "imports.add": importPeople,
} as const satisfies { readonly [K in TunedCommand]?: Execute<Args<K>, Result<K>> };

export type CallerKind = keyof typeof callerCommands;
