/** A start tag with its names resolved to namespaces. */
import { COLON, isNameStart, trimSpace } from "./characters.ts";
import { cut, XmlRefused } from "./errors.ts";
import { type Declaration, type NamespaceScope, XML_NAMESPACE, XMLNS_NAMESPACE } from "./namespace-scope.ts";

/** What a listener sees. Valid until the listener returns: the object is reused for the next element. */
export interface StartTag {
  /** As it was written. */
  readonly name: string;
  readonly local: string;
  readonly uri: string;
  readonly isSelfClosing: boolean;
  /** Where it ends. */
  readonly line: number;
  readonly end: number;
  /** null: there is none of this name. */
  attribute(uri: string, local: string): string | null;
  /** Without namespace declarations. */
  attributes(): readonly (readonly [uri: string, local: string, value: string])[];
}

/** With more attributes, a set is faster than comparing each with each. */
const FEW = 8;
/**
 * The maximum length of a namespace, which is compared for every element that uses it. Real ones are far
 * shorter.
 */
const MAX_NAMESPACE = 1024;

/** Collects what the parser reads of a tag. Errors are returned as text. */
export class TagReader implements StartTag {
  name = "";
  local = "";
  uri = "";
  isSelfClosing = false;
  line = 0;
  end = 0;
  /** How many entries of the arrays belong to this tag. */
  count = 0;
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  /** The binding of each attribute's prefix; null: no namespace. */
  readonly #declarations: (Declaration | null)[] = [];
  readonly #locals: string[] = [];
  readonly #scope: NamespaceScope;

  constructor(scope: NamespaceScope) {
    this.#scope = scope;
  }

  begin(name: string): void {
    this.name = name;
    this.count = 0;
  }

  /** Adds an attribute, and applies a namespace declaration at once: it is valid for the whole tag. */
  add(name: string, value: string): string | null {
    this.#names[this.count] = name;
    this.#values[this.count] = value;
    this.count += 1;
    if (!name.startsWith("xmlns")) return null;
    if (name === "xmlns") return this.#declareDefault(namespaceIn(value));
    return name.charCodeAt(5) === COLON ? this.#declare(name.slice(6), namespaceIn(value)) : null;
  }

  #declareDefault(uri: string): string | null {
    if (uri === XML_NAMESPACE || uri === XMLNS_NAMESPACE) return `no prefix but its own may mean ${uri}`;
    this.#scope.declareDefault(uri);
    return null;
  }
  #declare(prefix: string, uri: string): string | null {
    if (uri === "") return `the prefix ${cut(prefix)} is declared with no namespace`;
    if (prefix === "xmlns") return "the prefix xmlns must not be declared";
    if ((prefix === "xml") !== (uri === XML_NAMESPACE))
      return `xml must mean ${XML_NAMESPACE}, and nothing else may`;
    if (uri === XMLNS_NAMESPACE) return `no prefix but its own may mean ${uri}`;
    this.#scope.declare(prefix, uri);
    return null;
  }

  /** Resolves the names, once the whole tag has been read. */
  resolve(): string | null {
    const { name } = this;
    const colon = name.indexOf(":");
    if (colon === -1) {
      this.local = name;
      this.uri = this.#scope.default.uri;
    } else {
      const prefix = name.slice(0, colon);
      const declaration = this.#scope.resolve(prefix);
      if (declaration === undefined || !isSound(name, colon)) return wrongIn(name, colon, prefix);
      if (prefix === "xmlns") return "an element must not have the prefix xmlns";
      this.local = name.slice(colon + 1);
      this.uri = declaration.uri;
    }
    return this.count === 0 ? null : this.#resolveAttributes();
  }

  #resolveAttributes(): string | null {
    let onlyPrefix = "";
    let isMixed = false;
    for (let index = 0; index < this.count; index += 1) {
      const name = this.#names[index] ?? "";
      const colon = name.indexOf(":");
      if (colon === -1) {
        // The default namespace does not apply to attributes.
        this.#locals[index] = name;
        this.#declarations[index] = name === "xmlns" ? (this.#scope.resolve(name) ?? null) : null;
      } else {
        const prefix = name.slice(0, colon);
        const declaration = this.#scope.resolve(prefix);
        if (declaration === undefined || !isSound(name, colon)) return wrongIn(name, colon, prefix);
        this.#locals[index] = name.slice(colon + 1);
        this.#declarations[index] = declaration;
        // Declarations belong to the xmlns namespace.
        if (prefix === "xmlns") continue;
        if (onlyPrefix === "") onlyPrefix = prefix;
        else if (prefix !== onlyPrefix) isMixed = true;
      }
    }
    if (this.count === 1) return null;
    return isMixed ? this.#twiceInNamespace() : this.#twice(this.#names);
  }

  #twice(names: readonly string[]): string | null {
    const { count } = this;
    if (count > FEW) {
      const seen = new Set<string>();
      for (let index = 0; index < count; index += 1) seen.add(names[index] ?? "");
      if (seen.size === count) return null;
    }
    for (let one = 1; one < count; one += 1)
      for (let other = 0; other < one; other += 1)
        if (names[one] === names[other]) return `the attribute ${cut(this.#names[one] ?? "")} is there twice`;
    return null;
  }
  /** Two prefixes may be bound to the same namespace. */
  #twiceInNamespace(): string | null {
    const names: string[] = [];
    for (let index = 0; index < this.count; index += 1) {
      const declaration = this.#declarations[index] ?? null;
      const number = declaration === null ? "" : this.#scope.numberOf(declaration);
      names.push(`${number}:${this.#locals[index]}`);
    }
    return this.#twice(names);
  }

  attribute(uri: string, local: string): string | null {
    for (let index = 0; index < this.count; index += 1)
      if (this.#locals[index] === local && this.#uriOf(index) === uri) return this.#values[index] ?? "";
    return null;
  }
  attributes(): readonly (readonly [uri: string, local: string, value: string])[] {
    return this.#names
      .slice(0, this.count)
      .map(
        (_name, index) => [this.#uriOf(index), this.#locals[index] ?? "", this.#values[index] ?? ""] as const,
      )
      .filter(([uri]) => uri !== XMLNS_NAMESPACE);
  }
  #uriOf(index: number): string {
    return this.#declarations[index]?.uri ?? "";
  }
}

/** Whether there is one name on either side of the colon. */
const isSound = (name: string, colon: number): boolean =>
  colon > 0 && isNameStart(name.codePointAt(colon + 1) ?? 0) && name.indexOf(":", colon + 1) === -1;

const wrongIn = (name: string, colon: number, prefix: string): string =>
  isSound(name, colon)
    ? `the prefix ${cut(prefix)} is not declared`
    : `${cut(name)} is not a name with a prefix`;

function namespaceIn(value: string): string {
  const uri = trimSpace(value);
  if (uri.length > MAX_NAMESPACE)
    throw new XmlRefused(`A namespace is longer than ${MAX_NAMESPACE} characters.`);
  return uri;
}
