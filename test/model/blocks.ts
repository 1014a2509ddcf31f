/** The block list of the model, with the unlisted blocks of erased addresses. */

export class Blocks {
  #listed = new Map<string, number>();
  #hidden = new Map<string, number>();

  copy(): Blocks {
    const copy = new Blocks();
    copy.#listed = new Map(this.#listed);
    copy.#hidden = new Map(this.#hidden);
    return copy;
  }

  state(): unknown {
    return [[...this.#listed], [...this.#hidden]];
  }

  /** False if it existed already. */
  add(pattern: string, at: number): boolean {
    const isNew = !this.#listed.has(pattern);
    if (isNew) this.#listed.set(pattern, at);
    return isNew;
  }

  /** False if there was none. */
  remove(pattern: string): boolean {
    const wasHidden = this.#hidden.delete(pattern);
    return this.#listed.delete(pattern) || wasHidden;
  }

  /** Removes the address from the list. Returns since when it was blocked, which remains in effect. */
  hide(key: string): number | null {
    const since = earliest(this.#listed.get(key), this.#hidden.get(key));
    this.#listed.delete(key);
    if (since !== null) this.#hidden.set(key, since);
    return since;
  }

  isHidden(key: string): boolean {
    return this.#hidden.has(key);
  }

  /** The earliest of the blocks that cover an address. */
  since(key: string): number | null {
    const ofDomain = this.#listed.get(`@${key.split("@")[1]}`);
    return earliest(this.#listed.get(key), this.#hidden.get(key), ofDomain);
  }

  seen() {
    return [...this.#listed]
      .map(([pattern, createdAt]) => ({ pattern, createdAt }))
      .toSorted((one, other) => (one.pattern < other.pattern ? -1 : 1));
  }
}

const earliest = (...times: readonly (number | undefined)[]): number | null => {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? null : Math.min(...given);
};
