/**
 * Which namespace a prefix means, known at once. saxes looks through all the elements that are open, which in a deep
 * document takes longer than everything else.
 */
/** Namespaces in XML 1.0, §3. */
const ALWAYS = [
  ["xml", "http://www.w3.org/XML/1998/namespace"],
  ["xmlns", "http://www.w3.org/2000/xmlns/"],
] as const;

interface SeenAttribute {
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  readonly value: string;
}

export class NamespaceScope {
  readonly #bound = new Map<string, string>(ALWAYS);
  /** What to go back to: where each open element's declarations begin, and what they hid. */
  readonly #opened: number[] = [];
  readonly #hidden: { readonly prefix: string; readonly uri: string | undefined }[] = [];
  #declared = 0;

  resolve(prefix: string): string | undefined {
    return this.#bound.get(prefix);
  }
  /** An attribute of the element whose start tag is being read: perhaps a declaration. */
  see({ name, prefix, local, value }: SeenAttribute): void {
    if (prefix === "xmlns") this.#declare(local, value.trim());
    else if (name === "xmlns") this.#declare("", value.trim());
  }
  #declare(prefix: string, uri: string): void {
    this.#hidden.push({ prefix, uri: this.#bound.get(prefix) });
    this.#bound.set(prefix, uri);
    this.#declared += 1;
  }
  open(): void {
    this.#opened.push(this.#declared);
    this.#declared = 0;
  }
  close(): void {
    for (let left = this.#opened.pop() ?? 0; left > 0; left -= 1) {
      const hidden = this.#hidden.pop();
      if (hidden === undefined) return;
      if (hidden.uri === undefined) this.#bound.delete(hidden.prefix);
      else this.#bound.set(hidden.prefix, hidden.uri);
    }
  }
}
