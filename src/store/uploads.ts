/** What the stores add to commands about uploads: the limit, the checksum, and where the bytes are. */
import { createHash } from "node:crypto";
import type { AppendPart, CreateUpload, StoredPart } from "#domain/ports/uploads.ts";

/** How much uploads may take. */
export interface UploadBounds {
  /** Bytes of all uploads of an account. */
  readonly bytes: number;
  /** Bytes that must stay free on the disk of a SQLite file. */
  readonly diskReserve: number;
}
export const DEFAULT_BOUNDS: UploadBounds = { bytes: 2 * 1024 ** 3, diskReserve: 0 };

/** A part as it is stored: its bytes are in `content`, or in the file. */
export interface StoredAppend extends Omit<AppendPart, "bytes" | "limit"> {
  readonly limit: number;
  readonly length: number;
  readonly sha256: Uint8Array;
  readonly file: string | null;
  readonly content: Uint8Array | null;
}
export interface StoredRow extends StoredPart {
  readonly file: string | null;
}

/** `file`: null if the bytes are stored in the database. */
export function storedAppend(
  { bytes, ...part }: AppendPart,
  { bytes: limit }: UploadBounds,
  file: string | null,
): StoredAppend {
  return {
    ...part,
    limit,
    length: bytes.length,
    sha256: createHash("sha256").update(bytes).digest(),
    file,
    content: file === null ? bytes : null,
  };
}

export const boundedCreate = (command: CreateUpload, { bytes }: UploadBounds): CreateUpload => ({
  ...command,
  limit: bytes,
});
