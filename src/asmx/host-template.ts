/**
 * A document for any host, made once: to write it anew costs half a millisecond, and whoever sends a new Host header with
 * every request would have that each time. Where the host stands, it is put in; and with it a sample's Content-Length grows.
 */
import { createHash } from "node:crypto";

/** In no document, and as any host is: nothing in it is escaped anywhere. */
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
  /** Between the slots, and so one more than there are. */
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

/** Scheme and host of a base address that has nothing else; null of others, whose documents are made for them alone. */
export function hostOf(base: string): { readonly scheme: string; readonly host: string } | null {
  const [, scheme, host] = BASE.exec(base) ?? [];
  return scheme === undefined || host === undefined ? null : { scheme, host };
}
