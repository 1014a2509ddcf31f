/**
 * From the bytes of a request to its text: charset of the Content-Type, byte order mark, XML declaration, in that
 * order (RFC 7303 would put the mark first; ASMX does not, and old clients were written against it).
 *
 * Bytes that claim to be UTF-8 and are not come from programs that paste Latin-1 into a UTF-8 template. They are
 * read as windows-1252, so that no name is destroyed.
 */
import { isAscii } from "node:buffer";
import { TextDecoder } from "node:util";
import { Fault } from "../contract/faults.ts";
import { nextSlice } from "./caller-gone.ts";

interface Labelled {
  /** The bytes were not what was declared: an old habit of the caller, worth a word in the log. */
  readonly mislabelled: boolean;
}
export interface Decoded extends Labelled {
  readonly text: string;
}
/** Of a large request, the text in as many slices as its bytes came in. */
export interface DecodedSlices extends Labelled {
  readonly slices: readonly string[];
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const windows1252 = new TextDecoder("windows-1252");
const DECLARED =
  /^<\?xml(?=[ \t\r\n])[^>]{0,200}?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][A-Za-z0-9._-]{0,40})["']/;

export function decodeBytes(bytes: Buffer, charset: string | null): Decoded {
  const label = charset ?? markedOrDeclared(bytes);
  const name = normalise(label);
  if (name === "utf-8") {
    if (isAscii(bytes)) return { text: bytes.toString("latin1"), mislabelled: false };
    try {
      return { text: utf8.decode(bytes), mislabelled: false };
    } catch {
      return { text: windows1252.decode(bytes), mislabelled: true };
    }
  }
  try {
    return { text: decoder(name, bytes).decode(bytes), mislabelled: false };
  } catch (error) {
    throw notValid(name, error);
  }
}

/**
 * As `decodeBytes`, with turns for others in between. The first piece is long enough to tell the encoding.
 * Throws CallerGone where nobody waits for it any more.
 */
export async function decodeChunks(
  chunks: readonly Buffer[],
  charset: string | null,
  isGone: () => boolean,
): Promise<DecodedSlices> {
  const first = chunks[0] ?? Buffer.alloc(0);
  const name = normalise(charset ?? markedOrDeclared(first));
  try {
    return { slices: await slicesOf(chunks, decoder(name, first), isGone), mislabelled: false };
  } catch (error) {
    if (name !== "utf-8" || !isNotEncodedSo(error)) throw notValid(name, error);
    return { slices: await slicesOf(chunks, new TextDecoder("windows-1252"), isGone), mislabelled: true };
  }
}

async function slicesOf(
  chunks: readonly Buffer[],
  decoding: TextDecoder,
  isGone: () => boolean,
): Promise<string[]> {
  const slices: string[] = [];
  for (const chunk of chunks) {
    await nextSlice(isGone);
    slices.push(decoding.decode(chunk, { stream: true }));
  }
  slices.push(decoding.decode());
  return slices;
}

/** What a TextDecoder says of bytes. */
const isNotEncodedSo = (error: unknown): boolean => error instanceof TypeError;

function notValid(name: string, error: unknown): unknown {
  if (!isNotEncodedSo(error)) return error;
  return new Fault("InvalidMessage", `The request is not valid ${name}.`, { cause: error });
}

/** "utf-16" alone means either order: the mark decides, and without one it is little-endian. */
function normalise(label: string): string {
  const name = label.trim().toLowerCase();
  return name === "utf8" ? "utf-8" : name;
}

function decoder(name: string, bytes: Buffer): TextDecoder {
  const isBigEndian = name === "utf-16be" || (name === "utf-16" && bytes[0] === 0xfe && bytes[1] === 0xff);
  try {
    return new TextDecoder(isBigEndian ? "utf-16be" : name, { fatal: true });
  } catch {
    throw new Fault(
      "UnsupportedMediaType",
      `The charset "${name.slice(0, 100)}" is not known. Use utf-8, utf-16, iso-8859-1, windows-1252 or us-ascii.`,
    );
  }
}

function markedOrDeclared(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  // Without a mark, a zero byte beside "<" gives UTF-16 away (XML 1.0, appendix F).
  if (bytes[0] === 0x3c && bytes[1] === 0) return "utf-16le";
  if (bytes[0] === 0 && bytes[1] === 0x3c) return "utf-16be";
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (start === 3) return "utf-8";
  const declared = DECLARED.exec(bytes.subarray(0, 300).toString("latin1"))?.[1] ?? "utf-8";
  // Readable as ASCII so far, so a declared UTF-16 cannot be true.
  return /^utf-16/i.test(declared) ? "utf-8" : declared;
}
