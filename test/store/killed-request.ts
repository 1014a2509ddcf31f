/** A process that is killed in the middle of a request with an idempotency key. */
import { fileURLToPath } from "node:url";
import type { List } from "#domain/list.ts";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";

export const LISTS = 200;
export const killedRequest = { owner: 7, key: "killed", fingerprint: Buffer.alloc(32, 1), at: 1 };

/** Side by side, as many as the store takes; `onMade` gets how many are made so far. */
export async function makeLists(
  store: Store,
  account: number,
  onMade: (made: number) => void,
): Promise<readonly List[]> {
  let made = 0;
  const lists: List[] = [];
  for (let start = 0; start < LISTS; start += 20)
    lists.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const list = await store.lists.create({ account, name: `List ${start + n}`, at: 1 });
          made += 1;
          onMade(made);
          return list;
        }),
      )),
    );
  return lists;
}

const [, script, address, account] = process.argv;
if (script === fileURLToPath(import.meta.url) && address !== undefined) {
  const retention = { days: 90, rows: 1000, bytes: 2 ** 28 };
  const store = await (address.startsWith("postgres")
    ? PostgresStore.open(address, retention)
    : SqliteStore.open(address, retention));
  await makeLists(store.idempotent(killedRequest), Number(account), (made) => {
    if (made === LISTS / 2 + 7) process.kill(process.pid, "SIGKILL");
  });
}
