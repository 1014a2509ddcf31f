/** Reads, and pages of listings, on their own connections, so that none waits behind a write. */

import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { StoreLoad } from "#domain/ports/store.ts";
import { type Context, coldOperations, isDeclared, mayWalk } from "../cold/features.ts";
import type { Args, Result, TunedRead } from "../methods.ts";
import { PageLimiter } from "../reads/page-limiter.ts";
import { isContinued } from "../reads/read-queue.ts";
import { ownerOf } from "../writes/command-scheduling.ts";
import { PostgresDb } from "./cold-db.ts";
import { clock, databaseBytes, integrity } from "./health.ts";
import { loadErased } from "./hot/erased.ts";
import { importLoads } from "./hot/load-import.ts";
import { loadAccount, loadBlocks } from "./hot/load-rows.ts";
import { loadBasics } from "./hot/load-stored-values.ts";
import { LookupKeys } from "./hot/lookup-keys.ts";
import { loadPeople } from "./hot/people.ts";
import { PostgresUnitOfWork } from "./hot/unit-of-work.ts";
import { WorkingSet } from "./hot/working-set.ts";
import type { Connection } from "./sessions/connection.ts";
import { READ_MS, ReadPool } from "./sessions/read-pool.ts";

/** The state that an import would find, for a dry run: read like the import does, but without locks. */
async function importStates(db: Connection, { account, list, addresses }: Args<"imports.states">) {
  const set = new WorkingSet();
  const [keys, patterns] = [new LookupKeys<string>(), new LookupKeys<string>()];
  for (const { key, domain } of addresses) {
    keys.add(account, key);
    patterns.add(account, key);
    patterns.add(account, `@${domain}`);
  }
  await loadAccount(db, set, account);
  await loadPeople(db, set, keys);
  await loadBlocks(db, set, patterns);
  await loadErased(db, set, keys.strangersTo(set));
  const expected = keys.parts.map((key) => ({ account, list, key }));
  await loadBasics(db, set, expected);
  for (const load of importLoads(db, set, expected)) await load();
  const work = new PostgresUnitOfWork(set);
  const { subscribers, subscriberLimit } = work.accountState(account);
  const states = addresses.map((address) => work.lookUpForImport(account, address, list));
  return { subscribers, subscriberLimit, states };
}

export const OPERATOR_CONNECTIONS = 3;

/** A recount takes as long as there is data to count. */
const LONG_MS = 600_000;

interface Read {
  readonly run: (db: Connection, args: never, context: Context) => Promise<unknown>;
  readonly takesLong: boolean;
  readonly isSnapshot: boolean;
}
const tuned: { readonly [K in TunedRead]: (db: Connection, args: Args<K>) => Promise<Result<K>> } = {
  "imports.states": importStates,
  "health.databaseBytes": databaseBytes,
  "health.clock": clock,
  "health.integrity": integrity,
};
const reads = new Map<string, Read>();
for (const [kind, run] of Object.entries(tuned))
  reads.set(kind, { run, takesLong: false, isSnapshot: false });
for (const [kind, operation] of coldOperations)
  if (operation.kind === "read") {
    const { run, takesLong = false, isSnapshot = false } = operation;
    reads.set(kind, {
      run: (db, args, context) => run(new PostgresDb(db), args, context),
      takesLong,
      isSnapshot,
    });
  }

/** Reads when it is its turn. `isWalk`: it may visit many more rows than it has. */
type Gate = <T>(args: object, isContinued: boolean, isWalk: boolean, read: () => Promise<T>) => Promise<T>;

export class Reader {
  readonly #pool: ReadPool;
  readonly #gate: Gate;

  private constructor(url: string, connections: number, gate: Gate) {
    this.#pool = new ReadPool(url, connections);
    this.#gate = gate;
  }

  /** For callers: as many pages at a time as there are connections. */
  static forCallers(url: string, connections: number): Reader {
    const limiter = new PageLimiter(connections, READ_MS);
    return new Reader(url, connections, (args, isContinued, _, read) =>
      limiter.run(ownerOf(args), isContinued, read),
    );
  }

  /** For operators: a walk and another page at a time, and a connection for short reads. */
  static forOperators(url: string, areCallsWritten: () => boolean): Reader {
    const gateFor = PageLimiter.forOperators(areCallsWritten);
    // In order: a client that reads page after page does not keep others from their first one.
    return new Reader(url, OPERATOR_CONNECTIONS, (args, _, isWalk, read) =>
      gateFor(isWalk).run(ownerOf(args), false, read),
    );
  }

  async read(kind: string, args: object, context: Context): Promise<unknown> {
    const read = reads.get(kind);
    if (read === undefined) throw new Error(`no read ${kind}`);
    const { run, takesLong, isSnapshot } = read;
    const answer = () => this.#pool.answer(READ_MS, (db) => run(db, args as never, context));
    if (isDeclared(kind, "isStepOfWalk")) return this.#gate(args, true, true, answer);
    if (!takesLong && !isSnapshot) return answer();
    const limitMs = takesLong ? LONG_MS : READ_MS;
    return this.#pool.answer(limitMs, async (db) => {
      const isolation = isSnapshot ? "REPEATABLE READ" : "READ COMMITTED";
      await db.exec(`BEGIN ISOLATION LEVEL ${isolation} READ ONLY; SET LOCAL statement_timeout = ${limitMs}`);
      const result = await run(db, args as never, context);
      await db.exec("COMMIT");
      return result;
    });
  }

  async page(kind: string, args: object, range: PageRange): Promise<Page<unknown>> {
    const operation = coldOperations.get(kind);
    if (operation?.kind !== "listing") throw new Error(`no listing ${kind}`);
    return this.#gate(args, isContinued(range), mayWalk(kind, args), () =>
      this.#pool.answer(READ_MS, (db) => operation.page(new PostgresDb(db), args as never, range)),
    );
  }

  get connections(): StoreLoad["connections"] {
    return this.#pool.connections;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
