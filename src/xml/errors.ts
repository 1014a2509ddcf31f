/** The two kinds of errors of the parser. */

/** The document is not well-formed. The message says where and what. */
export class XmlError extends Error {
  constructor(what: string, line: number, column: number) {
    super(`line ${line}, column ${column}: ${what}`);
    this.name = "XmlError";
  }
}

/** The document may be XML, but is not accepted. */
export class XmlRefused extends Error {
  constructor(what: string) {
    super(what);
    this.name = "XmlRefused";
  }
}

/** An excerpt of the document, short enough for an error message. */
export const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
