/**
 * Decodes the bytes of a request: by a byte order mark, the charset of the Content-Type or the XML
 * declaration, in that order, which is that of RFC 7303 and of ASMX.
 *
 * Bytes that claim to be UTF-8 and are not come from programs that paste Latin-1 into a UTF-8 template. They
 * are decoded as windows-1252, so that no name is destroyed. Bytes beyond ASCII with the label of ASCII or of
 * an unknown charset are one of the two as well. A charset that others know, and this platform cannot decode,
 * is refused: its bytes are neither.
 */
import { isAscii } from "node:buffer";
import { TextDecoder } from "node:util";
import { Fault } from "#contract/faults.ts";
import { cut } from "#xml/errors.ts";
import { memoize } from "../memoize.ts";
import { type Client, nextSlice } from "./caller-gone.ts";

interface Labelled {
  /** The bytes were not in the charset that was declared or meant; this is logged. */
  readonly mislabelled: boolean;
}
export interface Decoded extends Labelled {
  readonly text: string;
}
/** For a large request: the text in as many slices as there were chunks. */
export interface DecodedSlices extends Labelled {
  readonly slices: readonly string[];
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const windows1252 = new TextDecoder("windows-1252");
const DECLARED =
  /^<\?xml(?=[ \t\r\n])[^>]{0,200}?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][A-Za-z0-9._-]{0,40})["']/;

/** How to decode a request. */
interface Charset {
  /** TextDecoder's name of the encoding; several labels may mean the same one. */
  readonly encoding: string;
  /** True if this charset replaces a declared one that cannot be decoded as declared. */
  readonly isAssumed: boolean;
}

export function decodeBytes(bytes: Buffer, charset: string | null): Decoded {
  const { encoding, isAssumed } = charsetOf(bytes, charset);
  if (encoding === "utf-8") {
    if (isAscii(bytes)) return { text: bytes.toString("latin1"), mislabelled: false };
    try {
      return { text: utf8.decode(bytes), mislabelled: isAssumed };
    } catch {
      return { text: windows1252.decode(bytes), mislabelled: true };
    }
  }
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), mislabelled: false };
  } catch (error) {
    throw notValid(encoding, error);
  }
}

/**
 * Like `decodeBytes`, but yields to the event loop in between. The first chunk is long enough to detect the
 * encoding. Throws CallerGone if the client has disconnected.
 */
export async function decodeChunks(
  chunks: readonly Buffer[],
  charset: string | null,
  client: Client,
): Promise<DecodedSlices> {
  const { encoding, isAssumed } = charsetOf(chunks[0] ?? Buffer.alloc(0), charset);
  try {
    const slices = await slicesOf(chunks, new TextDecoder(encoding, { fatal: true }), client);
    return { slices, mislabelled: isAssumed && !chunks.every((chunk) => isAscii(chunk)) };
  } catch (error) {
    if (encoding !== "utf-8" || !isNotEncodedSo(error)) throw notValid(encoding, error);
    return { slices: await slicesOf(chunks, new TextDecoder("windows-1252"), client), mislabelled: true };
  }
}

async function slicesOf(chunks: readonly Buffer[], decoding: TextDecoder, client: Client): Promise<string[]> {
  const slices: string[] = [];
  for (const chunk of chunks) {
    await nextSlice(client);
    slices.push(decoding.decode(chunk, { stream: true }));
  }
  slices.push(decoding.decode());
  return slices;
}

/** TextDecoder's error for bytes that are invalid in its encoding. */
const isNotEncodedSo = (error: unknown): boolean => error instanceof TypeError;

function notValid(encoding: string, error: unknown): unknown {
  if (!isNotEncodedSo(error)) return error;
  return new Fault("InvalidMessage", `The request is not valid ${encoding}.`, { cause: error });
}

/**
 * TextDecoder treats the labels of ASCII as windows-1252, which would decode valid UTF-8 as "Ã©", and reads
 * bytes beyond ASCII in x-user-defined as private-use characters.
 */
const ASCII_LABELS: ReadonlySet<string> = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "x-user-defined"]);

/**
 * Charsets that TextDecoder has no label for, and whose text is not that of UTF-8 or windows-1252: code pages
 * of DOS, of mainframes and of others (but not the numbers of ASCII and UTF-8), and encodings of Unicode and
 * of several scripts.
 */
const UNDECODABLE =
  /^(?:(?:ibm|cp|x-cp|windows)[-_]?(?!(?:0*367|1208|65001)$)\d+|(?:.*-)?utf-?(?:7|32)(?:[bl]e)?|(?:.*-)?ucs-?4|utf-ebcdic|ebcdic-.*|iso-2022-.*|hz-gb-2312|x-mac-.*|johab|viscii|hp-roman8)$/;

/** Throws InvalidMessage. */
function charsetOf(bytes: Buffer, charset: string | null): Charset {
  return charsetNamed(markOf(bytes) ?? charset ?? declaredIn(bytes));
}

const charsetNamed = memoize((name: string): Charset => {
  const label = name.trim().toLowerCase();
  const encoding = ASCII_LABELS.has(label) ? null : encodingOf(label);
  if (encoding === null && UNDECODABLE.test(label))
    throw new Fault(
      "InvalidMessage",
      `The charset "${cut(name)}" cannot be decoded. Send the message in UTF-8, and declare it as utf-8.`,
    );
  return { encoding: encoding ?? "utf-8", isAssumed: encoding === null };
});

function encodingOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
}

function declaredIn(bytes: Buffer): string {
  // Without a byte order mark, a zero byte beside "<" indicates UTF-16 (XML 1.0, appendix F).
  if (bytes[0] === 0x3c && bytes[1] === 0) return "utf-16le";
  if (bytes[0] === 0 && bytes[1] === 0x3c) return "utf-16be";
  const declared = DECLARED.exec(bytes.subarray(0, 300).toString("latin1"))?.[1] ?? "utf-8";
  // The declaration was readable as ASCII, so a declared UTF-16 cannot be true.
  return charsetNamed(declared).encoding.startsWith("utf-16") ? "utf-8" : declared;
}
