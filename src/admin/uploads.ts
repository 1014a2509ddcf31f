/**
 * Uploads: files that are sent in parts, to be imported. They are temporary: what an import makes of them is
 * in the audit log, not they.
 */
import { createHash } from "node:crypto";
import { disarmCsv } from "#csv/write-csv.ts";
import { userOf } from "#domain/access/origin.ts";
import {
  type AppendOutcome,
  isRejectedRows,
  MAX_PART_BYTES,
  MAX_PARTS,
  MAX_UPLOADS,
  MAX_UPLOADS_OF_USER,
  type Upload,
  type UploadRefusal,
} from "#domain/import/upload.ts";
import type { OneUpload } from "#domain/ports/uploads.ts";
import { readUpload, UploadGone } from "#transfer/import/read-upload.ts";
import { findUploadJob } from "./imports/imports.ts";
import { action, type InAccount, type Performing, query } from "./kit/action.ts";
import { existing, InvalidInput, NotFound, NotPossible } from "./kit/errors.ts";
import { requireName } from "./kit/inputs.ts";

const HOW_TO_DELETE =
  "delete one that is not needed (in the console: “Import”, then the file, then “Delete this file”; over the API: DELETE …/uploads/{upload}), or import it: it is deleted then";
const MIB = 1024 ** 2;
const TOO_LARGE =
  "the uploads of this account together would exceed the limit (the setting MAILROLL_UPLOAD_LIMIT); delete uploads that are not needed";

const noRoom: Readonly<Record<UploadRefusal, string>> = {
  LimitReached: TOO_LARGE,
  TooMany: `this account already has ${MAX_UPLOADS} uploads, which is the maximum; delete one that is not needed`,
  TooManyOfUser: `you already have ${MAX_UPLOADS_OF_USER} uploads in this account, which is the maximum; ${HOW_TO_DELETE}`,
};
const isByteCount = (given: number): boolean => Number.isSafeInteger(given) && given >= 0;
const NO_BYTE_COUNT = "must be a whole number of bytes, 0 or more";

interface CreateUpload extends InAccount {
  /** The name of the file. */
  readonly name: string;
  /** In bytes, if it is known. */
  readonly size: number | null;
}
export const createUpload = action(
  "upload.create",
  "editor",
  "nothing",
  async ({ store, clock, actor }, { account, name, size }: CreateUpload): Promise<Upload> => {
    if (size !== null && !isByteCount(size)) throw new InvalidInput("size", NO_BYTE_COUNT);
    const user = userOf(actor.origin);
    const asked = { account, name: requireName(name), expectedSize: size, at: clock(), user };
    const created = await store.uploads.create(asked);
    if (typeof created === "string") throw new NotPossible(noRoom[created]);
    return created;
  },
);

const uploadOf = async ({ store }: Performing, one: OneUpload): Promise<Upload> =>
  existing("upload", one.id, await store.uploads.byId(one));

/** The newest first. */
export const listUploads = query("upload.list", "editor", ({ store }, { account }: InAccount) =>
  store.uploads.all({ account }),
);

export const findUpload = query("upload.show", "editor", uploadOf);

interface AppendPart extends OneUpload {
  /** Where the part begins: where the parts so far end. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}
/** Resolves when the part is durable. The same part may be sent again. */
export const appendPart = action(
  "upload.append",
  "editor",
  "nothing",
  async ({ store, clock }, part: AppendPart): Promise<{ readonly size: number }> => {
    const { length } = part.bytes;
    if (length === 0 || length > MAX_PART_BYTES)
      throw new InvalidInput(
        "bytes",
        `must have 1 byte to ${MAX_PART_BYTES / MIB} MiB; this part has ${length} bytes`,
      );
    if (!isByteCount(part.offset)) throw new InvalidInput("offset", NO_BYTE_COUNT);
    const { outcome, size } = await store.uploads.append({ ...part, at: clock() });
    if (outcome !== "Appended" && outcome !== "Repeated") throw refusal(outcome, part.id, size);
    return { size };
  },
);

function refusal(outcome: Exclude<AppendOutcome, "Appended" | "Repeated">, id: number, size: number): Error {
  switch (outcome) {
    case "NoUpload":
      return new NotFound("upload", id);
    case "Finished":
      return new NotPossible(`upload ${id} is finished, with ${size} bytes; it cannot be changed any more`);
    case "WrongOffset":
      return new InvalidInput(
        "offset",
        `must be ${size}, the end of the parts that have arrived; at an earlier offset, only an identical part may be sent again`,
      );
    case "TooLong":
      return new InvalidInput(
        "bytes",
        "are too many: the upload would be larger than the size that was announced",
      );
    case "TooManyParts":
      return new NotPossible(`an upload has at most ${MAX_PARTS} parts; send larger ones`);
    case "LimitReached":
      return new NotPossible(TOO_LARGE);
    case "DiskFull":
      return new NotPossible(
        "the disk of the server has too little free space for this part; free some space, then send the part again",
      );
  }
}

interface FinishUpload extends OneUpload {
  /** The SHA-256 of all bytes, in hexadecimal digits; null: it is not checked. */
  readonly sha256: string | null;
}
/** After the last part: the upload does not change any more. */
export const finishUpload = action(
  "upload.finish",
  "editor",
  "nothing",
  async (admin, { sha256, ...one }: FinishUpload): Promise<Upload> => {
    const upload = await uploadOf(admin, one);
    if (sha256 !== null) {
      const found = await checksum(admin, upload, one);
      if (found !== sha256.toLowerCase())
        throw new InvalidInput(
          "sha256",
          `is not the hash of the ${upload.size} bytes that have arrived, which is ${found}`,
        );
    }
    const finished = await admin.store.uploads.finish({
      ...{ ...one, at: admin.clock() },
      ...(sha256 === null ? {} : { size: upload.size }),
    });
    if (finished === "Changed")
      throw new NotPossible(`a part was added to upload ${one.id} meanwhile; finish it again`);
    if (finished === null) throw new NotFound("upload", one.id);
    if (finished === "Incomplete")
      throw new NotPossible(
        `upload ${one.id} has ${upload.size} of ${upload.expectedSize} bytes; send the rest first`,
      );
    return finished;
  },
);

async function checksum({ store }: Performing, { size }: Upload, one: OneUpload): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of readUpload(store.uploads, one, { size })) hash.update(bytes);
  return hash.digest("hex");
}

export const deleteUpload = action(
  "upload.delete",
  "editor",
  "nothing",
  async (admin, one: OneUpload): Promise<void> => {
    const { store } = admin;
    // Its import may have read the file to the end already, and would go on.
    const job = await findUploadJob.run(admin, { account: one.account, upload: one.id });
    if (job !== null && job.ending === null)
      throw new NotPossible(
        `job ${job.id} is reading upload ${one.id}; cancel the job first (in the console: “Stop”; over the API: POST …/jobs/${job.id}/cancel), then delete the upload`,
      );
    if (!(await store.uploads.delete(one))) throw new NotFound("upload", one.id);
    while (await store.uploads.dropParts());
  },
);

interface ReadUpload extends OneUpload {
  readonly from: number;
  /** Returns rejected rows as they are, too; a file that a client has sent always is. */
  readonly isUnchanged: boolean;
}
/**
 * The bytes from a position on; rejected rows for a spreadsheet. They throw UploadGone if the upload is
 * deleted meanwhile.
 */
export const readUploadFrom = query(
  "upload.read",
  "editor",
  async (
    admin,
    { from, isUnchanged, ...one }: ReadUpload,
  ): Promise<{ readonly upload: Upload; readonly chunks: AsyncIterable<Buffer | string> }> => {
    const upload = await uploadOf(admin, one);
    if (!(Number.isSafeInteger(from) && from >= 0 && from <= upload.size))
      throw new InvalidInput("from", `must be a position from 0 to ${upload.size}`);
    const bytes = readUpload(admin.store.uploads, one, { size: upload.size, from });
    if (isUnchanged || !isRejectedRows(upload)) return { upload, chunks: bytes };
    if (from > 0)
      throw new InvalidInput(
        "from",
        "must be 0 for rejected rows; to read from another position, ask for them unchanged",
      );
    return { upload, chunks: disarmCsv(bytes) };
  },
);

/** The bytes of a table for a spreadsheet. */
export { disarmCsv, UploadGone };
