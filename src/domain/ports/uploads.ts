/** Uploads of an account. */
import type { ImportId } from "../access/origin.ts";
import type { UserId } from "../access/user.ts";
import type { AppendOutcome, NewPart, Upload, UploadId, UploadRefusal } from "../import/upload.ts";
import type { OfAccount } from "./command.ts";

export interface OneUpload extends OfAccount {
  readonly id: UploadId;
}
/** How much the uploads of an account may have, in bytes. Given by the store, from its settings. */
interface Bounded {
  readonly limit?: number;
}
export interface CreateUpload extends OfAccount, Bounded {
  readonly name: string;
  readonly expectedSize: number | null;
  /** The import that writes its rejected rows into it; absent: a client sends it. */
  readonly rejectedBy?: ImportId | null;
  /** The user who begins it; absent: not a user. */
  readonly user?: UserId | null;
  readonly at: number;
}
export interface AppendPart extends OneUpload, Omit<NewPart, "length">, Bounded {
  readonly bytes: Uint8Array;
  readonly at: number;
}
export interface Appended {
  readonly outcome: AppendOutcome;
  /** Of the parts so far; 0 if there is no such upload. */
  readonly size: number;
}
export interface StoredPart {
  readonly start: number;
  readonly bytes: Uint8Array;
}

export interface Uploads {
  /** The newest first; there are few. */
  all(args: OfAccount): Promise<readonly Upload[]>;
  byId(args: OneUpload): Promise<Upload | null>;
  create(args: CreateUpload): Promise<Upload | UploadRefusal>;
  /** Answered after the part is durable. */
  append(args: AppendPart): Promise<Appended>;
  /** null: no such upload. "Incomplete": it is shorter than announced. Idempotent. */
  finish(
    args: OneUpload & {
      readonly at: number;
      /** The size that was checked, if any was: "Changed" if a part was added since. */
      readonly size?: number;
    },
  ): Promise<Upload | "Incomplete" | "Changed" | null>;
  /** It is in use: it is not deleted by its age for now. False: no such upload. */
  touch(args: OneUpload & { readonly at: number }): Promise<boolean>;
  /** The part that contains the byte at this position; null: there is none. */
  part(args: OneUpload & { readonly offset: number }): Promise<StoredPart | null>;
  /** From then on it does not exist; its parts are removed soon after. False: no such upload. */
  delete(args: OneUpload): Promise<boolean>;
  /** Removes some of the parts of deleted uploads; false: there are none. */
  dropParts(): Promise<boolean>;
  /** The uploads of all accounts. */
  ids(): Promise<readonly UploadId[]>;
}
