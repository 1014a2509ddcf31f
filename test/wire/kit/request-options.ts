/** What follows the operation or the path of a request, separated by commas: where it goes, and its bytes. */
import { gzipSync } from "node:zlib";
import { KEY } from "../fixture.ts";
import { type EnvelopeStyle, NAMESPACE, type Version } from "./soap.ts";

type Charset = keyof typeof charsets;
const charsets = {
  "UTF-8": (text: string) => Buffer.from(text, "utf8"),
  "Latin-1": (text: string) => Buffer.from(text, "latin1"),
  "UTF-16LE": (text: string) => Buffer.from(text, "utf16le"),
  "UTF-16BE": (text: string) => Buffer.from(text, "utf16le").swap16(),
} as const;

export interface Options {
  version: Version;
  path: string;
  protocol: string;
  namespace: string;
  /** null for none. */
  key: string | null;
  envelope: EnvelopeStyle;
  charset: Charset;
  hasMark: boolean;
  /** With line feeds, before it is compressed. */
  paddedTo: number;
  gzipLevel: number | null;
  times: number;
}

/** A pattern for each option, and what it changes. */
const optionKinds: readonly (readonly [RegExp, (value: string) => Partial<Options>])[] = [
  [/^SOAP (1\.[12])$/, (version) => ({ version: version as Version })],
  [/^at (\S+)$/, (path) => ({ path })],
  [/^(HTTP\/1\.0)$/, (protocol) => ({ protocol })],
  [/^namespace (.+)$/, (namespace) => ({ namespace })],
  [/^key (.+)$/, (key) => ({ key })],
  [/^no key$/, () => ({ key: null })],
  [/^declared as (.+)$/, (encoding) => ({ envelope: { encoding, hasSchema: true } })],
  [/^no declaration$/, () => ({ envelope: { encoding: null, hasSchema: true } })],
  [/^short envelope$/, () => ({ envelope: { encoding: null, hasSchema: false } })],
  [/^in (UTF-8|Latin-1|UTF-16LE|UTF-16BE)$/, (charset) => ({ charset: charset as Charset })],
  [/^byte order mark$/, () => ({ hasMark: true })],
  [/^padded to (\d+) bytes$/, (size) => ({ paddedTo: Number(size) })],
  [/^gzip$/, () => ({ gzipLevel: 6 })],
  [/^gzip at level (\d)$/, (level) => ({ gzipLevel: Number(level) })],
  [/^(\d+) times$/, (times) => ({ times: Number(times) })],
];

export function parseOptions(texts: readonly string[], version: Version): Options {
  const options: Options = {
    version,
    path: "/default.asmx",
    protocol: "HTTP/1.1",
    namespace: NAMESPACE,
    key: KEY,
    envelope: { encoding: "utf-8", hasSchema: true },
    charset: "UTF-8",
    hasMark: false,
    paddedTo: 0,
    gzipLevel: null,
    times: 1,
  };
  for (const text of texts) {
    const kind = optionKinds.find(([pattern]) => pattern.test(text));
    if (kind === undefined) {
      const known = optionKinds.map(([pattern]) => pattern.source).join("  ");
      throw new Error(`"${text}" is not an option of a request. There are: ${known}`);
    }
    const [pattern, change] = kind;
    Object.assign(options, change(pattern.exec(text)?.[1] ?? ""));
  }
  return options;
}

/** The body in bytes. */
export function encode(text: string, { charset, hasMark, gzipLevel, paddedTo }: Options): Buffer {
  const encoded = charsets[charset](hasMark ? `\u{FEFF}${text}` : text);
  const bytes = Buffer.concat([encoded, Buffer.alloc(Math.max(0, paddedTo - encoded.length), "\n")]);
  return gzipLevel === null ? bytes : gzipSync(bytes, { level: gzipLevel });
}
