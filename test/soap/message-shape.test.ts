/** Reading by shape gives the same result as parsing, only faster. */
import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import fc from "fast-check";
import { contract } from "#contract/operations.ts";
import { sequenceReader } from "#soap/request/decode.ts";
import type { Message, Namespaces } from "#soap/request/document-reader.ts";
import { MAX_SHAPES, RequestReader } from "#soap/request/request-reader.ts";
import { XmlParser } from "#xml/parser.ts";
import { call, KEY, startService, withKey } from "../service.ts";

const NS = "http://localhost:8080";
const namespaces: Namespaces = { expected: NS, accepts: (namespace) => namespace === NS };
const operations = new Map(
  Object.entries(contract.operations).map(([name, { params }]) => [name, sequenceReader(params)]),
);
const newReader = (): RequestReader => new RequestReader(operations);

const envelope = (body: string, header = ""): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${header}<s:Body>${body}</s:Body></s:Envelope>`;
const add = (email: string, list = "1", key = "KEY"): string =>
  envelope(
    `<Subscriber.Add xmlns="${NS}"><APIKey>${key}</APIKey>\n<SubscribersListID>${list}</SubscribersListID><EMail>${email}</EMail></Subscriber.Add>`,
  );
const addWithData = (first: string, gender: string, birthday: string, fields: readonly string[]): string =>
  envelope(
    `<a:Subscriber.AddwithBasicandCustoms xmlns:a="${NS}"><a:APIKey>K</a:APIKey><a:SubscribersListID>7</a:SubscribersListID><a:EMail>x@example.org</a:EMail><a:FirstName>${first}</a:FirstName><a:LastName xsi:nil="true"/><a:Gender>${gender}</a:Gender><a:Birthday>${birthday}</a:Birthday><a:CustomsFields>${fields.map((value) => `<a:customField><a:Customfieldid>5</a:Customfieldid><a:Value>${value}</a:Value></a:customField>`).join("")}</a:CustomsFields><a:Unknown>${first}</a:Unknown></a:Subscriber.AddwithBasicandCustoms>`,
  );

const addField = (type: string): string =>
  envelope(
    `<Field.Add xmlns="${NS}"><APIKey>K</APIKey><fieldName>Town</fieldName><dataType>${type}</dataType></Field.Add>`,
  );

type Result = Message | { readonly refused: string };
function readWith(reader: RequestReader, text: string): Result {
  try {
    return reader.read(text, namespaces);
  } catch (error) {
    return { refused: (error as Error).message };
  }
}
/** A reader that has seen nothing can only read in full. */
const inFull = (text: string): Result => readWith(newReader(), text);

/** As the dispatcher does for a caller whose key is known. */
const readAndLearn = (reader: RequestReader, text: string): Message => {
  const message = reader.read(text, namespaces);
  reader.learn(message);
  return message;
};

function timesParsed(work: () => void): number {
  const write = mock.method(XmlParser.prototype, "write");
  try {
    work();
    return write.mock.callCount();
  } finally {
    write.mock.restore();
  }
}

/** That this message is read as in full, without being parsed, by a reader that knows the other one. */
function isReadByShape(known: string, text: string): void {
  const reader = newReader();
  readAndLearn(reader, known);
  const expected = inFull(text);
  const parsed = timesParsed(() => assert.deepEqual(readWith(reader, text), expected));
  assert.equal(parsed, 0);
}

describe("messages that differ from an earlier one only in their values", () => {
  test("reads a message of a known shape without parsing it", () => {
    isReadByShape(add("a@example.org"), add("b@example.org", " 42 ", "OTHER"));
    const reader = newReader();
    readAndLearn(reader, add("a@example.org"));
    assert.deepEqual(reader.read(add("b@example.org", " 42 ", "OTHER"), namespaces).input, {
      APIKey: "OTHER",
      SubscribersListID: 42,
      EMail: "b@example.org",
    });
  });
  test("reads records, enumerations, dates and unknown elements of a known shape without parsing them", () => {
    isReadByShape(
      addWithData("Ada", "F", "1815-12-10", ["1", "2"]),
      addWithData("José", "M", "1623-06-19T00:00:00Z", ["three", ""]),
    );
  });
  test("reads a message of a known shape with another value in an ignored header without parsing it", () => {
    const withId = (id: string): string =>
      envelope("", `<s:Header><w:MessageID xmlns:w="urn:w">${id}</w:MessageID></s:Header>`).replace(
        "<s:Body></s:Body>",
        `<s:Body><Client.TestApiConnection xmlns="${NS}"><APIKey>K</APIKey></Client.TestApiConnection></s:Body>`,
      );
    isReadByShape(withId("urn:uuid:1"), withId("urn:uuid:2"));
  });
  test("creates a fresh input for each message of a shape", () => {
    const reader = newReader();
    const text = addWithData("Ada", "F", "1815-12-10", ["1"]);
    const [, second, third] = [1, 2, 3].map(() => readAndLearn(reader, text).input);
    assert.deepEqual(second, third);
    assert.notEqual(second, third);
    assert.notEqual(second?.CustomsFields, third?.CustomsFields);
  });
  test("uses a shape only with the namespaces that were accepted when it was learned", () => {
    const reader = newReader();
    readAndLearn(reader, add("a@example.org"));
    const none: Namespaces = { expected: "http://elsewhere", accepts: () => false };
    assert.equal(reader.read(add("a@example.org"), none).problem?.fault.code, "UnknownNamespace");
  });
});

test("reports a missing or invalid enumeration in a message of a known shape", () => {
  const reader = newReader();
  assert.equal(readAndLearn(reader, addField("STRING")).problem, null);
  isReadByShape(addField("STRING"), addField(" REAL "));
  for (const type of ["", " ", "STRINGS"]) {
    const message = reader.read(addField(type), namespaces);
    assert.equal(message.problem?.fault.code, "InvalidParameter");
    assert.deepEqual(message, inFull(addField(type)));
  }
});

test("leaves a value with markup, references or invalid characters to the parser", () => {
  const reader = newReader();
  readAndLearn(reader, add("a@example.org"));
  for (const value of [
    "a&amp;b",
    "a]]>b",
    "a\r\nb",
    "<![CDATA[x]]>",
    "<!-- -->x",
    "x<b/>",
    "\u0001",
    "\uffff",
    "\ud800",
    "\udc00\ud800",
    "😀",
    "&#65;",
    "</EMail><EMail>",
  ])
    assert.deepEqual(readWith(reader, add(value)), inFull(add(value)), value);
});

test("rejects text behind the end of a message of a known shape", () => {
  const reader = newReader();
  readAndLearn(reader, add("a@example.org"));
  for (const rest of ["x", "<x/>", " ", "<!-- -->", "\0"])
    assert.deepEqual(readWith(reader, add("a@example.org") + rest), inFull(add("a@example.org") + rest));
});

test("does not take text beside an element for its value", () => {
  const empty = (beside: string): string =>
    envelope(`<Subscriber.Unsubscribe xmlns="${NS}"><EMail/>${beside}</Subscriber.Unsubscribe>`);
  const nested = (inner: string, beside: string): string =>
    envelope(
      `<Subscriber.Unsubscribe xmlns="${NS}"><Other><b>${inner}</b>${beside}</Other><EMail>e</EMail></Subscriber.Unsubscribe>`,
    );
  const reader = newReader();
  for (const text of [empty(""), empty("x"), nested("1", ""), nested("22", "x"), nested("333", "")])
    assert.deepEqual(readWith(reader, text), inFull(text));
  for (const text of [empty(""), nested("1", "")]) readAndLearn(reader, text);
  for (const text of [empty("x"), nested("22", "x"), nested("333", "")])
    assert.deepEqual(readWith(reader, text), inFull(text));
  isReadByShape(nested("1", ""), nested("22", ""));
});

test("reads any message the same whatever messages came before", () => {
  const piece = fc.oneof(
    fc.constantFrom("", " ", "1", "true", "M", "F", "2001-02-03", "a@b.c", "é", "😀", "&lt;", "]]>", "&bad;"),
    fc.constantFrom(
      "<x/>",
      "</x>",
      "<![CDATA[y]]>",
      "<!--c-->",
      "<?p i?>",
      "\r",
      "\t\n",
      "\0",
      '"',
      "'",
      ">",
    ),
    fc.string({ maxLength: 6 }),
  );
  const sound = fc.oneof(
    fc.tuple(piece, piece, piece).map(([email, list, key]) => add(email, list, key)),
    fc
      .tuple(piece, piece, piece, fc.array(piece, { maxLength: 3 }))
      .map(([first, gender, birthday, fields]) => addWithData(first, gender, birthday, fields)),
    fc.oneof(piece, fc.constantFrom("STRING", "REAL", "DATE")).map(addField),
  );
  const disturbed = fc
    .tuple(sound, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(4), piece)
    .map(([text, where, length, put]) => {
      const at = Math.floor(where * text.length);
      return text.slice(0, at) + put + text.slice(at + length);
    });
  fc.assert(
    fc.property(fc.array(fc.oneof(sound, disturbed), { minLength: 2, maxLength: 12 }), (texts) => {
      const reader = newReader();
      for (const text of [...texts, ...texts]) {
        const read = readWith(reader, text);
        assert.deepEqual(read, inFull(text));
        if (!("refused" in read)) reader.learn(read);
      }
    }),
    { numRuns: 300 },
  );
});

describe("learning of shapes", () => {
  const isParsed = (reader: RequestReader, text: string): boolean =>
    timesParsed(() => reader.read(text, namespaces)) === 1;

  test("learns no shape from an unauthenticated caller", () => {
    const reader = newReader();
    reader.read(add("a@example.org"), namespaces);
    assert.ok(isParsed(reader, add("b@example.org")));
  });
  test("learns one shape from concurrent messages of the same shape", () => {
    const reader = newReader();
    readAndLearn(reader, addField("STRING"));
    const together = Array.from({ length: 2 * MAX_SHAPES }, (_, n) =>
      reader.read(add(`p${n}@example.org`), namespaces),
    );
    for (const message of together) reader.learn(message);
    assert.ok(!isParsed(reader, addField("DATE")));
  });
  test("holds a bounded number of shapes, and drops the one that was used longest ago", () => {
    const reader = newReader();
    const shaped = (n: number): string => add("a@example.org").replace(/>/, `>${" ".repeat(n)}`);
    for (let n = 0; n <= MAX_SHAPES; n += 1) readAndLearn(reader, shaped(n));
    assert.deepEqual(
      [1, MAX_SHAPES, 0].map((n) => isParsed(reader, shaped(n))),
      [false, false, true],
    );
  });
  test("learns no shape from a message that cannot recur, and evicts no other", () => {
    const reader = newReader();
    readAndLearn(reader, add("a@example.org"));
    for (let n = 0; n < 2 * MAX_SHAPES; n += 1) readAndLearn(reader, add(`<![CDATA[p${n}@example.org]]>`));
    assert.ok(!isParsed(reader, add("b@example.org")));
  });
  test("learns shapes over HTTP from callers with a valid key only", async () => {
    const service = await startService();
    try {
      const timesParsedOverHttp = async (key: string): Promise<number> => {
        const write = mock.method(XmlParser.prototype, "write");
        try {
          await call(service, "Client.TestApiConnection", withKey("", key));
          return write.mock.callCount();
        } finally {
          write.mock.restore();
        }
      };
      const seen: number[] = [];
      for (const key of ["UNKNOWN-KEY-1", "UNKNOWN-KEY-2", KEY, KEY])
        seen.push(await timesParsedOverHttp(key));
      assert.deepEqual(seen, [1, 1, 1, 0]);
    } finally {
      await service.close();
    }
  });
});
