/** An LRU cache of fixed size, because callers can send any number of keys. */
export class Recent<Key, Value> {
  readonly #most: number;
  /** The least recently used first. */
  readonly #values = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: Key, make: () => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, known);
      return known;
    }
    const made = make();
    for (const oldest of this.#values.keys()) {
      if (this.#values.size < this.#most) break;
      this.#values.delete(oldest);
    }
    this.#values.set(key, made);
    return made;
  }
}
