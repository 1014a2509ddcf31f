/** Cursors in requests and replies are sealed: clients and logs see nothing of the values in them. */
import { InvalidInput } from "#admin/kit/errors.ts";
import { type CursorPlace, cursorKey, openCursor, sealCursor } from "#domain/paging/sealed-cursor.ts";
import type { Secrets } from "#domain/ports/access/secrets.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";

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
  async opened<Input>(input: Input, place: CursorPlace): Promise<Input> {
    const given = input as { readonly after?: string | null; readonly before?: string | null } | undefined;
    if (given === undefined || (typeof given.after !== "string" && typeof given.before !== "string"))
      return input;
    const open = async (name: "after" | "before"): Promise<object> => {
      const sealed = given[name];
      if (typeof sealed !== "string") return {};
      try {
        return { [name]: await this.open(place, sealed) };
      } catch (error) {
        if (!(error instanceof InvalidCursor)) throw error;
        throw new InvalidInput(name, "is not a cursor of this listing; start again from the first page");
      }
    };
    return { ...input, ...(await open("after")), ...(await open("before")) };
  }

  async sealed<Reply>(reply: Reply, place: CursorPlace): Promise<Reply> {
    const { next, previous } = reply as WithCursors;
    if (next === null && previous === null) return reply;
    const seal = async (cursor: string | null): Promise<string | null> =>
      cursor === null ? null : await this.seal(place, cursor);
    return { ...reply, next: await seal(next), previous: await seal(previous) };
  }

  async seal(place: CursorPlace, text: string): Promise<string> {
    return sealCursor(await this.#keyOf(), place, text);
  }
  /** Throws InvalidCursor. */
  async open(place: CursorPlace, sealed: string): Promise<string> {
    return openCursor(await this.#keyOf(), place, sealed);
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
