/** Large messages: read in slices to the same result, yielding to the event loop, in linear time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { Dispatcher, type SoapCaller } from "#soap/dispatch.ts";
import { CallerGone } from "#soap/request/caller-gone.ts";
import { sequenceReader } from "#soap/request/decode.ts";
import type { Message } from "#soap/request/document-reader.ts";
import { decodeBytes, decodeChunks } from "#soap/request/encoding.ts";
import { parseMediaType } from "#soap/request/media-type.ts";
import { RequestReader } from "#soap/request/request-reader.ts";
import { toyService } from "../toy-contract.ts";

setFlagsFromString("--expose-gc");
const NS = "urn:toys";
const namespaces = { expected: NS, accepts: (ns: string) => ns === NS };
const operations = new Map(
  Object.entries(toyService.operations).map(([name, { params }]) => [name, sequenceReader(params)]),
);
const put = (params: string): string =>
  `<?xml version="1.0"?><e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Toy.Put xmlns="${NS}"><Colour>RED</Colour>${params}</Toy.Put></e:Body></e:Envelope>`;

const stays = { isGone: false };
/** Authenticated, and connected. */
const caller = { client: "client", isGone: false, account: 1 };

type Result = Message | { readonly refused: string };
const inWhole = (text: string): Result => {
  try {
    return new RequestReader(operations).read(text, namespaces);
  } catch (error) {
    return { refused: (error as Error).message };
  }
};
const inSlices = async (slices: readonly string[]): Promise<Result> =>
  new RequestReader(operations)
    .readSlices(slices, namespaces, stays)
    .catch((error: unknown) => ({ refused: (error as Error).message }));

function cutAt<T extends { slice(from: number, to?: number): T; readonly length: number }>(
  whole: T,
  places: readonly number[],
): T[] {
  const cuts = [0, ...places.map((place) => place % (whole.length + 1)), whole.length].sort((a, b) => a - b);
  return cuts.slice(1).map((to, index) => whole.slice(cuts[index] ?? 0, to));
}
const places = fc.array(fc.nat(5000), { minLength: 1, maxLength: 12 });

const part = fc.constantFrom(
  "<Token>a\r\nb\rc</Token>",
  "<Token>]]&gt;&amp;&#x1F600;😀&#xD83D;&#xDE00;&#55357;&#56832;</Token>",
  "<Token>&#xD83D;</Token>",
  "<Token>]]></Token>",
  "<Token><![CDATA[]]]]><![CDATA[>&#xD83D;&#xDE00;]]></Token>",
  "<Size>12</Size>",
  "<Size>1<!-- - -->2</Size>",
  "<Size>x</Size>",
  '<p:Size xmlns:p="urn:toys">5</p:Size>',
  '<q xmlns:p="urn:a"><q xmlns:p="urn:toys"><p:Size>5</p:Size></q><p:Size/></q>',
  "<Parts><part><Label>é</Label><Colour>RED</Colour></part><?pi ?? ?></Parts>",
  "<unknown a = 'x\ty' b='&lt;'/>",
  "<p:unbound/>",
  "<a",
  "&",
  "</a>",
);

test("reads a message that is cut anywhere like an uncut one", async () => {
  const document = fc.array(part, { maxLength: 8 }).map((parts) => put(parts.join("\n")));
  await fc.assert(
    fc.asyncProperty(document, places, async (text, cuts) => {
      assert.deepEqual(await inSlices(cutAt(text, cuts)), inWhole(text));
    }),
    { numRuns: 500 },
  );
});

describe("bytes that are cut anywhere are decoded like uncut ones", () => {
  const start = `<?xml version="1.0"?><a b="${" ".repeat(300)}">`;
  const text = fc.array(fc.constantFrom("é", "€", "😀", "\ufeff", "\r\n", "<b/>", "x"), { maxLength: 40 });
  for (const [name, encode, charset] of [
    ["UTF-8", (given: string) => Buffer.from(given), null],
    ["UTF-8 with a mark", (given: string) => Buffer.from(`\ufeff${given}`), "utf-8"],
    ["UTF-16", (given: string) => Buffer.from(given, "utf16le"), "utf-16"],
    ["UTF-16BE", (given: string) => Buffer.from(`\ufeff${given}`, "utf16le").swap16(), null],
    ["windows-1252 that claims to be UTF-8", (given: string) => Buffer.from(`${given}é`, "latin1"), "utf-8"],
    ["GB18030 that it is not", (given: string) => Buffer.from(`${given}\xff`, "latin1"), "gb18030"],
  ] as const)
    test(`decodes ${name} cut anywhere like uncut bytes`, async () => {
      const outcome = async (decode: () => Promise<unknown>) =>
        decode().catch((error: unknown) => (error as Error).message);
      await fc.assert(
        fc.asyncProperty(text, places, async (inner, cuts) => {
          const bytes = encode(start + inner.join(""));
          // The first chunk of a body is full, so it has all that tells the encoding.
          const chunks = [bytes.subarray(0, 700), ...cutAt(bytes.subarray(700), cuts)];
          assert.deepEqual(
            await outcome(async () => {
              const { slices, mislabelled } = await decodeChunks(chunks, charset, stays);
              return { text: slices.join(""), mislabelled };
            }),
            await outcome(async () => decodeBytes(bytes, charset)),
          );
        }),
        { numRuns: 200 },
      );
    });
});

/** A service that gives back how long the token was. */
function dispatcher() {
  const handle = async (input: unknown) => {
    const { Token } = input as { readonly Token: string | null };
    return (Token?.length ?? 0) > 3 ? "TooBig" : "Done";
  };
  const handlers = Object.fromEntries(Object.keys(toyService.operations).map((name) => [name, handle]));
  return new Dispatcher<SoapCaller>(toyService, {
    handlers,
    onDefect: () => "reference",
  });
}
const CHUNK = 16_384;
const chunksOf = (text: string): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, index) =>
    bytes.subarray(index * CHUNK, (index + 1) * CHUNK),
  );
};
const request = (text: string) => ({
  mediaType: parseMediaType("text/xml"),
  soapAction: undefined,
  chunks: chunksOf(text),
  namespaces,
});
const large = (token: string): string => put(`${"<a>b</a>".repeat(50_000)}<Token>${token}</Token>`);

describe("while a large message is read", () => {
  test("answers small messages while a large one is read", async () => {
    const toys = dispatcher();
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    await Promise.all([
      toys.respond(request(large("long one")), caller).then(note("large")),
      toys.respond(request(put("<Token>x</Token>")), caller).then(note("small")),
    ]);
    assert.deepEqual(order, ["small", "large"]);
  });
  test("yields to the event loop after each chunk", async () => {
    const text = large("x");
    let turns = 0;
    let isReading = true;
    const count = () => {
      turns += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    await dispatcher().respond(request(text), caller);
    isReading = false;
    assert.ok(turns >= text.length / CHUNK, `${turns} turns`);
  });
  test("reads large messages one after the other, and continues after an invalid one", async () => {
    const toys = dispatcher();
    const broken = large("x").replace("</e:Body>", "");
    const texts = [large("x"), broken, large("long"), `${large("x")}<`, large("y")];
    const replies = await Promise.all(texts.map((text) => toys.respond(request(text), caller)));
    assert.deepEqual(
      replies.map(({ outcome }) => outcome),
      ["Done", "InvalidMessage", "TooBig", "InvalidMessage", "Done"],
    );
  });
});

describe("large messages of a disconnected client", () => {
  /** Who goes away after it was asked for so often. */
  const goneAfter = (times: number) => {
    let asked = 0;
    const client = {
      ...caller,
      get isGone() {
        asked += 1;
        return asked > times;
      },
    };
    return { client, asked: () => asked };
  };
  const isCallerGone = (error: unknown) => error instanceof CallerGone;

  test("decodes no further chunk of a large message whose client has disconnected", async () => {
    const { client, asked } = goneAfter(3);
    await assert.rejects(decodeChunks(chunksOf(large("x")), "utf-8", client), isCallerGone);
    assert.equal(asked(), 4);
  });
  test("reads no further slice of a large message whose client has disconnected", async () => {
    let read = 0;
    function* slices(): Generator<string> {
      for (const chunk of chunksOf(large("x"))) {
        read += 1;
        yield chunk.toString();
      }
    }
    const asArray = { [Symbol.iterator]: slices } as unknown as string[];
    const reading = new RequestReader(operations).readSlices(asArray, namespaces, goneAfter(3).client);
    await assert.rejects(reading, isCallerGone);
    assert.equal(read, 4);
  });
  test("does not execute the call of a client that disconnected after its message was read", async () => {
    const toys = dispatcher();
    const text = large("x");
    const looks = goneAfter(Number.POSITIVE_INFINITY);
    assert.equal((await toys.respond(request(text), looks.client)).outcome, "Done");
    const { client } = goneAfter(looks.asked() - 1);
    await assert.rejects(toys.respond(request(text), client), isCallerGone);
  });
});

const MiB = 1 << 20;
/**
 * Something at the start of a message again and again, slice by slice; `onSlice` is told how much was asked
 * for.
 */
async function readRepeated(
  [start, unit, end]: readonly [start: string, unit: string, end: string],
  size: number,
  onSlice: (read: number) => void,
): Promise<Result> {
  const [before = "", behind = ""] = put(`${start}\0${end}`).split("\0");
  const slice = unit.repeat(Math.ceil(CHUNK / unit.length));
  function* slices(): Generator<string> {
    yield before;
    for (let read = 0; read < size; read += slice.length) {
      onSlice(read + slice.length);
      yield slice;
    }
    yield behind;
  }
  return inSlices({ [Symbol.iterator]: slices } as unknown as string[]);
}

describe("messages that would be expensive to parse are refused early", () => {
  const rows: Readonly<Record<string, readonly [start: string, unit: string, reason: RegExp]>> = {
    "an element of attributes only": ["<a ", "a='' ", /more than 64 attributes/],
    "elements that never close": ["", "<a xmlns:b='urn:b'>", /nested more than 64 deep/],
    "a name without an end": ["<a", "a", /name is longer than 1024/],
    "a reference without an end": ["<a>&#", "0", /reference is longer than 1024/],
  };
  for (const [name, [start, unit, reason]] of Object.entries(rows))
    test(`refuses ${name} early`, async () => {
      let read = 0;
      const result = await readRepeated([start, unit, ""], 8 * MiB, (so) => {
        read = so;
      });
      assert.match("refused" in result ? result.refused : "", reason);
      assert.ok(read <= 2 * CHUNK, `${read} characters were read`);
    });
});

/** A string of many parts takes up to 100 bytes of memory for each byte that was sent. */
describe("text in very many parts takes memory in proportion to its size", { concurrency: 1 }, () => {
  const rows: Readonly<Record<string, readonly [start: string, unit: string, end: string, length: number]>> =
    {
      "a value of references": ["<Token>", "&amp;", "</Token>", 1],
      "a value of line ends": ["<Token>", "\r", "</Token>", 1],
      "a value of CDATA sections": ["<Token>", "<![CDATA[x]]>", "</Token>", 1],
      "a value of brackets": ["<Token>", "] ", "</Token>", 2],
      "an attribute of references": ["<a b='", "&amp;", "'/>", 0],
      "an attribute of line ends": ["<a b='", "\r\n", "'/>", 0],
      "a comment of hyphens": ["<!--", "- ", "-->", 0],
      "an instruction of question marks": ["<?p ", "? ", "?>", 0],
      "text of an undeclared element": ["<Photo>", "&amp;\r", "</Photo>", 0],
    };
  const collect = runInNewContext("gc") as () => void;
  const heapUsed = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  for (const [name, [start, unit, end, length]] of Object.entries(rows))
    test(`reads ${name} in memory in proportion to its text`, async () => {
      const size = 4 * MiB;
      const before = heapUsed();
      let [taken, read] = [Number.NaN, 0];
      const result = await readRepeated([start, unit, end], size, (so) => {
        read = so;
        if (so >= size) taken = heapUsed() - before;
      });
      assert.ok("input" in result && result.problem === null, JSON.stringify(result).slice(0, 200));
      const { Token } = result.input as { readonly Token: string | null };
      assert.equal(Token?.length ?? 0, (read / unit.length) * length);
      assert.ok(taken < 3 * size, `${taken} bytes for ${size}`);
    });
});

/** Each of these once took longer for each byte the more bytes there were, or still does in other parsers. */
describe("four times the size takes about four times the work", { concurrency: 1 }, () => {
  const deep = (inner: string): string =>
    `<p:a xmlns:p="urn:p">${"<a>".repeat(55)}${inner}${"</a>".repeat(55)}</p:a>`;
  const rows: Readonly<Record<string, (repeat: (unit: string) => string) => string>> = {
    "unknown elements": (repeat) => put(repeat("<a/>")),
    "records of an array": (repeat) => put(`<Parts>${repeat("<part><Label>x</Label></part>")}</Parts>`),
    "values that cannot be read": (repeat) =>
      put(`<Parts>${repeat("<part><PartId>x</PartId></part>")}</Parts>`),
    "operations beside each other": (repeat) =>
      put(`</Toy.Put>${repeat(`<Toy.Put xmlns="${NS}"/>`)}<Toy.Put>`),
    "a value in many parts": (repeat) => put(`<Token>${repeat("a<!---->")}</Token>`),
    "deep elements with a prefix from far above": (repeat) => put(deep(repeat("<p:a/>"))),
    "deep elements with many attributes": (repeat) => put(deep(repeat("<a p:a='' p:b='' p:c='' p:d=''/>"))),
    "namespaces in each element": (repeat) =>
      put(repeat("<a xmlns:q='urn:q' xmlns:r='urn:r' xmlns:s='urn:s'/>")),
    references: (repeat) => put(repeat(`<a>${"&amp;&#38;".repeat(500)}</a>`)),
    "surrogate pairs as references": (repeat) => put(repeat(`<a>${"&#xD83D;&#xDE00;".repeat(500)}</a>`)),
    "line ends": (repeat) => put(repeat(`<a>${"\r\n\r".repeat(500)}</a>`)),
  };
  const SIZE = 262_144;
  const cost = async (text: string): Promise<number> => {
    const chunks = chunksOf(text);
    const before = process.threadCpuUsage();
    const { slices } = await decodeChunks(chunks, null, stays);
    await inSlices(slices);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const least = async (text: string): Promise<number> => {
    const costs = [await cost(text), await cost(text), await cost(text)];
    return Math.min(...costs);
  };
  for (const [name, make] of Object.entries(rows))
    test(`reads ${name} in linear time`, async () => {
      const of = (size: number) => make((unit) => unit.repeat(Math.ceil(size / unit.length)));
      await cost(of(SIZE));
      let [one, four] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      // A machine that others share can be slower for a while: what seems too much is measured again.
      for (let attempt = 0; attempt < 5; attempt += 1) {
        one = Math.min(one, await least(of(SIZE)));
        four = Math.min(four, await least(of(4 * SIZE)));
        if (four <= 6 * one) break;
      }
      assert.ok(four <= 6 * one, `${one} µs, and ${four} µs for four times the size`);
    });
});
