/**
 * Identical reads share a query (request coalescing). Calls that arrive while such a query runs wait for the
 * next one, which begins when the running one ends, and share its result or error. So no call gets an answer
 * that was begun before the call, and there is at most one query at a time for the same question, however
 * many calls ask it. The results are shared objects: their types are readonly.
 */
import type { Page, PageRange } from "#domain/ports/listing.ts";

interface Running {
  readonly ended: Promise<void>;
  next: Next | null;
}
interface Next {
  readonly result: Promise<unknown>;
  readonly begin: () => void;
}

/**
 * A call does not wait longer for a slow query before its own begins. With the time that a read may take, it
 * stays below the five seconds within which every call is answered.
 */
const LONGEST_WAIT_MS = 500;

/**
 * Besides the listings, the reads that many calls need at once. Other reads are not shared: operators and
 * commands need them, their arguments are long, or the authenticator shares them already.
 */
const shared = new Set(["campaigns.byId", "campaigns.lastSent"]);
export const isShared = (kind: string): boolean => shared.has(kind);

/** `args` are few and short: they are kept, as text, while the read runs. */
export const questionOf = (kind: string, args: object): string => `${kind} ${JSON.stringify(args)}`;

export class SharedReads {
  /** By question. An entry stays as long as its query runs, so there are at most as many as calls. */
  readonly #running = new Map<string, Running>();

  read<Result>(question: string, read: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(question);
    if (running === undefined) return this.#begin(question, read);
    running.next ??= this.#after(running, question, read);
    return running.next.result as Promise<Result>;
  }

  /**
   * A page of a listing. Only a listing of one page is shared: otherwise all callers of a long one would be
   * half-way through it at once, whereas its pages are read in turn.
   */
  async page<Row>(
    kind: string,
    args: object,
    range: PageRange,
    read: () => Promise<Page<Row>>,
  ): Promise<Page<Row>> {
    if (("after" in range ? range.after : range.before) !== null) return read();
    const own: Page<Row>[] = [];
    const page = await this.read(questionOf(kind, { ...args, ...range }), async () => {
      const found = await read();
      own.push(found);
      return found;
    });
    const isWhole = page.previous === null && page.next === null;
    return isWhole || own.includes(page) ? page : read();
  }

  /** Resolves when every query that was asked for has ended. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #begin<Result>(question: string, read: () => Promise<Result>): Promise<Result> {
    const result = read();
    const end = (): void => this.#end(question, running);
    // Before the callers of this query continue, so that their next calls find the next query.
    const running: Running = { ended: result.then(end, end), next: null };
    this.#running.set(question, running);
    return result;
  }

  #after<Result>(running: Running, question: string, read: () => Promise<Result>): Next {
    const { promise: result, resolve } = Promise.withResolvers<Result>();
    const timer = setTimeout(() => this.#end(question, running), LONGEST_WAIT_MS);
    const begin = (): void => {
      clearTimeout(timer);
      resolve(this.#begin(question, read));
    };
    return { result, begin };
  }

  /** The query has ended, or its successor has waited long enough. */
  #end(question: string, running: Running): void {
    if (this.#running.get(question) !== running) return;
    this.#running.delete(question);
    running.next?.begin();
  }
}
