/**
 * A text that comes in parts. Strings put together one by one keep every part, at 30 bytes and more for what may be one
 * character; so parts become one text after each thousand of them.
 */
const MAX_PARTS = 1024;

export class LongText {
  /** Nearly every text is in one part. */
  #only = "";
  #parts: string[] | null = null;
  #joined: string[] | null = null;

  add(part: string): void {
    if (this.#parts !== null) {
      if (this.#parts.push(part) < MAX_PARTS) return;
      const joined = this.#parts.join("");
      if (this.#joined === null) this.#joined = [joined];
      else this.#joined.push(joined);
      this.#parts.length = 0;
    } else if (this.#only === "") this.#only = part;
    else this.#parts = [this.#only, part];
  }

  toString(): string {
    if (this.#parts === null) return this.#only;
    const last = this.#parts.join("");
    return this.#joined === null ? last : this.#joined.join("") + last;
  }

  /** The text so far; the next one begins with nothing. */
  take(): string {
    const text = this.toString();
    this.clear();
    return text;
  }
  clear(): void {
    this.#only = "";
    this.#parts = null;
    this.#joined = null;
  }
}
