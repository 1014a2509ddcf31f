/**
 * Uploads and their parts. The bytes of a part are in its row, or in a file that a store has written before.
 * Commands do not lock the account: a part takes a while to write, and calls must not wait for it.
 */
import type { AccountId } from "#domain/account.ts";
import { decideAppend, decideCreate, UPLOAD_KEPT_MS, type Upload } from "#domain/import/upload.ts";
import type { OneUpload, Uploads } from "#domain/ports/uploads.ts";
import type { StoredAppend, StoredRow } from "../uploads.ts";
import { purgeProgress } from "./imports.ts";
import type { Db } from "./kit/db.ts";
import { command, feature, read } from "./kit/feature.ts";
import { bytes, change, column, integer, nullable, selectList, statement, text } from "./kit/statement.ts";

const upload = {
  id: integer,
  name: text,
  size: integer,
  expectedSize: nullable(integer),
  parts: integer,
  createdAt: integer,
  usedAt: integer,
  finishedAt: nullable(integer),
  rejectedBy: column("import_id", nullable(integer)),
  user: column("user_id", nullable(integer)),
};
const UPLOAD = selectList(upload);

const all = statement(upload, `SELECT ${UPLOAD} FROM upload WHERE account_id = $1 ORDER BY id DESC`);
const byId = statement(upload, `SELECT ${UPLOAD} FROM upload WHERE account_id = $1 AND id = $2`);
/** In order of id, so that two nodes do not wait for each other. */
const locked = statement(
  upload,
  ({ lockRows }) => `SELECT ${UPLOAD} FROM upload AS u WHERE account_id = $1 ORDER BY id ${lockRows("u")}`,
);
const lockAccount = statement(
  { id: integer },
  ({ lockRows }) => `SELECT id FROM account AS a WHERE id = $1 ${lockRows("a")}`,
);
const insert = statement(
  upload,
  `INSERT INTO upload (account_id, name, expected_size, created_at, used_at, import_id, user_id)
   VALUES ($1, $2, $3, $4, $4, $5, $6)
   RETURNING ${UPLOAD}`,
);
const grow = change(
  "UPDATE upload SET size = $3, parts = parts + 1, used_at = $4 WHERE account_id = $1 AND id = $2",
);
const touch = change("UPDATE upload SET used_at = $3 WHERE account_id = $1 AND id = $2");
const finish = statement(
  upload,
  `UPDATE upload SET finished_at = COALESCE(finished_at, $3), used_at = $3
   WHERE account_id = $1 AND id = $2 AND size = $4
   RETURNING ${UPLOAD}`,
);
const remove = change("DELETE FROM upload WHERE account_id = $1 AND id = $2");
const ids = statement({ id: integer }, "SELECT id FROM upload ORDER BY id");

const insertPart = change(
  `INSERT INTO upload_part (account_id, upload_id, start, length, sha256, file, content)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const partAt = statement(
  { sha256: bytes },
  "SELECT sha256 FROM upload_part WHERE account_id = $1 AND upload_id = $2 AND start = $3",
);
const partWith = statement(
  { start: integer, length: integer, file: nullable(text), content: nullable(bytes) },
  `SELECT start, length, file, content
   FROM upload_part
   WHERE account_id = $1 AND upload_id = $2 AND start <= $3
   ORDER BY start DESC
   LIMIT 1`,
);

/** Of at most 4 MiB each. */
const PARTS = 4;
const orphans = statement(
  { account: integer, upload: integer, start: integer },
  `SELECT p.account_id AS account, p.upload_id AS upload, p.start
   FROM upload_part AS p
   LEFT JOIN upload AS u ON u.account_id = p.account_id AND u.id = p.upload_id
   WHERE u.id IS NULL
   ORDER BY p.account_id, p.upload_id, p.start
   LIMIT $1`,
);
const removePart = change("DELETE FROM upload_part WHERE account_id = $1 AND upload_id = $2 AND start = $3");
/** Of all accounts; false: there were none. */
export async function dropParts(db: Db): Promise<boolean> {
  const found = await db.all(orphans, PARTS);
  await Promise.all(found.map((part) => db.run(removePart, part.account, part.upload, part.start)));
  return found.length > 0;
}

/** Uploads that were not used for long, or whose import was cancelled. */
const removeOld = change(
  `DELETE FROM upload
   WHERE used_at < $1
     OR (
       EXISTS (SELECT 1 FROM job AS j WHERE j.name = 'import ' || upload.id AND j.ending = 'cancelled')
       AND NOT EXISTS (SELECT 1 FROM job AS j WHERE j.name = 'import ' || upload.id AND j.ended_at IS NULL)
     )`,
);
/** A step of the job that removes what is not used any more; false: nothing is left. */
export async function purgeUploads(db: Db, now: number): Promise<boolean> {
  await db.run(removeOld, now - UPLOAD_KEPT_MS);
  await purgeProgress(db, now);
  return dropParts(db);
}

const removeAll = change("DELETE FROM upload WHERE account_id = $1");
/** Their parts follow. */
export const deleteUploads = (db: Db, account: AccountId): Promise<number> => db.run(removeAll, account);

/** An upload may contain any person. While it is being imported it stays, and is deleted afterwards. */
const removeIdle = change(
  `DELETE FROM upload
   WHERE account_id = $1
     AND NOT EXISTS (SELECT 1 FROM job AS j WHERE j.name = 'import ' || upload.id AND j.ended_at IS NULL)`,
);
export const deleteIdleUploads = (db: Db, account: AccountId): Promise<number> => db.run(removeIdle, account);

const find = (db: Db, { account, id }: OneUpload): Promise<Upload | null> => db.get(byId, account, id);
const UNLOCKED = { locksAccount: false } as const;

export const uploads = feature<Uploads>({
  all: read((db, { account }) => db.all(all, account)),
  byId: read(find),
  create: command(async (db, { account, name, expectedSize, at, limit = Infinity, ...given }) => {
    const { rejectedBy = null, user = null } = given;
    // Two new uploads have no row in common that could be locked.
    await db.one(lockAccount, account);
    const decided = decideCreate(await db.all(all, account), { user, expectedSize }, limit);
    if (decided !== "Created") return decided;
    return db.one(insert, account, name, expectedSize, at, rejectedBy, user);
  }, UNLOCKED),
  append: command(async (db, given) => {
    const { account, id, offset, at, limit, length, sha256, file, content } =
      given as unknown as StoredAppend;
    const found = await db.all(locked, account);
    const before = found.find((one) => one.id === id);
    const stored = await db.get(partAt, account, id, offset);
    const isSame = stored !== null && Buffer.from(stored.sha256).equals(sha256);
    const outcome = decideAppend(id, found, { offset, length }, { limit, isSame });
    if (outcome === "Repeated") await db.run(touch, account, id, at);
    if (outcome !== "Appended") return { outcome, size: before?.size ?? 0 };
    await db.run(insertPart, account, id, offset, length, sha256, file, content);
    await db.run(grow, account, id, offset + length, at);
    return { outcome, size: offset + length };
  }, UNLOCKED),
  finish: command(async (db, { account, id, at, size: checked }) => {
    const found = await find(db, { account, id });
    if (found === null) return null;
    const { size, expectedSize } = found;
    if (expectedSize !== null && size < expectedSize) return "Incomplete";
    return (await db.get(finish, account, id, at, checked ?? size)) ?? "Changed";
  }, UNLOCKED),
  touch: command(async (db, { account, id, at }) => (await db.run(touch, account, id, at)) > 0, UNLOCKED),
  part: read(async (db, { account, id, offset }): Promise<StoredRow | null> => {
    if ((await find(db, { account, id })) === null) return null;
    const found = await db.get(partWith, account, id, offset);
    if (found === null || offset >= found.start + found.length) return null;
    return { start: found.start, file: found.file, bytes: found.content ?? new Uint8Array() };
  }),
  delete: command(async (db, { account, id }) => (await db.run(remove, account, id)) > 0, UNLOCKED),
  dropParts: command((db) => dropParts(db)),
  ids: read(async (db) => (await db.all(ids)).map(({ id }) => id)),
});
