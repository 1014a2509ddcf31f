/** How a request is sent: by node:http, or by hand with invalid framing. */
import type { Case, Headers, Plain } from "./cases.ts";
import type { Random } from "./random.ts";

interface Framed extends Omit<Case, "version" | "kind"> {
  /** Whether the framing is valid HTTP. */
  readonly isSound: boolean;
}

/** A request hidden in a body. It must not get a response of its own. */
const SMUGGLED = "POST /default.asmx HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

const LARGE = 65_536;

export function framed(random: Random, plain: Plain): Framed {
  // The response to a large request can get lost: the server may answer before the end and close the
  // connection.
  if (plain.body.length > LARGE || !random.oneIn(4))
    return { ...plain, raw: null, answers: [1, 1], isSound: true };
  const isSound = random.oneIn(4);
  const [raw, least, most] = random.pick(isSound ? soundTricks : tricks)(random, plain);
  const method = raw.subarray(0, 5).toString("latin1") === "POST " ? "POST" : "GET";
  return { ...plain, method, raw, answers: [least, most], isSound };
}

const line = ([name, value]: Headers[number]): string => `${name}: ${value}\r\n`;
const length = (body: Buffer): string => `Content-Length: ${body.length}\r\n`;

function head(plain: Plain, more: string, last = "Host: localhost\r\nConnection: close\r\n"): Buffer {
  const text = `${plain.method} ${plain.path} HTTP/1.1\r\n${last}${plain.headers.map(line).join("")}${more}\r\n`;
  return Buffer.from(text, "latin1");
}
const chunk = (data: Buffer, extension = ""): Buffer =>
  Buffer.concat([Buffer.from(`${data.length.toString(16)}${extension}\r\n`), data, Buffer.from("\r\n")]);
const END = Buffer.from("0\r\n\r\n");

function inChunks(random: Random, body: Buffer): Buffer {
  const size = random.pick([1, 7, 100, 5000]);
  const chunks: Buffer[] = [];
  // A chunk per byte of a large body is tested in body-buffer.test.ts.
  const step = Math.max(size, Math.ceil(body.length / 2000));
  for (let at = 0; at < body.length; at += step)
    chunks.push(chunk(body.subarray(at, at + step), random.pick(["", ";a=b", ';q="x"'])));
  return Buffer.concat(chunks);
}

type Trick = (random: Random, plain: Plain) => readonly [raw: Buffer, least: number, most: number];
const CHUNKED = "Transfer-Encoding: chunked\r\n";

const soundTricks: readonly Trick[] = [
  (_random, plain) => [Buffer.concat([head(plain, length(plain.body)), plain.body]), 1, 2],
  (random, plain) => [Buffer.concat([head(plain, CHUNKED), inChunks(random, plain.body), END]), 1, 2],
  (random, plain) => [
    Buffer.concat([
      head(plain, CHUNKED),
      inChunks(random, plain.body),
      Buffer.from("0\r\nX-Trailer: x\r\n\r\n"),
    ]),
    1,
    2,
  ],
  (_random, plain) => {
    const keepAlive = head(plain, length(plain.body), "Host: localhost\r\n");
    const last = head(plain, length(plain.body));
    return [Buffer.concat([keepAlive, plain.body, last, plain.body]), 1, 4];
  },
  (_random, plain) => {
    const old = Buffer.from(
      head(plain, length(plain.body)).toString("latin1").replace("HTTP/1.1", "HTTP/1.0"),
      "latin1",
    );
    return [Buffer.concat([old, plain.body]), 1, 2];
  },
];

/** With a request hidden behind the body: at most one response, and none to the hidden one. */
const hiding = (...parts: readonly Buffer[]): ReturnType<Trick> => [
  Buffer.concat([...parts, Buffer.from(SMUGGLED)]),
  1,
  1,
];

const tricks: readonly Trick[] = [
  // Truncated: a client that sends nothing more need not get a response.
  (random, plain) => {
    const whole = Buffer.concat([head(plain, length(plain.body)), plain.body]);
    return [whole.subarray(0, random.below(whole.length)), 0, 2];
  },
  (random, plain) => {
    const whole = Buffer.concat([head(plain, CHUNKED), inChunks(random, plain.body)]);
    return [whole.subarray(0, random.below(whole.length + 1)), 0, 2];
  },
  (_random, plain) => [
    Buffer.concat([head(plain, `Content-Length: ${plain.body.length + 9}\r\n`), plain.body]),
    0,
    2,
  ],
  // Two interpretations of where the body ends.
  (random, plain) => hiding(head(plain, length(plain.body) + CHUNKED), inChunks(random, plain.body), END),
  (_random, plain) => hiding(head(plain, `${CHUNKED}Content-Length: 5\r\n`), END),
  (_random, plain) => hiding(head(plain, `${length(plain.body)}Content-Length: 0\r\n`), plain.body),
  (random, plain) =>
    hiding(
      head(
        plain,
        `Content-Length: ${random.pick(["-1", "+5", "0x5", "5 5", "5,5", "99999999999999999999", "abc", ""])}\r\n`,
      ),
      plain.body,
    ),
  (random, plain) =>
    hiding(
      head(
        plain,
        random.pick([
          "Transfer-Encoding: xchunked\r\n",
          "Transfer-Encoding: chunked, identity\r\n",
          "Transfer-Encoding: identity\r\n",
          "Transfer-Encoding : chunked\r\n",
          "Transfer-Encoding:\r\n chunked\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n",
          "X: y\r\n\tTransfer-Encoding: chunked\r\n",
        ]),
      ),
      inChunks(random, plain.body),
      END,
    ),
  (random, plain) =>
    hiding(
      head(plain, CHUNKED),
      Buffer.from(
        random.pick([
          "5\nhello\n0\n\n",
          "-5\r\nhello\r\n",
          "5 \r\nhello\r\n0\r\n\r\n",
          "fffffffffffffffff\r\n",
          "0x5\r\nhello\r\n0\r\n\r\n",
          "5\r\nhelloworld\r\n0\r\n\r\n",
          `5;${"x".repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
          "\r\n\r\n",
        ]),
      ),
    ),
  (_random, plain) => {
    const bare = head(plain, length(plain.body)).toString("latin1").replaceAll("\r\n", "\n");
    return [Buffer.concat([Buffer.from(bare, "latin1"), plain.body]), 1, 2];
  },
  (_random, plain) => [
    Buffer.concat([head(plain, `X-Folded: a\r\n b\r\n${length(plain.body)}`), plain.body]),
    1,
    2,
  ],
  (random, plain) => [
    Buffer.concat([
      head(
        plain,
        length(plain.body),
        random.pick([
          "Connection: close\r\n",
          "Host: a\r\nHost: b\r\nConnection: close\r\n",
          "Host: a b/@?\r\nConnection: close\r\n",
          "Host: \r\nConnection: close\r\n",
          `Host: ${"h".repeat(9000)}\r\nConnection: close\r\n`,
          "Host: <script>\r\nConnection: close\r\n",
        ]),
      ),
      plain.body,
    ]),
    1,
    2,
  ],
  (random, plain) => [
    Buffer.concat([
      head(plain, `X: ${"x".repeat(random.pick([8000, 16_000, 40_000]))}\r\n${length(plain.body)}`),
      plain.body,
    ]),
    1,
    2,
  ],
  (_random, plain) => [
    Buffer.concat([head(plain, `${"X: y\r\n".repeat(3000)}${length(plain.body)}`), plain.body]),
    1,
    2,
  ],
  (random, plain) => [
    Buffer.concat([
      head(plain, `X: a${random.pick(["\0", "\x01", "\x7f", "\r", "\xff"])}b\r\n${length(plain.body)}`),
      plain.body,
    ]),
    1,
    2,
  ],
  (random) => [random.bytes(random.below(2000) + 1), 0, 2],
  (random) => [
    Buffer.from(
      random.pick([
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET\r\n\r\n",
        "G\0T / HTTP/1.1\r\n\r\n",
        "CONNECT default.asmx:80 HTTP/1.1\r\nHost: x\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /default.asmx HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        `GET /${"a".repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      ]),
    ),
    0,
    1,
  ],
];
