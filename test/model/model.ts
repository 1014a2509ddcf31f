/**
 * A second implementation of the rules of an account, in memory and as simple as possible, written from the
 * specification: it shares only the names of outcomes with src/. It knows no ids, tables, groups or timeouts.
 */
import { addressOf, shown } from "./addresses.ts";
import { Blocks } from "./blocks.ts";
import type {
  CallerCommand,
  Correction,
  Data,
  Import,
  Interrupting,
  Outcome,
  Row,
  Seen,
  Standalone,
} from "./command.ts";
import {
  addHistory,
  type Cause,
  clearable,
  correct,
  type Given,
  give,
  type Person,
  type Suppression,
  seenPerson,
  stateOf,
  type Told,
} from "./person.ts";
import { Refusals } from "./refusals.ts";
import { countries, genders, keptValue } from "./values.ts";

type About = Extract<CallerCommand, { email: string }>;
const DAY_MS = 86_400_000;
const isBlank = (text: string | null): text is null => text === null || text.trim() === "";
export class Model {
  #people = new Map<string, Person>();
  #lists: { name: string; createdAt: number; isDeleted: boolean }[] = [];
  #fields: { name: string; type: Parameters<typeof keptValue>[0]; createdAt: number }[] = [];
  #campaigns: {
    createdAt: number;
    sentAt: number | null;
    lists: { list: number; name: string }[];
    lost: { event: string; key: string; joinedAt: number; at: number }[];
  }[] = [];
  #blocks = new Blocks();
  /** Suppressions that remain for erased addresses until the subscriber is created again. */
  #erased = new Map<string, Told>();
  #limits: { subscribers: number | null; fields: number | null } = { subscribers: null, fields: null };
  #refusals = new Refusals();

  copy(): Model {
    const copy = new Model();
    copy.#people = structuredClone(this.#people);
    copy.#lists = structuredClone(this.#lists);
    copy.#fields = structuredClone(this.#fields);
    copy.#campaigns = structuredClone(this.#campaigns);
    copy.#blocks = this.#blocks.copy();
    copy.#erased = structuredClone(this.#erased);
    copy.#limits = structuredClone(this.#limits);
    copy.#refusals = this.#refusals.copy();
    return copy;
  }

  /** Everything there is in the model: equal texts behave alike, whatever comes. */
  state(): string {
    const { refusals, noOps } = this.#refusals.seen();
    const people = [...this.#people].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const all = [people, this.#lists, this.#fields, this.#campaigns, this.#blocks.state(), this.#erased];
    return JSON.stringify([all, this.#limits, refusals, noOps], (_key, value: unknown) =>
      value instanceof Map || value instanceof Set ? [...value] : value,
    );
  }

  /** Callers' commands, with the recording of refusals. */
  call(command: CallerCommand): Outcome {
    const outcome = this.#decide(command);
    const { kind } = command;
    if (outcome !== "Done" && kind !== "reactivate" && kind !== "event" && kind !== "import")
      this.#refusals.keep(command, outcome);
    return outcome;
  }

  /** Before an erasure begins, the refused calls of before are erased. Returns how many. */
  prepare(command: Interrupting): number {
    return command.kind === "erase" ? this.#refusals.forget(command.key) : 0;
  }

  /**
   * The first part of a command. A block is stored at once and applied afterwards; refused calls are erased
   * once more at the end.
   */
  begin(command: Interrupting | Standalone): Outcome {
    switch (command.kind) {
      case "block":
        return this.#blocks.add(command.pattern, command.at);
      case "unblock":
        return this.#blocks.remove(command.pattern);
      case "erase":
        return this.#erase(command.key);
      case "correct":
        return this.#correct(command);
      case "limit":
        this.#limits = command;
        return true;
      case "rename-list": {
        const list = this.#list(command.list);
        if (list === null) return false;
        list.name = command.name;
        for (const { lists } of this.#campaigns.filter(({ sentAt }) => sentAt === null))
          for (const targeted of lists) if (targeted.list === command.list) targeted.name = command.name;
        return true;
      }
      case "create-list":
        this.#lists.push({ name: command.name, createdAt: command.at, isDeleted: false });
        return true;
      case "delete-list":
        return this.#deleteList(command);
      case "record-campaign":
        return this.#recordCampaign(command);
      case "import":
        return this.call(command);
    }
  }

  /** Returns the outcome of the whole command; `prepared` is what `prepare` returned. */
  finish(command: Interrupting, begun: Outcome, prepared: number): Outcome {
    if (command.kind === "erase" && typeof begun === "object")
      return { ...begun, refusedCalls: prepared + this.#refusals.forget(command.key) };
    if (command.kind === "block" || command.kind === "unblock") this.#applyBlock(command);
    return begun;
  }

  #applyBlock(command: Extract<Interrupting, { pattern: string }>): void {
    const { pattern } = command;
    for (const [key, person] of this.#people) {
      if (pattern !== key && pattern !== `@${key.split("@")[1]}`) continue;
      const isBlocked = this.#blocks.since(key) !== null;
      if (isBlocked === (person.suppressions.blocked !== null)) continue;
      person.suppressions.blocked = isBlocked ? command.at : null;
      addHistory(person, command, isBlocked ? "blocked" : "unblocked", { detail: pattern });
    }
  }

  #decide(command: CallerCommand): string {
    if (command.kind === "add-field") return this.#addField(command);
    if (command.kind === "import") return this.#import(command);
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
        addHistory(person, command, "left", { list: command.list });
        return "Done";
      case "unsubscribe":
        if (this.#suppressions(key).unsubscribed !== null) {
          if (person !== null) this.#repeatOptOut(person, command, null);
          return "Done";
        }
        this.#set(person ?? this.#meet(command, key), "unsubscribed", command);
        return "Done";
      case "reactivate": {
        if (this.#suppressions(key)[command.suppression] === null)
          return person === null ? "UnknownSubscriber" : "NotSuppressed";
        const known = person ?? this.#meet(command, key);
        known.suppressions[command.suppression] = null;
        addHistory(known, command, "reactivated", { detail: `no longer ${command.suppression}: asked` });
        return "Done";
      }
      case "event":
        return this.#event(command, key, person);
    }
  }

  #add(
    command: Extract<CallerCommand, { kind: "add" | "add-with-data" }>,
    key: string,
    known: Person | null,
    given: Given,
  ): string {
    if (this.#list(command.list) === null) return "UnknownList";
    const { complained, unsubscribed, bounced, blocked } = this.#suppressions(key);
    if ((blocked ?? this.#blocks.since(key) ?? complained) !== null) return "Blocked";
    if (unsubscribed !== null) return "Unsubscribed";
    if (bounced !== null) return "Bounced";
    if (known === null && this.#isFull()) return "LimitReached";
    const person = known ?? this.#meet(command, key);
    give(person, command, given);
    if (!person.lists.has(command.list)) {
      const status = (command.kind === "add" && command.status) || "active";
      person.lists.set(command.list, { joinedAt: command.at, status });
      const detail = status === "pending" ? "pending until the person confirms" : null;
      addHistory(person, command, "joined", { list: command.list, detail });
    }
    return "Done";
  }

  /** Absent and blank values erase nothing. */
  #read(given: Data, { at }: About): Given | string {
    const said = given.values.filter(({ field, value }) => field !== null || !isBlank(value));
    if (said.some(({ field }) => field === null || this.#fields[field] === undefined)) return "UnknownField";
    const data: { -readonly [Name in keyof Person["data"]]?: string | null } = {};
    if (!isBlank(given.firstName)) data.firstName = given.firstName;
    if (!isBlank(given.lastName)) data.lastName = given.lastName;
    if (!isBlank(given.gender)) data.gender = genders[given.gender] ?? null;
    if (given.birthday !== null) data.birthday = given.birthday;
    if (given.countryNumber !== null) data.country = countries.get(given.countryNumber) ?? null;
    if (data.gender === null || data.country === null) return "InvalidValue";
    if (given.birthday !== null && Date.parse(given.birthday) >= (Math.floor(at / DAY_MS) + 1) * DAY_MS)
      return "InvalidValue";
    const values = new Map<number, string>();
    for (const [field, text] of new Map(said.map(({ field, value }) => [field ?? -1, value]))) {
      const type = this.#fields[field]?.type;
      if (isBlank(text) || type === undefined) continue;
      const value = keptValue(type, text);
      if (value === null) return "InvalidValue";
      values.set(field, value);
    }
    return { data, values };
  }

  /**
   * An opt-out belongs to one campaign, a bounce or a complaint to each campaign in which it happened; each
   * is recorded once.
   */
  #event(command: Extract<CallerCommand, { kind: "event" }>, key: string, known: Person | null): string {
    const { at, event, campaign } = command;
    const record = this.#campaigns[campaign];
    if (record === undefined) return "UnknownCampaign";
    if (known === null && this.#suppressions(key)[event] !== null) return "Done";
    const person = known ?? this.#meet(command, key);
    const wasSo = person.suppressions[event] !== null;
    const stands = record.lost.some((lost) => lost.key === key && lost.event === event);
    const counts = !stands && !(event === "unsubscribed" && wasSo);
    if (event === "unsubscribed" && wasSo) this.#repeatOptOut(person, command, campaign);
    if (!wasSo) this.#set(person, event, command, campaign);
    else if (counts) addHistory(person, command, event, { campaign });
    if (!counts) return "Done";
    const joins = record.lists
      .map(({ list }) => person.lists.get(list))
      .filter((membership) => membership?.status === "active")
      .map((membership) => membership?.joinedAt ?? 0);
    record.lost.push({ event, key, at, joinedAt: joins.length > 0 ? Math.min(...joins) : person.since });
    return "Done";
  }

  /** Changes nothing. It is recorded for ten minutes, in which a link could undo what it did. */
  #repeatOptOut(person: Person, command: CallerCommand, campaign: number | null): void {
    const since = person.suppressions.unsubscribed;
    const isBySomebody = ["key", "operator", "user"].includes(command.origin.kind);
    const newest = person.history.findLast(
      ({ kind, origin }) => kind === "unsubscribed" || (kind === "left" && origin.kind === "link"),
    );
    const isAfterLink = newest?.origin.kind === "link";
    if (since !== null && command.at - since < 10 * 60_000 && isBySomebody && isAfterLink)
      addHistory(person, command, "unsubscribed", { campaign });
  }

  #import(command: Import): string {
    const { list, rows } = command;
    if (list !== null && this.#list(list) === null) return "UnknownList";
    return rows.map((row) => this.#take(row, command)).join(", ");
  }

  /**
   * An import adds what is missing and undoes nothing. For an erased address it stores only a suppression
   * that was not known.
   */
  #take(row: Row, { list, at, origin, overwrite }: Import): string {
    const key = addressOf(row.email)?.key ?? "";
    const known = this.#people.get(key) ?? null;
    const held = this.#suppressions(key);
    const told = clearable.flatMap((suppression) => {
      const since = row.suppressions[suppression];
      return since === undefined ? [] : [{ suppression, since }];
    });
    const news = told.filter(({ suppression }) => held[suppression] === null);
    const wasErased = known === null && (this.#erased.has(key) || this.#blocks.isHidden(key));
    const nothing = (outcome: string): string => `${outcome}, active, 0 updated, 0 kept`;
    if (wasErased && list !== null) return nothing(row.isDuplicate ? "Duplicate" : "Erased");
    if (wasErased && news.length === 0) return nothing("NoOp");
    if (row.isDuplicate && news.length === 0) return nothing("Duplicate");
    const isActive = stateOf(held) === "active" && news.length === 0;
    if (known === null && isActive && this.#isFull()) return nothing("LimitReached");
    const joinedAt = row.joinedAt ?? at;
    const since = Math.min(at, joinedAt, ...told.map((one) => one.since));
    const person = known ?? this.#meet({ email: row.email, at: since }, key);
    for (const one of news) this.#set(person, one.suppression, { at: one.since, origin });
    if (row.isDuplicate) return nothing(known === null ? "Duplicate as a new subscriber" : "Duplicate");
    const values = new Map(row.values.map(({ field, value }) => [field, value]));
    const { updated, kept } = give(
      person,
      { at, origin },
      { data: row.data, values },
      {
        ...{ overwrite, existed: known !== null },
      },
    );
    const state = stateOf({
      ...person.suppressions,
      blocked: person.suppressions.blocked ?? this.#blocks.since(key),
    });
    const as = (outcome: string): string =>
      `${outcome}${known === null ? " as a new subscriber" : ""}, ${state}, ${updated} updated, ${kept} kept`;
    if (list === null) return as(news.length > 0 ? "Recorded" : "NoOp");
    const membership = person.lists.get(list);
    if (membership !== undefined) return as(membership.status === "pending" ? "Pending" : "OnList");
    const left = person.history.filter((one) => one.kind === "left" && one.list === list);
    const lastLeft = Math.max(...left.map((one) => one.at));
    if (left.length > 0 && (row.joinedAt === null || row.joinedAt <= lastLeft)) return as("LeftSince");
    person.lists.set(list, { joinedAt, status: "active" });
    addHistory(person, { at: joinedAt, origin }, "joined", { list });
    return as(state === "active" ? "Joined" : "Suppressed");
  }

  /** Keeps only the suppressions. Everything else stored under the address is removed. */
  #erase(key: string): Outcome {
    const person = this.#people.get(key);
    const { blocked: _blocked, ...told } = this.#suppressions(key);
    const ownBlock = this.#blocks.hide(key);
    this.#erased.delete(key);
    this.#people.delete(key);
    const isTold = Object.values(told).some((since) => since !== null);
    if (isTold) this.#erased.set(key, told);
    let losses = 0;
    for (const campaign of this.#campaigns) {
      const others = campaign.lost.filter((lost) => lost.key !== key);
      losses += campaign.lost.length - others.length;
      campaign.lost = others;
    }
    return {
      wasKnown: person !== undefined,
      values: person?.values.size ?? 0,
      lists: person?.lists.size ?? 0,
      history: person?.history.length ?? 0,
      losses,
      kept: isTold || ownBlock !== null ? { ...told, blocked: ownBlock } : null,
      refusedCalls: 0,
      rewriteAt: null,
    };
  }

  /** Neither the address that somebody leaves nor the one that they get may be suppressed. */
  #correct(command: Correction): string {
    const [from, to] = [addressOf(command.email), command.to === null ? null : addressOf(command.to)];
    const person = from === null ? undefined : this.#people.get(from.key);
    if (from === null || person === undefined) return "UnknownSubscriber";
    if (to !== null && to.key !== from.key) {
      if (this.#people.has(to.key)) return "AddressTaken";
      const blocked = person.suppressions.blocked ?? this.#blocks.since(from.key);
      const own = stateOf({ ...person.suppressions, blocked });
      if (own !== "active") return `Suppressed ${own}`;
      const there = stateOf(this.#suppressions(to.key));
      if (there !== "active") return `AddressSuppressed ${there}`;
      this.#people = new Map([...this.#people].map(([key, one]) => [key === from.key ? to.key : key, one]));
      for (const { lost } of this.#campaigns)
        for (const one of lost) if (one.key === from.key) one.key = to.key;
    }
    correct(person, command, { ...command, address: command.to === null ? null : shown(command.to) });
    return "Done";
  }

  #addField({ name, type, at }: Extract<CallerCommand, { kind: "add-field" }>): string {
    if (name === null) return "InvalidFieldName";
    if (this.#fields.some((field) => field.name.toLowerCase() === name.toLowerCase())) return "FieldExists";
    if (this.#limits.fields !== null && this.#fields.length >= this.#limits.fields) return "LimitReached";
    this.#fields.push({ name, type, createdAt: at });
    return "Done";
  }

  #deleteList(command: Extract<Standalone, { kind: "delete-list" }>): boolean {
    const list = this.#list(command.list);
    if (list === null) return false;
    list.isDeleted = true;
    for (const person of this.#people.values())
      if (person.lists.delete(command.list))
        addHistory(person, command, "left", {
          list: command.list,
          detail: `the list "${list.name}" was deleted`,
        });
    return true;
  }

  #recordCampaign({ lists, at, sentAt }: Extract<Standalone, { kind: "record-campaign" }>): boolean {
    const targeted = [...new Set(lists)].map((list) => ({ list, name: this.#list(list)?.name }));
    if (targeted.some(({ name }) => name === undefined)) return false;
    this.#campaigns.push({
      createdAt: at,
      sentAt,
      lists: targeted
        .map(({ list, name }) => ({ list, name: name ?? "" }))
        .toSorted((a, b) => a.list - b.list),
      lost: [],
    });
    return true;
  }

  /**
   * A subscriber created while a block covers the address is blocked from the start. An erased one gets the
   * kept suppressions.
   */
  #meet({ email, at }: { email: string; at: number }, key: string): Person {
    const suppressions = this.#suppressions(key);
    this.#erased.delete(key);
    const person: Person = {
      address: shown(email),
      since: at,
      suppressions,
      data: { firstName: "", lastName: "", gender: null, birthday: null, country: null },
      imported: new Set(),
      values: new Map(),
      lists: new Map(),
      history: [],
    };
    this.#people.set(key, person);
    const origin = { kind: "operator" };
    if (suppressions.blocked !== null) addHistory(person, { at: suppressions.blocked, origin }, "blocked");
    for (const suppression of clearable) {
      const since = suppressions[suppression];
      const detail = "in force when the subscriber was erased";
      if (since !== null) addHistory(person, { at: since, origin }, suppression, { detail });
    }
    return person;
  }

  #set(person: Person, suppression: Suppression, cause: Cause, campaign: number | null = null): void {
    if (person.suppressions[suppression] !== null) return;
    person.suppressions[suppression] = cause.at;
    addHistory(person, cause, suppression, { campaign });
  }

  #list(index: number) {
    const list = this.#lists[index];
    return list === undefined || list.isDeleted ? null : list;
  }
  /** The suppressions of an address, whether its subscriber exists or not. */
  #suppressions(key: string): Person["suppressions"] {
    const nothing: Told = { complained: null, unsubscribed: null, bounced: null };
    const known = this.#people.get(key)?.suppressions;
    return known ?? { ...(this.#erased.get(key) ?? nothing), blocked: this.#blocks.since(key) };
  }
  #isFull(): boolean {
    const { subscribers } = this.#limits;
    return subscribers !== null && this.#active().length >= subscribers;
  }
  #active(): readonly Person[] {
    return [...this.#people.values()].filter(({ suppressions }) => stateOf(suppressions) === "active");
  }
  #members(list: number): number {
    return this.#active().filter(({ lists }) => lists.get(list)?.status === "active").length;
  }
  /** All members of the list, in order of creation. */
  #listed(list: number) {
    return [...this.#people.values()].flatMap(({ address, suppressions, lists }) => {
      const membership = lists.get(list);
      return membership === undefined ? [] : [{ address, ...membership, suppressions }];
    });
  }
  /** Campaigns that have such a time, the latest first. */
  #campaignsBy(time: (campaign: { createdAt: number; sentAt: number | null }) => number | null): number[] {
    return this.#campaigns
      .flatMap((campaign, index) => {
        const at = time(campaign);
        return at === null ? [] : [{ index, at }];
      })
      .toSorted((one, other) => other.at - one.at || other.index - one.index)
      .map(({ index }) => index);
  }

  seen(): Seen {
    /** As the subscriber is called now, not when the event happened. */
    const current = (key: string) => {
      const { address = "", data: { firstName, lastName } = { firstName: "", lastName: "" } } =
        this.#people.get(key) ?? {};
      return { address, firstName, lastName };
    };
    return {
      people: Object.fromEntries(
        [...this.#people].map(([key, person]) => [key, seenPerson(person)] as const),
      ),
      lists: this.#lists.flatMap(({ isDeleted, ...list }, index) =>
        isDeleted
          ? []
          : [{ ...list, list: index, members: this.#members(index), listed: this.#listed(index) }],
      ),
      fields: this.#fields
        .map((field, index) => ({ ...field, field: index }))
        .toSorted((one, other) => one.createdAt - other.createdAt || one.field - other.field),
      blocks: this.#blocks.seen(),
      newestCampaigns: this.#campaignsBy(({ createdAt }) => createdAt),
      lastSent: this.#campaignsBy(({ sentAt }) => sentAt)[0] ?? null,
      campaigns: this.#campaigns.map(({ lists, lost }) => ({
        lists: lists.map((targeted) => ({ ...targeted, members: this.#members(targeted.list) })),
        ...Object.fromEntries(
          ["bounced", "unsubscribed", "complained"].map((event) => [
            event,
            lost
              .filter((one) => one.event === event)
              .toSorted((one, other) => one.at - other.at)
              .map(({ key, joinedAt, at }) => ({ ...current(key), joinedAt, at })),
          ]),
        ),
      })),
      ...this.#refusals.seen(),
    };
  }
}
