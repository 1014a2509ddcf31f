/** Which namespace a prefix means where the parser is, known at once, however many elements are open. */

export const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
export const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

export class NamespaceScope {
  readonly #bound = new Map<string, string>();
  /** Of names without a prefix. */
  #default = "";
  /** What to go back to: how many declarations each open element has, and what they hid. */
  readonly #opened: number[] = [];
  readonly #hidden: { readonly prefix: string; readonly uri: string | undefined }[] = [];
  #declared = 0;

  constructor() {
    this.clear();
  }

  /** Namespaces in XML 1.0, §3: two prefixes need no declaration. */
  clear(): void {
    this.#bound.clear();
    this.#bound.set("xml", XML_NAMESPACE).set("xmlns", XMLNS_NAMESPACE);
    this.#default = "";
    this.#opened.length = 0;
    this.#hidden.length = 0;
    this.#declared = 0;
  }

  get default(): string {
    return this.#default;
  }
  resolve(prefix: string): string | undefined {
    return this.#bound.get(prefix);
  }

  /** By the element whose start tag is being read. */
  declareDefault(uri: string): void {
    this.#hidden.push({ prefix: "", uri: this.#default });
    this.#default = uri;
    this.#declared += 1;
  }
  declare(prefix: string, uri: string): void {
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
      const { prefix, uri } = hidden;
      if (prefix === "") this.#default = uri ?? "";
      else if (uri === undefined) this.#bound.delete(prefix);
      else this.#bound.set(prefix, uri);
    }
  }
}
