/** Which namespace a prefix means where the parser is, known at once, however many elements are open. */

export const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
export const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

/** What a prefix means since a start tag said so. */
export interface Declaration {
  readonly prefix: string;
  readonly uri: string;
  /** What it meant before. */
  readonly hidden: Declaration | undefined;
  /** Of its namespace, once that had to be compared with another. */
  number: number;
}
const UNNUMBERED = 0;
const declaration = (prefix: string, uri: string, hidden?: Declaration): Declaration => ({
  prefix,
  uri,
  hidden,
  number: UNNUMBERED,
});

export class NamespaceScope {
  readonly #bound = new Map<string, Declaration>();
  /** Of names without a prefix. */
  #default = declaration("", "");
  /** What to go back to: how many declarations each open element has, and which. */
  readonly #opened: number[] = [];
  readonly #declarations: Declaration[] = [];
  #declared = 0;
  /** By URI: the number of a namespace, and of how many declarations in scope. */
  readonly #numbered = new Map<string, { readonly number: number; declarations: number }>();
  #lastNumber = UNNUMBERED;

  constructor() {
    this.clear();
  }

  /** Namespaces in XML 1.0, §3: two prefixes need no declaration. */
  clear(): void {
    this.#bound.clear();
    this.#bound.set("xml", declaration("xml", XML_NAMESPACE));
    this.#bound.set("xmlns", declaration("xmlns", XMLNS_NAMESPACE));
    this.#default = declaration("", "");
    this.#opened.length = 0;
    this.#declarations.length = 0;
    this.#declared = 0;
    if (this.#numbered.size > 0) this.#numbered.clear();
  }

  get default(): Declaration {
    return this.#default;
  }
  resolve(prefix: string): Declaration | undefined {
    return this.#bound.get(prefix);
  }

  /**
   * The same number for all declarations in scope that name the same namespace. A namespace may be long, and
   * is compared with others in every element that uses it: so that is done once for each declaration, and
   * then by number.
   */
  numberOf(one: Declaration): number {
    if (one.number !== UNNUMBERED) return one.number;
    let numbered = this.#numbered.get(one.uri);
    if (numbered === undefined) {
      this.#lastNumber += 1;
      numbered = { number: this.#lastNumber, declarations: 0 };
      this.#numbered.set(one.uri, numbered);
    }
    numbered.declarations += 1;
    one.number = numbered.number;
    return one.number;
  }

  /** By the element whose start tag is being read. */
  declareDefault(uri: string): void {
    this.#default = this.#add(declaration("", uri, this.#default));
  }
  declare(prefix: string, uri: string): void {
    this.#bound.set(prefix, this.#add(declaration(prefix, uri, this.#bound.get(prefix))));
  }
  #add(one: Declaration): Declaration {
    this.#declarations.push(one);
    this.#declared += 1;
    return one;
  }

  open(): void {
    this.#opened.push(this.#declared);
    this.#declared = 0;
  }
  close(): void {
    for (let left = this.#opened.pop() ?? 0; left > 0; left -= 1) {
      const ended = this.#declarations.pop();
      if (ended === undefined) return;
      const { prefix, hidden } = ended;
      if (prefix === "") this.#default = hidden ?? this.#default;
      else if (hidden === undefined) this.#bound.delete(prefix);
      else this.#bound.set(prefix, hidden);
      if (ended.number !== UNNUMBERED) this.#forget(ended.uri);
    }
  }
  /**
   * A namespace that no declaration in scope names needs no number: there are never more than may be in
   * scope.
   */
  #forget(uri: string): void {
    const numbered = this.#numbered.get(uri);
    if (numbered === undefined) return;
    numbered.declarations -= 1;
    if (numbered.declarations === 0) this.#numbered.delete(uri);
  }
}
