/** The two ways in which a document is not taken. */

/** It is not well-formed. The text says where and what, of the caller's document only. */
export class XmlError extends Error {
  constructor(what: string, line: number, column: number) {
    super(`line ${line}, column ${column}: ${what}`);
    this.name = "XmlError";
  }
}

/** It may be XML, but we do not read such. */
export class XmlRefused extends Error {
  constructor(what: string) {
    super(what);
    this.name = "XmlRefused";
  }
}

/** Something of the document, short enough for people to read. */
export const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
