/** Mutates the text of a message, and its bytes. */
import type { Random } from "./random.ts";

const tokens = [
  "<",
  ">",
  "&",
  ";",
  '"',
  "'",
  "/",
  "]]>",
  "<![CDATA[",
  "<!--",
  "-->",
  "<?",
  "?>",
  "<!DOCTYPE",
  "&#",
  "xmlns=",
  "xmlns:a=''",
  "\u0000",
  "\ud800",
  "\udfff",
  "\ufffe",
  "\r",
  "</",
  "/>",
  ":",
  "=",
];

export function mutateText(random: Random, text: string): string {
  let result = text;
  for (let times = random.below(4) + 1; times > 0; times -= 1) {
    const from = random.below(result.length + 1);
    const to = Math.min(result.length, from + random.below(random.oneIn(3) ? 200 : 8));
    const [before, middle, after] = [result.slice(0, from), result.slice(from, to), result.slice(to)];
    result = random.pick([
      () => before + after,
      () => before + middle + middle + after,
      () => before + random.pick(tokens) + after,
      () => before + random.pick(tokens) + middle + after,
      () => before + after + middle,
      () => before,
      () => before + [...middle].reverse().join("") + after,
    ])();
  }
  return result;
}

const badBytes = [
  [0xff],
  [0xfe, 0xff],
  [0xc0, 0x80],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xe2, 0x82],
  [0x80],
  [0x00],
  [0xd8, 0x00],
  [0x00, 0xdc],
  [0xef, 0xbb, 0xbf],
  [0x1b, 0x24, 0x42],
];

export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  return random.pick([
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(badBytes)), bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), random.bytes(random.below(6)), bytes.subarray(at)]),
    () => bytes.subarray(0, at),
    () => bytes.subarray(at),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
  ])();
}
