/**
 * A text that arrives in parts. A string that is concatenated part by part retains every part, at 30 bytes
 * and more for what may be one character; so the parts are joined after each thousand.
 */
const MAX_PARTS = 1024;

export class LongText {
  /** Most texts consist of one part. */
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

  /** Returns the text so far, and clears it. */
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
