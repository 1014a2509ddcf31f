/**
 * The rules of an account once more, in memory and as plainly as they can be put, written from the papers and not from the
 * code: shares nothing with src/ but the names of outcomes. What it does not know: ids, tables, groups, time-outs.
 */
import { addressOf, shown } from "./addresses.ts";
import type { CallerCommand, Command, Data, Interrupting, Lone, Outcome, Seen } from "./command.ts";
import { countries, genders, keptValue } from "./values.ts";

type Fact = "blocked" | "complained" | "unsubscribed" | "bounced";
type About = Extract<CallerCommand, { email: string }>;
interface Happening {
  at: number;
  kind: string;
  origin: unknown;
  campaign: number | null;
  list: number | null;
  detail: string | null;
}
interface Person {
  address: string;
  since: number;
  facts: Record<Fact, number | null>;
  data: Record<"firstName" | "lastName", string> & Record<"gender" | "birthday" | "country", string | null>;
  values: Map<number, { value: string; at: number; key: number | null }>;
  lists: Map<number, number>;
  history: Happening[];
}
interface Refused {
  operation: string;
  args: string;
  outcome: string;
  key: number | null;
  count: number;
  firstAt: number;
  lastAt: number;
}
const DAY_MS = 86_400_000;
const keyOf = (origin: CallerCommand["origin"]): number | null => (origin.kind === "key" ? origin.key : null);
const isBlank = (text: string | null): text is null => text === null || text.trim() === "";
/** What a refused call is remembered by; the driver asks with the same words. */
export const wordsOf = ({ at: _at, origin: _origin, ...words }: CallerCommand): string =>
  JSON.stringify(words);

export class Model {
  #people = new Map<string, Person>();
  #lists: { name: string; createdAt: number; isDeleted: boolean }[] = [];
  #fields: { name: string; type: Parameters<typeof keptValue>[0]; createdAt: number }[] = [];
  #campaigns: {
    lists: { list: number; name: string }[];
    lost: { event: string; key: string; joinedAt: number; at: number }[];
  }[] = [];
  #blocks = new Map<string, number>();
  #limits: { subscribers: number | null; fields: number | null } = { subscribers: null, fields: null };
  #refused = new Map<string, Refused>();
  #alreadySo = new Map<string, number>();

  copy(): Model {
    const copy = new Model();
    copy.#people = structuredClone(this.#people);
    copy.#lists = structuredClone(this.#lists);
    copy.#fields = structuredClone(this.#fields);
    copy.#campaigns = structuredClone(this.#campaigns);
    copy.#blocks = structuredClone(this.#blocks);
    copy.#limits = structuredClone(this.#limits);
    copy.#refused = structuredClone(this.#refused);
    copy.#alreadySo = structuredClone(this.#alreadySo);
    return copy;
  }

  /** Those of the caller, with what is kept of a refusal. */
  call(command: CallerCommand): Outcome {
    const outcome = this.#decide(command);
    if (outcome !== "Done" && command.kind !== "reactivate" && command.kind !== "event")
      this.#keepRefusal(command, outcome);
    return outcome;
  }

  /** The part of a command that comes first; a block is put up at once and settled afterwards. */
  begin(command: Interrupting | Lone): Outcome {
    switch (command.kind) {
      case "block": {
        const isNew = !this.#blocks.has(command.pattern);
        if (isNew) this.#blocks.set(command.pattern, command.at);
        return isNew;
      }
      case "unblock":
        return this.#blocks.delete(command.pattern);
      case "limit":
        this.#limits = command;
        return true;
      case "rename-list": {
        const list = this.#list(command.list);
        if (list !== null) list.name = command.name;
        return list !== null;
      }
      case "create-list":
        this.#lists.push({ name: command.name, createdAt: command.at, isDeleted: false });
        return true;
      case "delete-list":
        return this.#deleteList(command);
      case "record-campaign":
        return this.#recordCampaign(command.lists);
    }
  }

  finish(command: Command): void {
    if (command.kind !== "block" && command.kind !== "unblock") return;
    const { pattern } = command;
    for (const [key, person] of this.#people) {
      if (pattern !== key && pattern !== `@${key.split("@")[1]}`) continue;
      const isBlocked = this.#blockedSince(key) !== null;
      if (isBlocked === (person.facts.blocked !== null)) continue;
      person.facts.blocked = isBlocked ? command.at : null;
      this.#tell(person, command, isBlocked ? "blocked" : "unblocked", { detail: pattern });
    }
  }

  #decide(command: CallerCommand): string {
    if (command.kind === "add-field") return this.#addField(command);
    const address = addressOf(command.email);
    if (address === null) return "InvalidEmail";
    const { key } = address;
    const person = this.#people.get(key) ?? null;
    switch (command.kind) {
      case "add":
        return this.#add(command, key, person, {});
      case "add-with-data": {
        if (this.#list(command.list) === null) return "UnknownList";
        const given = this.#read(command.data, command);
        return typeof given === "string" ? given : this.#add(command, key, person, given);
      }
      case "remove":
        if (this.#list(command.list) === null) return "UnknownList";
        if (person?.lists.delete(command.list) !== true) return "NotOnList";
        this.#tell(person, command, "left", { list: command.list });
        return "Done";
      case "unsubscribe": {
        const known = person ?? this.#meet(command, key);
        this.#set(known, "unsubscribed", command);
        return "Done";
      }
      case "reactivate":
        if (person === null) return "UnknownSubscriber";
        if (person.facts[command.fact] === null) return "FactDoesNotHold";
        person.facts[command.fact] = null;
        this.#tell(person, command, "reactivated", { detail: `no longer ${command.fact}: asked` });
        return "Done";
      case "event":
        return this.#event(command, key, person);
    }
  }

  #add(
    command: Extract<CallerCommand, { kind: "add" | "add-with-data" }>,
    key: string,
    known: Person | null,
    given: Partial<Pick<Person, "data" | "values">>,
  ): string {
    if (this.#list(command.list) === null) return "UnknownList";
    const { complained, unsubscribed, bounced, blocked } = known?.facts ?? {};
    if ((blocked ?? this.#blockedSince(key) ?? complained ?? null) !== null) return "Blocked";
    if ((unsubscribed ?? null) !== null) return "Unsubscribed";
    if ((bounced ?? null) !== null) return "Bounced";
    const { subscribers } = this.#limits;
    if (known === null && subscribers !== null && this.#active().length >= subscribers) return "LimitReached";
    const person = known ?? this.#meet(command, key);
    Object.assign(person.data, given.data);
    for (const [field, value] of given.values ?? []) person.values.set(field, value);
    if (!person.lists.has(command.list)) {
      person.lists.set(command.list, command.at);
      this.#tell(person, command, "joined", { list: command.list });
    }
    return "Done";
  }

  /** What is absent or blank erases nothing. */
  #read(given: Data, { at, origin }: About): Partial<Pick<Person, "data" | "values">> | string {
    const said = given.values.filter(({ field, value }) => field !== null || !isBlank(value));
    if (said.some(({ field }) => field === null || this.#fields[field] === undefined)) return "UnknownField";
    const data: Partial<Person["data"]> = {};
    if (!isBlank(given.firstName)) data.firstName = given.firstName;
    if (!isBlank(given.lastName)) data.lastName = given.lastName;
    if (!isBlank(given.gender)) data.gender = genders[given.gender] ?? null;
    if (given.birthday !== null) data.birthday = given.birthday;
    if (given.countryNumber !== null) data.country = countries.get(given.countryNumber) ?? null;
    if (data.gender === null || data.country === null) return "InvalidValue";
    if (given.birthday !== null && Date.parse(given.birthday) >= (Math.floor(at / DAY_MS) + 1) * DAY_MS)
      return "InvalidValue";
    const values: Person["values"] = new Map();
    for (const [field, text] of new Map(said.map(({ field, value }) => [field ?? -1, value]))) {
      const type = this.#fields[field]?.type;
      if (isBlank(text) || type === undefined) continue;
      const value = keptValue(type, text);
      if (value === null) return "InvalidValue";
      values.set(field, { value, at, key: keyOf(origin) });
    }
    return { data: data as Person["data"], values };
  }

  /** An opt-out belongs to one campaign, a bounce or a complaint to each in which it happened; in each it stands once. */
  #event(command: Extract<CallerCommand, { kind: "event" }>, key: string, known: Person | null): string {
    const { at, event, campaign } = command;
    const record = this.#campaigns[campaign];
    if (record === undefined) return "UnknownCampaign";
    const person = known ?? this.#meet(command, key);
    const fact = { "hard-bounce": "bounced", complaint: "complained", unsubscribe: "unsubscribed" } as const;
    const wasSo = person.facts[fact[event]] !== null;
    const stands = record.lost.some((lost) => lost.key === key && lost.event === event);
    const counts = !stands && !(event === "unsubscribe" && wasSo);
    if (!wasSo) this.#set(person, fact[event], command, campaign);
    else if (counts) this.#tell(person, command, fact[event], { campaign });
    if (!counts) return "Done";
    const joins = record.lists.flatMap(({ list }) => person.lists.get(list) ?? []);
    record.lost.push({ event, key, at, joinedAt: joins.length > 0 ? Math.min(...joins) : person.since });
    return "Done";
  }

  #addField({ name, type, at }: Extract<CallerCommand, { kind: "add-field" }>): string {
    if (name === null) return "InvalidFieldName";
    if (this.#fields.some((field) => field.name.toLowerCase() === name.toLowerCase())) return "FieldExists";
    if (this.#limits.fields !== null && this.#fields.length >= this.#limits.fields) return "LimitReached";
    this.#fields.push({ name, type, createdAt: at });
    return "Done";
  }

  #deleteList(command: Extract<Lone, { kind: "delete-list" }>): boolean {
    const list = this.#list(command.list);
    if (list === null) return false;
    list.isDeleted = true;
    for (const person of this.#people.values())
      if (person.lists.delete(command.list))
        this.#tell(person, command, "left", {
          list: command.list,
          detail: `the list "${list.name}" was deleted`,
        });
    return true;
  }

  #recordCampaign(lists: readonly number[]): boolean {
    const targeted = [...new Set(lists)].map((list) => ({ list, name: this.#list(list)?.name }));
    if (targeted.some(({ name }) => name === undefined)) return false;
    this.#campaigns.push({
      lists: targeted
        .map(({ list, name }) => ({ list, name: name ?? "" }))
        .toSorted((a, b) => a.list - b.list),
      lost: [],
    });
    return true;
  }

  /** Whoever becomes known while a block holds is blocked from the start. */
  #meet({ email, at }: About, key: string): Person {
    const blocked = this.#blockedSince(key);
    const person: Person = {
      address: shown(email),
      since: at,
      facts: { blocked, complained: null, unsubscribed: null, bounced: null },
      data: { firstName: "", lastName: "", gender: null, birthday: null, country: null },
      values: new Map(),
      lists: new Map(),
      history: [],
    };
    this.#people.set(key, person);
    if (blocked !== null) this.#tell(person, { at: blocked, origin: { kind: "operator" } }, "blocked");
    return person;
  }

  #set(person: Person, fact: Fact, cause: About, campaign: number | null = null): void {
    if (person.facts[fact] !== null) return;
    person.facts[fact] = cause.at;
    this.#tell(person, cause, fact, { campaign });
  }

  #tell(
    person: Person,
    { at, origin }: { at: number; origin: unknown },
    kind: string,
    more: Partial<Happening> = {},
  ): void {
    person.history.push({ at, kind, origin, campaign: null, list: null, detail: null, ...more });
  }

  #keepRefusal(command: CallerCommand, outcome: string): void {
    const operation = command.kind;
    if (outcome === "NotOnList" || outcome === "FieldExists") {
      const what = `${operation} ${outcome}`;
      this.#alreadySo.set(what, (this.#alreadySo.get(what) ?? 0) + 1);
      return;
    }
    const args = wordsOf(command);
    const { at } = command;
    const before = this.#refused.get(args + outcome);
    this.#refused.set(args + outcome, {
      operation,
      args,
      outcome,
      key: keyOf(command.origin),
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? at,
      lastAt: Math.max(before?.lastAt ?? at, at),
    });
  }

  #list(index: number) {
    const list = this.#lists[index];
    return list === undefined || list.isDeleted ? null : list;
  }
  /** The earlier of the two blocks that may cover an address. */
  #blockedSince(key: string): number | null {
    const since = [key, `@${key.split("@")[1]}`].flatMap((pattern) => this.#blocks.get(pattern) ?? []);
    return since.length === 0 ? null : Math.min(...since);
  }
  #active(): readonly Person[] {
    return [...this.#people.values()].filter(({ facts }) => stateOf(facts) === "active");
  }
  #members(list: number): number {
    return this.#active().filter(({ lists }) => lists.has(list)).length;
  }

  seen(): Seen {
    const name = (key: string): string => this.#people.get(key)?.address ?? "";
    return {
      people: Object.fromEntries(
        [...this.#people].map(([key, person]) => [key, seenPerson(person)] as const),
      ),
      lists: this.#lists.flatMap(({ isDeleted, ...list }, index) =>
        isDeleted ? [] : [{ ...list, list: index, members: this.#members(index) }],
      ),
      fields: this.#fields
        .map((field, index) => ({ ...field, field: index }))
        .toSorted((one, other) => one.createdAt - other.createdAt || one.field - other.field),
      blocks: [...this.#blocks]
        .map(([pattern, createdAt]) => ({ pattern, createdAt }))
        .toSorted((one, other) => (one.pattern < other.pattern ? -1 : 1)),
      campaigns: this.#campaigns.map(({ lists, lost }) => ({
        lists: lists.map((targeted) => ({ ...targeted, members: this.#members(targeted.list) })),
        ...Object.fromEntries(
          ["hard-bounce", "unsubscribe", "complaint"].map((event) => [
            event,
            lost
              .filter((one) => one.event === event)
              .toSorted((one, other) => one.at - other.at)
              .map(({ key, joinedAt, at }) => ({ address: name(key), joinedAt, at })),
          ]),
        ),
      })),
      refusals: [...this.#refused.values()].toSorted(byWords),
      alreadySo: Object.fromEntries(this.#alreadySo),
    };
  }
}

/** In no order that means anything. */
export const byWords = (
  one: { readonly args: string; readonly outcome: string },
  other: { readonly args: string; readonly outcome: string },
): number => (one.args + one.outcome < other.args + other.outcome ? -1 : 1);

const order = ["blocked", "complained", "unsubscribed", "bounced"] as const;
const stateOf = (facts: Person["facts"]): Fact | "active" =>
  order.find((fact) => facts[fact] !== null) ?? "active";

const seenPerson = ({ address, since, facts, data, values, lists, history }: Person) => ({
  address,
  since,
  state: stateOf(facts),
  facts,
  data,
  values: Object.fromEntries(values),
  lists: Object.fromEntries(
    [...lists].map(([list, joinedAt]) => [list, { joinedAt, counts: stateOf(facts) === "active" }]),
  ),
  history: history.toSorted((one, other) => one.at - other.at),
});
