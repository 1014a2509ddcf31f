/**
 * Uploads: files that are sent in parts, one after the other, and deleted when they have served their
 * purpose. A client that does not know whether a part arrived sends it again.
 */
import type { ImportId } from "../access/origin.ts";
import type { UserId } from "../access/user.ts";
import type { Id } from "../id.ts";

export type UploadId = Id<"UploadId">;

export interface Upload {
  readonly id: UploadId;
  /** The name of the file. */
  readonly name: string;
  /** In bytes, of the parts so far. */
  readonly size: number;
  /** What the client announced; null: nothing. */
  readonly expectedSize: number | null;
  readonly parts: number;
  readonly createdAt: number;
  /** When it was last written to, or an import of it began or continued. */
  readonly usedAt: number;
  /** null: parts may follow. */
  readonly finishedAt: number | null;
  /** The import whose rejected rows it contains; null: a client has sent it. */
  readonly rejectedBy: ImportId | null;
  /** The user who has begun it; null: not a user. */
  readonly user: UserId | null;
}

/** Written by an import or a dry run; of a dry run, only the name says so, which users can choose, too. */
export const isRejectedRows = ({ rejectedBy, user, expectedSize, name }: Upload): boolean =>
  rejectedBy !== null || (user === null && expectedSize === null && name.endsWith(".rejected.csv"));

export const MAX_PART_BYTES = 4 * 1024 ** 2;
/** Each part is a row; parts of one byte would make very many of them. */
export const MAX_PARTS = 10_000;
/** Each upload is a row, too. */
export const MAX_UPLOADS = 100;
/** In an account: one user must not use up what all of them share. */
export const MAX_UPLOADS_OF_USER = 20;
/** How long an upload is kept after its last use. */
export const UPLOAD_KEPT_MS = 24 * 3_600_000;

export interface NewPart {
  /** Where it begins. */
  readonly offset: number;
  readonly length: number;
}
export type AppendOutcome =
  | "Appended"
  /** The same part is there already. */
  | "Repeated"
  | "NoUpload"
  /** The upload was finished; it does not change any more. */
  | "Finished"
  /** The part does not begin where the parts so far end. */
  | "WrongOffset"
  /** The upload would be larger than announced. */
  | "TooLong"
  | "TooManyParts"
  /** The uploads of the account would be larger than they may be. */
  | "LimitReached"
  /** Less space would be free on the disk than must be. */
  | "DiskFull";

/** `all`: the uploads of the account. `isSame`: whether this part is stored at this position already. */
export function decideAppend(
  id: UploadId,
  all: readonly Upload[],
  { offset, length }: NewPart,
  { limit, isSame }: { readonly limit: number; readonly isSame: boolean },
): AppendOutcome {
  const upload = all.find((one) => one.id === id);
  if (upload === undefined) return "NoUpload";
  if (isSame) return "Repeated";
  if (upload.finishedAt !== null) return "Finished";
  if (offset !== upload.size) return "WrongOffset";
  if (upload.expectedSize !== null && offset + length > upload.expectedSize) return "TooLong";
  if (upload.parts >= MAX_PARTS) return "TooManyParts";
  return bytesOf(all) + length > limit ? "LimitReached" : "Appended";
}

/** Why there is no room for one more upload. */
export type UploadRefusal = "TooMany" | "TooManyOfUser" | "LimitReached";

/** Whether there is room for one more upload of the user, of the announced size. */
export function decideCreate(
  all: readonly Upload[],
  { user, expectedSize }: Pick<Upload, "user" | "expectedSize">,
  limit: number,
): "Created" | UploadRefusal {
  if (all.length >= MAX_UPLOADS) return "TooMany";
  if (user !== null && all.filter((one) => one.user === user).length >= MAX_UPLOADS_OF_USER)
    return "TooManyOfUser";
  return bytesOf(all) + (expectedSize ?? 0) > limit ? "LimitReached" : "Created";
}

const bytesOf = (all: readonly Upload[]): number => all.reduce((sum, { size }) => sum + size, 0);
