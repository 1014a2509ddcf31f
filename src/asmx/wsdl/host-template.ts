/**
 * A document as a template for any host, made once: generating it takes half a millisecond, which a client
 * with a new Host header in every request could cause each time. The host is inserted, and a sample's
 * Content-Length adjusted.
 */
import { createHash } from "node:crypto";

/** Occurs in no document, and like any host needs no escaping. */
const PLACEHOLDER = "host-of-this-service.invalid";
const SLOTS = new RegExp(`${PLACEHOLDER}|(?<=Content-Length: )\\d+`, "g");
const BASE = /^(https?:\/\/)([a-z0-9._:[\]-]+)$/;

/** Its bytes, and what is the same for the same bytes. */
export interface Written {
  readonly bytes: Buffer;
  readonly tag: string;
}

const tagOf = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("base64url").slice(0, 22);
};

export function written(text: string): Written {
  const bytes = Buffer.from(text);
  return { bytes, tag: tagOf(bytes) };
}

export class HostTemplate {
  /** The literals between the slots, one more than slots. */
  readonly #pieces: readonly Buffer[];
  /** A length with the placeholder in it, or null for the host itself. */
  readonly #slots: readonly (number | null)[];
  readonly #tag: string;

  constructor(scheme: string, render: (base: string) => string) {
    const text = render(scheme + PLACEHOLDER);
    this.#pieces = text.split(SLOTS).map((piece) => Buffer.from(piece));
    this.#slots = Array.from(text.matchAll(SLOTS), ([slot]) => (slot === PLACEHOLDER ? null : Number(slot)));
    this.#tag = tagOf(text);
  }

  for(host: string): Written {
    const longer = host.length - PLACEHOLDER.length;
    const name = Buffer.from(host);
    const parts = this.#pieces.flatMap((piece, nth) => {
      const slot = this.#slots[nth];
      if (slot === undefined) return piece;
      return [piece, slot === null ? name : Buffer.from(String(slot + longer))];
    });
    return { bytes: Buffer.concat(parts), tag: tagOf(this.#tag, host) };
  }
}

/** Scheme and host of a base URL without a path; null for others, whose documents are made separately. */
export function hostOf(base: string): { readonly scheme: string; readonly host: string } | null {
  const [, scheme, host] = BASE.exec(base) ?? [];
  return scheme === undefined || host === undefined ? null : { scheme, host };
}
