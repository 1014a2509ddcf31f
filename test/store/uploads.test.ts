/** Uploads in every store: parts that are sent again, side by side or too many, and what is left of them. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { backupDatabase, copyDatabase } from "#app/database.ts";
import {
  MAX_PART_BYTES,
  MAX_UPLOADS,
  MAX_UPLOADS_OF_USER,
  UPLOAD_KEPT_MS,
  type Upload,
} from "#domain/import/upload.ts";
import type { Store } from "#domain/ports/store.ts";
import { erase } from "#jobs/in-batches.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { uploadFolder } from "#store/sqlite/file-uploads.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { readUpload, UploadGone } from "#transfer/import/read-upload.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { addressOf, NOW, newAccount } from "./actor.ts";
import { leaseAt } from "./job-steps.ts";
import { query } from "./postgres-account.ts";

const retention = { days: 90, rows: 1000, bytes: 2 ** 28 };
const LIMIT = 20_000_000;
const bounds = { mayMigrate: true, uploads: { bytes: LIMIT, diskReserve: 0 } };
const folder = mkdtempSync(join(tmpdir(), "mailroll-uploads-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "m.db");
const server = await sharedPostgres();
const url = await server.newDatabase();

const bytesOf = (text: string): Buffer => Buffer.from(text);

/** `open` opens the same database every time: each store is a process. */
function uploadsSuite(name: string, open: () => Promise<Store>): void {
  describe(`uploads in ${name}`, () => {
    let store: Store;
    let other: Store;
    before(async () => {
      store = await open();
      other = await open();
    });
    after(async () => {
      await other.close();
      await store.close();
    });

    async function newUpload(account: number, expectedSize: number | null = null): Promise<Upload> {
      const upload = await store.uploads.create({ account, name: "members.csv", expectedSize, at: NOW });
      assert.ok(typeof upload === "object");
      return upload;
    }
    const append = (account: number, id: number, offset: number, text: string | Buffer, by = store) =>
      by.uploads.append({ account, id, offset, bytes: Buffer.from(text), at: NOW });
    async function contents(account: number, id: number, from = 0, by = store): Promise<string> {
      const size = (await by.uploads.byId({ account, id }))?.size ?? 0;
      const chunks: Buffer[] = [];
      for await (const chunk of readUpload(by.uploads, { account, id }, { size, from })) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    }

    test("an upload that was interrupted is continued where it ended, by another process", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      assert.deepEqual(await append(account, id, 0, "one,"), { outcome: "Appended", size: 4 });
      assert.equal((await other.uploads.byId({ account, id }))?.size, 4);
      assert.deepEqual(await append(account, id, 4, "two", other), { outcome: "Appended", size: 7 });
      assert.equal(await contents(account, id), "one,two");
      assert.equal(await contents(account, id, 2, other), "e,two", "from a position within a part");
      assert.equal(await contents(account, id, 7), "");
    });

    test("a part that is sent again is accepted and stored once", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      await append(account, id, 0, "one,");
      await append(account, id, 4, "two");
      assert.deepEqual(await append(account, id, 0, "one,"), { outcome: "Repeated", size: 7 });
      assert.deepEqual(await append(account, id, 4, "two"), { outcome: "Repeated", size: 7 });
      assert.equal(await contents(account, id), "one,two");
      await store.uploads.finish({ account, id, at: NOW });
      assert.equal((await append(account, id, 4, "two")).outcome, "Repeated", "its reply may be lost, too");
    });

    test("a request with a part that is repeated by its idempotency key is answered from the record", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      const request = { owner: 1, key: `part of ${id}`, fingerprint: Buffer.alloc(32), at: NOW };
      for (const by of [store, other]) {
        const sent = await append(account, id, 0, "one", by.idempotent(request));
        assert.deepEqual(sent, { outcome: "Appended", size: 3 });
      }
      assert.equal(await contents(account, id), "one");
    });

    test("a part at another position than the end is refused, and so is another one in place of a part", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      await append(account, id, 0, "one,");
      for (const [offset, text] of [
        [5, "two"],
        [2, "two"],
        [0, "two!"],
        [0, "one"],
      ] as const)
        assert.deepEqual(await append(account, id, offset, text), { outcome: "WrongOffset", size: 4 });
      assert.equal(await contents(account, id), "one,");
    });

    test("of different parts that several processes send at once for one position, one is stored whole", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      const parts = Array.from({ length: 8 }, (_, n) => Buffer.alloc(300_000, `${n}`));
      const outcomes = await Promise.all(
        parts.map((part, n) => append(account, id, 0, part, n % 2 === 0 ? store : other)),
      );
      assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), [
        "Appended",
        ...Array.from({ length: 7 }, () => "WrongOffset"),
      ]);
      const stored = await contents(account, id);
      assert.ok(parts.some((part) => part.toString() === stored));
    });

    test("the uploads of an account are limited together, those of another are not affected", async () => {
      const account = await newAccount(store);
      const one = await newUpload(account);
      const two = await newUpload(account);
      const part = Buffer.alloc(MAX_PART_BYTES, "x");
      const each = [one, two, one, two];
      for (const [n, { id }] of each.entries()) {
        const offset = Math.floor(n / 2) * part.length;
        assert.equal((await append(account, id, offset, part)).outcome, "Appended");
      }
      const full = await append(account, one.id, 2 * part.length, part);
      assert.deepEqual(full, { outcome: "LimitReached", size: 2 * part.length });
      const create = (of: number, expectedSize: number) =>
        store.uploads.create({ account: of, name: "x", expectedSize, at: NOW });
      assert.equal(await create(account, part.length), "LimitReached", "also if the size is announced");
      const another = await newAccount(store);
      assert.equal(typeof (await create(another, LIMIT)), "object");
      await store.uploads.delete({ account, id: two.id });
      assert.equal((await append(account, one.id, 2 * part.length, part)).outcome, "Appended");
    });

    test("an account has a limited number of uploads", async () => {
      const account = await newAccount(store);
      for (let n = 0; n < MAX_UPLOADS; n += 1) await newUpload(account);
      assert.equal(
        await store.uploads.create({ account, name: "x", expectedSize: null, at: NOW }),
        "TooMany",
      );
    });

    test("a user has a limited number of uploads in an account; others and other accounts are not affected", async () => {
      const [account, another] = [await newAccount(store), await newAccount(store)];
      const begin = async (user: number | null, of = account) => {
        const upload = await store.uploads.create({ account: of, name: "x", expectedSize: 1, user, at: NOW });
        return typeof upload === "object" ? upload.id : upload;
      };
      const begun = [];
      for (let n = 0; n < MAX_UPLOADS_OF_USER; n += 1) begun.push(await begin(7));
      assert.equal(await begin(7), "TooManyOfUser");
      for (const id of [await begin(8), await begin(null), await begin(7, another)])
        assert.equal(typeof id, "number");
      await store.uploads.delete({ account, id: Number(begun[0]) });
      assert.equal(typeof (await begin(7)), "number");
    });

    test("an upload has the announced size: no more, and no less when it is finished", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account, 5);
      await append(account, id, 0, "one,");
      assert.equal(await store.uploads.finish({ account, id, at: NOW }), "Incomplete");
      assert.equal((await append(account, id, 4, "two")).outcome, "TooLong");
      await append(account, id, 4, "2");
      const finished = await store.uploads.finish({ account, id, at: NOW + 1 });
      assert.ok(typeof finished === "object");
      assert.equal(finished?.finishedAt, NOW + 1);
      const again = await store.uploads.finish({ account, id, at: NOW + 2 });
      assert.deepEqual(again, { ...finished, usedAt: NOW + 2 });
      assert.equal((await append(account, id, 5, "3")).outcome, "Finished");
    });

    test("an upload that has grown since its checksum was compared is not finished", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      await append(account, id, 0, "abc");
      await append(account, id, 3, "def", other);
      assert.equal(await store.uploads.finish({ account, id, at: NOW, size: 3 }), "Changed");
      assert.equal((await store.uploads.byId({ account, id }))?.finishedAt, null);
      assert.ok(typeof (await store.uploads.finish({ account, id, at: NOW, size: 6 })) === "object");
    });

    test("the upload of another account does not exist", async () => {
      const [account, stranger] = [await newAccount(store), await newAccount(store)];
      const { id } = await newUpload(account);
      await append(account, id, 0, "one");
      const one = { account: stranger, id };
      assert.equal(await store.uploads.byId(one), null);
      assert.deepEqual(await store.uploads.all({ account: stranger }), []);
      assert.equal((await append(stranger, id, 3, "x")).outcome, "NoUpload");
      assert.equal(await store.uploads.part({ ...one, offset: 0 }), null);
      assert.equal(await store.uploads.finish({ ...one, at: NOW }), null);
      assert.equal(await store.uploads.touch({ ...one, at: NOW }), false);
      assert.equal(await store.uploads.delete(one), false);
      assert.equal(await contents(account, id), "one");
    });

    test("reading an upload that is deleted meanwhile fails", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      await append(account, id, 0, "one");
      await append(account, id, 3, "two");
      const reading = readUpload(store.uploads, { account, id }, { size: 6 });
      await reading.next();
      await other.uploads.delete({ account, id });
      await assert.rejects(reading.next(), UploadGone);
    });

    /** What is stored of uploads anywhere. */
    async function leftOvers(text: string): Promise<readonly string[]> {
      return [...partsOnDisk(text), ...(await rowsWith(text))];
    }
    const partsOnDisk = (text: string): readonly string[] =>
      existsSync(uploadFolder(file))
        ? readdirSync(uploadFolder(file), { recursive: true, encoding: "utf8" }).filter((path) => {
            const part = join(uploadFolder(file), path);
            return statSync(part).isFile() && readFileSync(part, "utf8").includes(text);
          })
        : [];
    const rowsWith = async (text: string): Promise<readonly string[]> =>
      (
        await query<{ found: string }>(
          url,
          `SELECT 'row' AS found FROM upload_part WHERE position('${text}'::bytea IN content) > 0`,
        )
      ).map(({ found }) => found);
    /** Runs the periodic job to its end. */
    async function purge(now: number): Promise<void> {
      await store.jobs.ensurePeriodic({ now });
      const leases = await store.jobs.claim({ ...leaseAt(now), now, limit: 100 });
      for (const lease of leases) {
        let outcome = "continues";
        while (outcome === "continues")
          outcome = await store.jobs.step({ ...lease, now, until: now + 30_000 });
      }
    }

    test("nothing is left of an upload that was deleted", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      await append(account, id, 0, "gone-by-delete@example.org");
      assert.equal((await leftOvers("gone-by-delete@")).length, 1);
      await store.uploads.delete({ account, id });
      while (await store.uploads.dropParts());
      assert.deepEqual(await leftOvers("gone-by-delete@"), []);
    });

    test("nothing is left of the uploads of an account that was deleted", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      await append(account, id, 0, "gone-with-account@example.org");
      const deleted = await store.accounts.delete({ account, at: NOW, lease: leaseAt(NOW) });
      assert.ok(deleted);
      let outcome = "continues";
      while (outcome === "continues")
        outcome = await store.jobs.step({ ...deleted.job, now: NOW, until: NOW + 30_000 });
      assert.equal(outcome, "finished");
      assert.deepEqual(await leftOvers("gone-with-account@"), []);
    });

    test("an erasure deletes the uploads of the account, which may contain the person", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      await append(account, id, 0, "gone-by-erasure@example.org");
      const address = addressOf("gone-by-erasure@example.org");
      await erase(store, { account, address, at: NOW });
      assert.equal(await store.uploads.byId({ account, id }), null);
      assert.deepEqual(await leftOvers("gone-by-erasure@"), []);
    });

    test("an erasure that is repeated removes any number of parts, also another one than before", async () => {
      const account = await newAccount(store);
      const { id } = await newUpload(account);
      await append(account, id, 0, "abc");
      const request = { owner: 1, key: `erase ${account}`, fingerprint: Buffer.alloc(32), at: NOW };
      await store.idempotent(request).uploads.dropParts();
      const address = addressOf("ada@example.org");
      await erase(store.idempotent(request), { account, address, at: NOW });
      assert.deepEqual(await store.uploads.all({ account }), []);
    });

    test("an upload that nobody uses for a day is deleted, one that is in use is not", async () => {
      const account = await newAccount(store);
      const [old, used] = [await newUpload(account), await newUpload(account)];
      await append(account, old.id, 0, "gone-by-age@example.org");
      await append(account, used.id, 0, "still-used@example.org");
      const later = NOW + UPLOAD_KEPT_MS + 1;
      await store.uploads.touch({ account, id: used.id, at: NOW + 2 });
      await purge(later);
      assert.equal(await store.uploads.byId({ account, id: old.id }), null);
      assert.deepEqual(await leftOvers("gone-by-age@"), []);
      assert.equal(await contents(account, used.id), "still-used@example.org");
    });
  });
}

uploadsSuite("the SQLite store", () => SqliteStore.open(file, retention, null, bounds));
uploadsSuite("the PostgreSQL store", () => PostgresStore.open(url, retention, null, null, bounds));

describe("the files of uploads", () => {
  test("are readable by their owner only, in folders that only the owner enters", async () => {
    const place = mkdtempSync(join(folder, "modes-"));
    const store = await SqliteStore.open(join(place, "m.db"), retention, null, bounds);
    try {
      const account = await newAccount(store);
      const upload = await store.uploads.create({ account, name: "x", expectedSize: null, at: NOW });
      assert.ok(typeof upload === "object");
      await store.uploads.append({ account, id: upload.id, offset: 0, bytes: bytesOf("x"), at: NOW });
      const top = uploadFolder(join(place, "m.db"));
      const paths = [
        top,
        ...readdirSync(top, { recursive: true, encoding: "utf8" }).map((one) => join(top, one)),
      ];
      assert.deepEqual(
        paths.map((path) => (statSync(path).mode & 0o777).toString(8)),
        ["700", "700", "600"],
      );
    } finally {
      await store.close();
    }
  });

  test("and their names are in no backup and no copy", async () => {
    const place = mkdtempSync(join(folder, "backup-"));
    const at = (name: string) => ({ kind: "sqlite", file: join(place, name) }) as const;
    const store = await SqliteStore.open(at("m.db").file, retention, null, bounds);
    try {
      const account = await newAccount(store);
      const upload = await store.uploads.create({ account, name: "of-ada.csv", expectedSize: null, at: NOW });
      assert.ok(typeof upload === "object");
      await store.uploads.append({ account, id: upload.id, offset: 0, bytes: bytesOf("x"), at: NOW });
    } finally {
      await store.close();
    }
    const options = { onProgress: () => {}, signal: new AbortController().signal };
    await backupDatabase(at("m.db"), at("backup").file, { ...options, mayReplace: false });
    await copyDatabase(at("m.db"), at("copy.db"), { ...options, onInUse: () => {} });
    assert.ok(readFileSync(at("m.db").file).includes("of-ada.csv"));
    for (const name of ["backup", "copy.db"])
      assert.ok(!readFileSync(at(name).file).includes("of-ada.csv"), name);
  });

  test("leave the space free on the disk that must be", async () => {
    const place = mkdtempSync(join(folder, "full-"));
    const full = { mayMigrate: true, uploads: { bytes: LIMIT, diskReserve: Number.MAX_SAFE_INTEGER } };
    const store = await SqliteStore.open(join(place, "m.db"), retention, null, full);
    try {
      const account = await newAccount(store);
      const upload = await store.uploads.create({ account, name: "x", expectedSize: null, at: NOW });
      assert.ok(typeof upload === "object");
      const part = { account, id: upload.id, offset: 0, bytes: bytesOf("x"), at: NOW };
      assert.deepEqual(await store.uploads.append(part), { outcome: "DiskFull", size: 0 });
    } finally {
      await store.close();
    }
  });
});
