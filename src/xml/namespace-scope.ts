/** The namespace bindings in scope, with look-up in constant time, however many elements are open. */

export const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
export const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

/** A binding of a prefix by a start tag. */
export interface Declaration {
  readonly prefix: string;
  readonly uri: string;
  /** The outer binding. */
  readonly hidden: Declaration | undefined;
  /** The number of its namespace, once that had to be compared with another. */
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
  /** The default namespace. */
  #default = declaration("", "");
  /** For the end of elements: how many declarations each open element has, and which. */
  readonly #opened: number[] = [];
  readonly #declarations: Declaration[] = [];
  #declared = 0;
  /** By URI: the number of a namespace, and how many declarations in scope name it. */
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
   * A number that is the same for all declarations in scope of one namespace. A namespace may be long and is
   * compared in every element that uses it: so the text is compared once per declaration, and then the
   * number.
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

  /** Declares a prefix for the element whose start tag is being read. */
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
  /** Frees the number of a namespace without declarations in scope, so that their count is bounded. */
  #forget(uri: string): void {
    const numbered = this.#numbered.get(uri);
    if (numbered === undefined) return;
    numbered.declarations -= 1;
    if (numbered.declarations === 0) this.#numbered.delete(uri);
  }
}
