/** One fuzzing case from one seed: a message, its bytes, its headers, and how they are sent. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { envelope, type Target } from "./envelope.ts";
import { framed } from "./framing.ts";
import { hostileText } from "./hostile-text.ts";
import { mutateBytes, mutateText } from "./mutate.ts";
import { Random } from "./random.ts";

export type Headers = readonly (readonly [name: string, value: string])[];
export interface Plain {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer;
}
export interface Case extends Plain {
  /** The main defect of the case. */
  readonly kind: string;
  /** All bytes of a case that is sent over a raw socket; null if node:http sends it. */
  readonly raw: Buffer | null;
  /** The least and the most responses there may be. */
  readonly answers: readonly [least: number, most: number];
  /** The SOAP version, if the response must have this one. */
  readonly version: "1.1" | "1.2" | null;
}

export function makeCase(seed: number, target: Target): Case {
  const random = new Random(seed);
  if (random.oneIn(25)) return described(random);
  const made = envelope(random, target);
  const isDisturbed = random.oneIn(3);
  const text = isDisturbed ? mutateText(random, made.text) : made.text;
  const encoded = encode(random, text);
  const damaged = random.oneIn(8);
  const bytes = damaged ? mutateBytes(random, encoded.bytes) : encoded.bytes;
  const packed = pack(random, bytes);
  const headers: (readonly [string, string])[] = [...packed.headers, ...extraHeaders(random, target)];
  if (encoded.contentType !== null) headers.push(["Content-Type", encoded.contentType]);
  const plain: Plain = { method: "POST", path: pathOf(random), headers, body: packed.body };
  const isClear = !isDisturbed && !damaged && encoded.isClear && packed.isClear;
  const { isSound, ...sent } = framed(random, plain);
  const wrongs: readonly (readonly [isSo: boolean, kind: string])[] = [
    [!isSound, "HTTP that is invalid, cut off or ambiguous"],
    [!packed.isClear, "invalid compression, a compression bomb, or too large"],
    [damaged, "mutated bytes"],
    [isDisturbed, "mutated text"],
    [!encoded.isClear, "an encoding or media type other than declared"],
    [made.version === null, "XML and envelopes that are hard to parse"],
  ];
  const kind = wrongs.find(([isSo]) => isSo)?.[1] ?? "valid XML with odd or hostile values";
  return { ...sent, kind, version: isClear && isSound ? made.version : null };
}

/** GET requests and everything else that is not a call. */
function described(random: Random): Case {
  const text = encodeURIComponent(random.pick(hostileText));
  const path = random.pick([
    "/default.asmx",
    "/default.asmx?wsdl",
    "/DEFAULT.ASMX?WSDL&names=short",
    "/default.asmx?disco",
    `/default.asmx?op=${text}`,
    `/default.asmx?${text}`,
    `/${text}`,
    "/",
    "//default.asmx",
    "/default.asmx/",
    "/default.asmx%00?wsdl",
    "/../default.asmx",
    "http://elsewhere.example/default.asmx?wsdl",
    "/healthz",
    "/readyz",
    "/api/v1/fields",
    "/schemas/field-collection.json",
    `/api/v1/${text}`,
    `/default.asmx?${"a".repeat(random.below(8000))}`,
  ]);
  const method = random.pick(["GET", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "POST"]);
  const headers: (readonly [string, string])[] = [
    ["Accept-Encoding", random.pick(["gzip", "gzip;q=0", "*", "gzip, br;q=x", "", ",,,"])],
    ["If-None-Match", random.pick(["*", '"x"', 'W/"x", "y"', "x".repeat(2000)])],
    ["Authorization", random.pick(["Bearer x", "Bearer ", "Basic eDp4", "x".repeat(3000)])],
  ];
  // SOAP that is posted to a path without an endpoint.
  if (random.oneIn(4)) headers.push(["SOAPAction", ""], ["Content-Type", random.pick(types)]);
  const body = random.oneIn(4) ? random.bytes(random.below(300)) : Buffer.alloc(0);
  const kind = "not a call: other methods, paths and headers";
  return { method, path, headers, body, kind, raw: null, answers: [1, 1], version: null };
}

const types = ["text/xml", "text/xml", "application/soap+xml", "application/xml"] as const;
const oddTypes = [
  null,
  "",
  "text/plain",
  "application/json",
  "multipart/related; boundary=x",
  "text/xml;",
  "text/xml; charset",
  'text/xml; charset="utf-8',
  "text/xml; charset=utf-8; charset=utf-16",
  "text/xml; charset=\\",
  "application/soap+xml; action=",
  'application/soap+xml; action="%ff%zz"',
  `text/xml; x="${"y".repeat(3000)}"`,
  `text/xml${";a=b".repeat(700)}`,
  "TEXT/XML;CHARSET=UTF-8",
] as const;
const labels = [
  "utf-7",
  "ebcdic-cp-us",
  "x-user-defined",
  "replacement",
  "iso-2022-jp",
  "gb18030",
  "shift_jis",
  "big5",
  "koi8-r",
  "utf-32",
  "utf-16be",
  "utf-16",
  "us-ascii",
  "nonsense",
  "",
  "utf-8\u00e9",
  "x".repeat(500),
] as const;

interface Encoded {
  readonly bytes: Buffer;
  readonly contentType: string | null;
  /** Whether the bytes match their labels. */
  readonly isClear: boolean;
}
function encode(random: Random, text: string): Encoded {
  if (random.oneIn(12))
    return { bytes: Buffer.from(text), contentType: random.pick(oddTypes), isClear: false };
  const type = random.pick(types);
  if (random.oneIn(12)) {
    const contentType = `${type}; charset=${random.pick(labels)}`;
    return { bytes: Buffer.from(text), contentType, isClear: false };
  }
  const utf16 = Buffer.from(text, "utf16le");
  // A declaration of UTF-8 is ignored if the Content-Type or a byte order mark says otherwise.
  return random.pick<() => Encoded>([
    () => ({ bytes: Buffer.from(text), contentType: `${type}; charset=utf-8`, isClear: true }),
    () => ({ bytes: Buffer.from(text), contentType: type, isClear: true }),
    () => ({ bytes: Buffer.from(`\ufeff${text}`), contentType: `${type};charset="UTF-8"`, isClear: false }),
    () => ({ bytes: utf16, contentType: `${type}; charset=utf-16`, isClear: !text.startsWith("\ufeff") }),
    () => ({ bytes: Buffer.from(utf16).swap16(), contentType: `${type}; charset=UTF-16BE`, isClear: true }),
    () => ({
      bytes: Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      contentType: type,
      isClear: !text.startsWith("\ufeff"),
    }),
    () => ({
      bytes: Buffer.from(text, "latin1"),
      contentType: `${type}; charset=iso-8859-1`,
      isClear: false,
    }),
    () => ({ bytes: Buffer.from(text, "latin1"), contentType: `${type}; charset=utf-8`, isClear: false }),
  ])();
}

interface Packed {
  readonly body: Buffer;
  readonly headers: Headers;
  readonly isClear: boolean;
}
const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024, " "));
const LARGE = Buffer.alloc(4_200_000, "<a>");

function pack(random: Random, bytes: Buffer): Packed {
  const as = (coding: string, body: Buffer, isClear = false): Packed => ({
    body,
    headers: [["Content-Encoding", coding]],
    isClear,
  });
  if (random.oneIn(2000)) return { body: LARGE, headers: [], isClear: false };
  if (random.oneIn(1000)) return as("gzip", BOMB);
  if (!random.oneIn(8)) return { body: bytes, headers: [], isClear: true };
  return random.pick<() => Packed>([
    () => as("gzip", gzipSync(bytes), true),
    () => as("X-GZIP", gzipSync(bytes), true),
    () => as("deflate", deflateSync(bytes), true),
    () => as("identity", bytes, true),
    () => as("deflate", deflateRawSync(bytes)),
    () => as("br", brotliCompressSync(bytes)),
    () => as("gzip", bytes),
    () => as("gzip", gzipSync(bytes).subarray(0, -random.below(20) - 1)),
    () => as("gzip", Buffer.concat([gzipSync(bytes), gzipSync(bytes)])),
    () => as("gzip", Buffer.concat([gzipSync(bytes), Buffer.from("rest")])),
    () => as("gzip, gzip", gzipSync(gzipSync(bytes))),
    () => as("gzip", mutateBytes(random, gzipSync(bytes))),
    () => as("", bytes, true),
  ])();
}

function extraHeaders(random: Random, target: Target): (readonly [string, string])[] {
  if (!random.oneIn(3)) return [];
  return [
    random.pick([
      ["SOAPAction", '""'],
      ["SOAPAction", `"${target.namespace}/Subscriber.Add"`],
      ["SOAPAction", "%"],
      ["SOAPAction", '"%E0%A4%A"'],
      ["SOAPAction", `"urn:${"x".repeat(2000)}"`],
      ["Expect", "100-continue"],
      ["Accept-Encoding", "gzip;q=0, *"],
      ["X-Forwarded-Host", "evil.example"],
      ["X-Forwarded-Proto", "javascript"],
      ["Forwarded", 'host="evil";proto='],
      ["Cookie", "x".repeat(4000)],
      ["X-Odd", "\u00e9\u00ff"],
    ]),
  ];
}

const pathOf = (random: Random): string =>
  random.oneIn(10)
    ? random.pick([
        "/Default.asmx",
        "/default.asmx?op=x",
        "/DEFAULT.ASMX?wsdl",
        "http://x.example/default.asmx",
      ])
    : "/default.asmx";
