/**
 * Many callers that add, remove and unsubscribe at full speed. Each has its own addresses and makes one call
 * after the other. So for every address the test knows what must be, may be and cannot be stored.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Answer, type Call, Person } from "./call-history.ts";
import { Random } from "./random.ts";
import { SoapConnection } from "./soap-connection.ts";

/** How many addresses a caller uses at a time, and how many calls it makes for each. */
const PEOPLE = 6;
const CALLS_EACH = 15;
/** The pause before a rejected caller retries. */
const AGAIN_MS = 25;

export interface Tally {
  acknowledged: number;
  unanswered: number;
  notTaken: number;
}

export interface Run {
  /** Stops after the calls in flight. Rejects if one of them got an answer that is not allowed. */
  stop(): Promise<void>;
  /** The counts of this run. */
  readonly tally: Readonly<Tally>;
}

export class Callers {
  readonly lists: readonly number[];
  readonly people = new Map<string, Person>();
  readonly tally: Tally = { acknowledged: 0, unanswered: 0, notTaken: 0 };
  readonly #line: SoapConnection;
  readonly #current: Person[][];

  constructor(count: number, lists: readonly number[]) {
    this.lists = lists;
    this.#line = new SoapConnection(count);
    this.#current = Array.from({ length: count }, () => []);
  }

  /** `origins`: the nodes; each call goes to one of them. */
  start(seed: number, origins: readonly string[]): Run {
    const stopping = new AbortController();
    const tally: Tally = { acknowledged: 0, unanswered: 0, notTaken: 0 };
    const work = this.#current.map(async (people, index) => {
      const random = new Random(seed * 1009 + index);
      while (!stopping.signal.aborted) {
        const answer = await this.#callOnce(people, random, origins);
        for (const counts of [tally, this.tally]) count(counts, answer);
        if (typeof answer === "string") await delay(AGAIN_MS);
      }
    });
    const ended = Promise.all(work);
    // Reported by `stop`.
    ended.catch(() => stopping.abort());
    return {
      tally,
      stop: async () => {
        stopping.abort();
        await ended;
      },
    };
  }

  close(): void {
    this.#line.close();
  }

  async #callOnce(people: Person[], random: Random, origins: readonly string[]): Promise<Answer> {
    const slot = random.below(PEOPLE);
    let person = people[slot];
    if (person === undefined || random.below(CALLS_EACH) === 0) {
      person = new Person(`p${this.people.size}@example.org`);
      this.people.set(person.address, person);
      people[slot] = person;
    }
    const call = choose(random, this.lists);
    const answer = await this.#line.call(random.of(origins), call, person.address);
    person.note(call, answer);
    return answer;
  }
}

function choose(random: Random, lists: readonly number[]): Call {
  const list = random.of(lists);
  const dice = random.below(100);
  if (dice < 35) return { kind: "add", list };
  if (dice < 60) return { kind: "add-named", list, name: `n${random.below(1_000_000)}` };
  if (dice < 94) return { kind: "remove", list };
  return { kind: "unsubscribe" };
}

function count(tally: Tally, answer: Answer): void {
  if (answer === "unknown") tally.unanswered += 1;
  else if (answer === "not-taken") tally.notTaken += 1;
  else tally.acknowledged += 1;
}
