/**
 * Counts the calls of each API key by client program and day, and remembers what a client does that deserves
 * attention, in memory until it is written to the database. Every call is counted, so counting must be next
 * to free. Several processes add to the same rows.
 */
import { OTHER_PROGRAM, programOf } from "#domain/access/client-program.ts";
import type { KeyId } from "#domain/access/key.ts";
import { dayOf } from "#domain/calendar.ts";
import type { Clock } from "#domain/clocks.ts";
import { CommitUnknown } from "#domain/ports/errors.ts";
import type { Statistics } from "#domain/ports/statistics.ts";
import { type DayOfCalls, MAX_PROGRAMS, type Quirk, type QuirkKind } from "#domain/statistics.ts";
import { ownText } from "#domain/text.ts";

/** Of pairs of key and program, while the database cannot be written to. Calls of further pairs are lost. */
export const MAX_PAIRS = 10_000;
/** What one transaction writes. */
const BATCH = 500;
/** User-Agents whose program is known. */
const MAX_NAMES = 500;
const MAX_NAMED_LENGTH = 300;

type Counted = { -readonly [Name in keyof DayOfCalls]: DayOfCalls[Name] };
export type CallResult = "done" | "refused" | "fault";

export class KeyCalls {
  readonly #write: Statistics["addCalls"];
  readonly #clock: Clock;
  readonly #names = new Map<string, string>();
  /** Today's, by key and program. */
  readonly #today = new Map<KeyId, Map<string, Counted>>();
  #day = 0;
  #pairs = 0;
  /** Of earlier days, or not written yet after a failure. */
  #earlier: Counted[] = [];
  readonly #quirks = new Map<KeyId, Map<QuirkKind, Quirk>>();

  constructor(write: Statistics["addCalls"], clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** How many pairs of key and program, and how many User-Agents are in memory. */
  get sizes(): { readonly pairs: number; readonly names: number } {
    return { pairs: this.#pairs, names: this.#names.size };
  }

  count(key: KeyId, userAgent: string | undefined, result: CallResult): void {
    const day = dayOf(this.#clock());
    if (day !== this.#day) this.#beginDay(day);
    const counted = this.#countedOf(key, this.#programOf(userAgent));
    if (counted === null) return;
    counted.calls += 1;
    if (result === "refused") counted.refusals += 1;
    else if (result === "fault") counted.faults += 1;
  }

  /** Of a key that has called. */
  noteQuirk(key: KeyId, quirk: QuirkKind, userAgent: string | undefined): void {
    const ofKey = this.#quirks.get(key) ?? new Map<QuirkKind, Quirk>();
    ofKey.set(quirk, { key, quirk, program: this.#programOf(userAgent), seenAt: this.#clock() });
    this.#quirks.set(key, ofKey);
  }

  /** Writes all to the database; after a failure they are kept for the next time. */
  async flush(): Promise<void> {
    const calls = this.#takeCalls();
    const quirks = [...this.#quirks.values()].flatMap((ofKey) => [...ofKey.values()]);
    this.#quirks.clear();
    for (let at = 0; at < Math.max(calls.length, quirks.length); at += BATCH)
      try {
        await this.#write({
          calls: calls.slice(at, at + BATCH),
          quirks: quirks.slice(at, at + BATCH),
        });
      } catch (error) {
        // They may be written already: to miss some is better than to count them twice.
        const from = error instanceof CommitUnknown ? at + BATCH : at;
        for (const counted of calls.slice(from)) this.#putBack(counted);
        for (const quirk of quirks.slice(at)) this.#putBackQuirk(quirk);
        throw error;
      }
  }

  #takeCalls(): readonly Counted[] {
    this.#beginDay(this.#day);
    const calls = this.#earlier;
    this.#earlier = [];
    this.#pairs = 0;
    return calls;
  }
  #beginDay(day: number): void {
    for (const programs of this.#today.values()) this.#earlier.push(...programs.values());
    this.#today.clear();
    this.#day = day;
  }

  #countedOf(key: KeyId, program: string): Counted | null {
    const programs = this.#today.get(key) ?? new Map<string, Counted>();
    const known = programs.get(program);
    if (known !== undefined) return known;
    if (programs.size >= MAX_PROGRAMS && program !== OTHER_PROGRAM)
      return this.#countedOf(key, OTHER_PROGRAM);
    if (this.#pairs >= MAX_PAIRS) return null;
    this.#pairs += 1;
    const counted = { key, day: this.#day, program, calls: 0, refusals: 0, faults: 0 };
    programs.set(program, counted);
    this.#today.set(key, programs);
    return counted;
  }

  /** With what was counted since, so that an outage does not fill the memory. */
  #putBack(one: Counted): void {
    if (one.day !== this.#day) {
      if (this.#pairs >= MAX_PAIRS) return;
      this.#pairs += 1;
      this.#earlier.push(one);
      return;
    }
    const counted = this.#countedOf(one.key, one.program);
    if (counted === null) return;
    counted.calls += one.calls;
    counted.refusals += one.refusals;
    counted.faults += one.faults;
  }
  #putBackQuirk(quirk: Quirk): void {
    const ofKey = this.#quirks.get(quirk.key) ?? new Map<QuirkKind, Quirk>();
    if (!ofKey.has(quirk.quirk)) ofKey.set(quirk.quirk, quirk);
    this.#quirks.set(quirk.key, ofKey);
  }

  #programOf(userAgent = ""): string {
    const known = this.#names.get(userAgent);
    if (known !== undefined) return known;
    const program = ownText(programOf(userAgent));
    if (userAgent.length > MAX_NAMED_LENGTH) return program;
    if (this.#names.size >= MAX_NAMES) this.#names.clear();
    this.#names.set(ownText(userAgent), program);
    return program;
  }
}
