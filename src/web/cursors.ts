/** Cursors in requests and replies are encrypted: clients and logs see nothing of the values in them. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { InvalidInput } from "#admin/kit/errors.ts";
import { keyFor } from "#domain/access/key.ts";
import type { AccountId } from "#domain/account.ts";
import type { Secrets } from "#domain/ports/access/secrets.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Cursor } from "#domain/ports/listing.ts";

/**
 * Cursors for clients. The cursor of a listing contains values of a row, such as an address. So it is
 * encrypted and authenticated (AES-256-GCM), and bound to its listing and account: it shows nothing, and
 * works nowhere else.
 */
const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Far more than the longest cursor: an address has at most 254 characters. */
const MAX_LENGTH = 4096;
const BASE64URL = /^[\w-]+$/;

/** Where a cursor is from. */
interface CursorScope {
  /** The name of the listing, such as that of its action. */
  readonly listing: string;
  /** null: a listing of the installation. */
  readonly account: AccountId | null;
}

/** Of the secret of the installation; to be made once. */
export const cursorKey = (secret: Uint8Array): Uint8Array => keyFor(secret, "cursors");

const boundTo = ({ listing, account }: CursorScope): Buffer =>
  Buffer.from(JSON.stringify([listing, account]));

export function encryptCursor(key: Uint8Array, scope: CursorScope, cursor: Cursor): Cursor {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(scope));
  const parts = [nonce, cipher.update(cursor, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString("base64url");
}

/** Throws InvalidCursor. */
export function decryptCursor(key: Uint8Array, scope: CursorScope, encrypted: Cursor): Cursor {
  const bytes = Buffer.from(encrypted, "base64url");
  const isWhole = bytes.length >= NONCE_BYTES + TAG_BYTES && encrypted.length <= MAX_LENGTH;
  if (!isWhole || !BASE64URL.test(encrypted)) throw invalid();
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(scope))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString();
  } catch {
    throw invalid();
  }
}

const invalid = (): InvalidCursor =>
  new InvalidCursor("the cursor is not one of this listing; start again from the first page");

interface WithCursors {
  readonly next: string | null;
  readonly previous: string | null;
}

export class Cursors {
  readonly #secrets: Secrets;
  #key: Promise<Uint8Array> | null = null;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** `input` is the query or the body of a request, with its cursors as the listing wrote them. */
  async decrypted<Input>(input: Input, scope: CursorScope): Promise<Input> {
    const given = input as { readonly after?: string | null; readonly before?: string | null } | undefined;
    if (given === undefined || (typeof given.after !== "string" && typeof given.before !== "string"))
      return input;
    const open = async (name: "after" | "before"): Promise<object> => {
      const encrypted = given[name];
      if (typeof encrypted !== "string") return {};
      try {
        return { [name]: await this.decrypt(scope, encrypted) };
      } catch (error) {
        if (!(error instanceof InvalidCursor)) throw error;
        throw new InvalidInput(name, "is not a cursor of this listing; start again from the first page");
      }
    };
    return { ...input, ...(await open("after")), ...(await open("before")) };
  }

  async encrypted<Reply>(reply: Reply, scope: CursorScope): Promise<Reply> {
    const { next, previous } = reply as WithCursors;
    if (next === null && previous === null) return reply;
    const seal = async (cursor: string | null): Promise<string | null> =>
      cursor === null ? null : await this.encrypt(scope, cursor);
    return { ...reply, next: await seal(next), previous: await seal(previous) };
  }

  async encrypt(scope: CursorScope, text: string): Promise<string> {
    return encryptCursor(await this.#keyOf(), scope, text);
  }
  /** Throws InvalidCursor. */
  async decrypt(scope: CursorScope, encrypted: string): Promise<string> {
    return decryptCursor(await this.#keyOf(), scope, encrypted);
  }

  /** Read once; again if that failed. */
  #keyOf(): Promise<Uint8Array> {
    this.#key ??= this.#secrets.ofInstallation().then(cursorKey, (error: unknown) => {
      this.#key = null;
      throw error;
    });
    return this.#key;
  }
}
