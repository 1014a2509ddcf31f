/**
 * The parser: what it reads, what it rejects and where, wherever its text is cut, and that another parser
 * agrees.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { XmlError, XmlRefused } from "#xml/errors.ts";
import { EventList, eventsOf, parserTo, type XmlEvent } from "./events.ts";

const start = (local: string, ...attributes: readonly [string, string, string][]): XmlEvent => [
  "start",
  ["", local],
  attributes,
];
const end = (local: string): XmlEvent => ["end", ["", local]];

describe("the parser reads", () => {
  const rows: Readonly<Record<string, readonly XmlEvent[]>> = {
    "<a/>": [start("a"), end("a")],
    "<?xml version='1.0'  encoding = \"x-1\" standalone='yes' ?>\n<!-- - --><?p ?q?><a\n></a\t> <!---->": [
      start("a"),
      end("a"),
    ],
    "<a b='1' c=\"'&quot;\"/>": [start("a", ["", "b", "1"], ["", "c", "'\""]), end("a")],
    "<a b=' x\ty\r\nz\r&#10;&#xD;\n'/>": [start("a", ["", "b", " x y z \n\r "]), end("a")],
    "<a>x\r\ny\rz\r\r\n&#13;</a>": [start("a"), ["text", "x\ny\nz\n\n\r"], end("a")],
    "<a>&lt;&gt;&amp;&apos;&quot;&#65;&#x1F600;]]&gt; ] ]] ></a>": [
      start("a"),
      ["text", "<>&'\"A😀]]> ] ]] >"],
      end("a"),
    ],
    "<a>1<!-- 2 -->3<?four?>5<![CDATA[6&amp;<]>]]]]><![CDATA[>\r\n]]></a>": [
      start("a"),
      ["text", "1356&amp;<]>]]>\n"],
      end("a"),
    ],
    "<é.-·7><𐀀/></é.-·7>": [start("é.-·7"), start("𐀀"), end("𐀀"), end("é.-·7")],
    "<p:a xmlns:p=' urn:p ' xmlns='urn:d' p:b='' b='' xml:lang='en'><a/><p:a xmlns:p='urn:q'/><p:a/></p:a>": [
      [
        "start",
        ["urn:p", "a"],
        [
          ["", "b", ""],
          ["http://www.w3.org/XML/1998/namespace", "lang", "en"],
          ["urn:p", "b", ""],
        ],
      ],
      ["start", ["urn:d", "a"], []],
      ["end", ["urn:d", "a"]],
      ["start", ["urn:q", "a"], []],
      ["end", ["urn:q", "a"]],
      ["start", ["urn:p", "a"], []],
      ["end", ["urn:p", "a"]],
      ["end", ["urn:p", "a"]],
    ],
    "<a xmlns='urn:d'><a xmlns=''/><a/></a>": [
      ["start", ["urn:d", "a"], []],
      start("a"),
      end("a"),
      ["start", ["urn:d", "a"], []],
      ["end", ["urn:d", "a"]],
      ["end", ["urn:d", "a"]],
    ],
  };
  for (const [text, events] of Object.entries(rows))
    test(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(eventsOf(text), events);
      assert.deepEqual(eventsOf(...text), events, "in slices of one character");
    });
});

describe("surrogate pairs as two references, as Axis writes them", () => {
  const rows: Readonly<Record<string, string | null>> = {
    "A&#xD83D;&#xDE00;B": "A😀B",
    "&#xd83d;&#xde00;&#xD83D;&#xDE00;": "😀😀",
    "&#55357;&#56832;": "😀",
    "&#x0D83D;&#xDE00;": "😀",
    "&#xD83D; &#xDE00;": null,
    "&#xDE00;&#xD83D;": null,
    "&#xD83D;": null,
    "&#xD83D;&amp;": null,
    "&#xD83D;&#57344;": null,
    "&#xD83D;&#xD83D;": null,
  };
  for (const [text, meant] of Object.entries(rows))
    test(`${text} is ${meant ?? "refused"}`, () => {
      for (const read of [eventsOf, (whole: string) => eventsOf(...whole)]) {
        const content = () => read(`<a b="${text}">${text}</a>`);
        if (meant === null) assert.throws(content, XmlError);
        else assert.deepEqual(content(), [start("a", ["", "b", meant]), ["text", meant], end("a")]);
      }
    });
});

describe("the parser rejects, with position and reason,", () => {
  const rows: Readonly<Record<string, string>> = {
    "": "line 1, column 1: there is no root element",
    " \n<!-- -->": "line 2, column 9: there is no root element",
    x: "line 1, column 1: there is text before the root element",
    "<a/>x": "line 1, column 5: there is text behind the root element",
    "<a/>&amp;": "line 1, column 5: there is text behind the root element",
    "<a/><b/>": "line 1, column 5: there is a second root element",
    "<a>": "line 1, column 4: <a> is not closed",
    "<a": "line 1, column 1: the document breaks off",
    "<a/><!-": "line 1, column 5: the document breaks off",
    "<a>&am": "line 1, column 4: the document breaks off",
    "<a>\n</b>": "line 2, column 1: </a> must come here",
    "<a></ab>": "line 1, column 4: </a> must come here",
    "<a></a b>": "line 1, column 8: an end tag must end with >",
    "</a>": "line 1, column 1: there is an end tag, and no element is open",
    "<a>AT&T</a>": "line 1, column 6: & must be written as &amp;, or begin a reference such as &lt;",
    "<a>&nbsp;</a>":
      "line 1, column 4: &nbsp; is not defined: without a document type there are &lt; &gt; &amp; &apos; &quot; only",
    "<a>&#0;</a>": "line 1, column 4: &#0; is not a character that XML can carry",
    "<a>&#X41;</a>": "line 1, column 4: &#X41; is not a character that XML can carry",
    "<a>&#1e3;</a>": "line 1, column 4: &#1e3; is not a character that XML can carry",
    "<a>&#;</a>": "line 1, column 4: & must be written as &amp;, or begin a reference such as &lt;",
    "<a>\u0001</a>": "line 1, column 4: U+0001 is not a character that XML can carry",
    "<a>\ufffe</a>": "line 1, column 4: U+FFFE is not a character that XML can carry",
    "<a>\ud800</a>": "line 1, column 4: U+D800 is not a character that XML can carry",
    "<!--\u0001--><a/>": "line 1, column 5: U+0001 is not a character that XML can carry",
    "<a>]]></a>": "line 1, column 6: ]]> in text must be written as ]]&gt;",
    "<a><!-- -- --></a>": "line 1, column 9: -- must not be in a comment",
    "<![CDATA[]]><a/>": "line 1, column 1: CDATA must be within the root element",
    "<a><!x></a>": "line 1, column 4: <! must begin a comment, <!-- -->, or CDATA, <![CDATA[ ]]>",
    "<a/><!DOCTYPE a>": "line 1, column 5: a document type must be before the root element",
    " <?xml version='1.0'?><a/>": "line 1, column 2: <?xml must be the very first characters",
    "<?xml version='2.0'?><a/>":
      'line 1, column 1: the XML declaration must be like <?xml version="1.0" encoding="utf-8"?>',
    "<?xml version='1.0'\u00a0encoding='x'?><a/>":
      'line 1, column 1: the XML declaration must be like <?xml version="1.0" encoding="utf-8"?>',
    "<?p:q ?><a/>": "line 1, column 1: an instruction's name must not have a colon",
    "<?p%?><a/>": "line 1, column 1: white space is missing behind an instruction's name",
    "<1/>": "line 1, column 2: An element's name must come here, and 1 cannot begin one",
    "<\ufffe/>": "line 1, column 2: An element's name must come here, and U+FFFE cannot begin one",
    "<×/>": "line 1, column 2: An element's name must come here, and × cannot begin one",
    "< a/>": "line 1, column 2: An element's name must come here, and U+0020 cannot begin one",
    "<a%/>": "line 1, column 3: white space, > or /> must come here",
    "<a b='1'c='2'/>": "line 1, column 9: white space, > or /> must come here",
    "<a b/>": "line 1, column 5: = must come behind the attribute's name b",
    "<a b=1/>": "line 1, column 6: the value of b must be in quotes",
    "<a b='<'/>": "line 1, column 7: < in the value of b must be written as &lt;",
    "<a / >": "line 1, column 4: > must come behind /",
    "<a b='' b=''/>": "line 1, column 15: the attribute b is there twice",
    "<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>": "line 1, column 43: the attribute q:b is there twice",
    "<p:a/>": "line 1, column 7: the prefix p is not declared",
    "<a p:b=''/>": "line 1, column 12: the prefix p is not declared",
    "<p:/>": "line 1, column 6: p: is not a name with a prefix",
    "<:p/>": "line 1, column 6: :p is not a name with a prefix",
    "<xml:a:b/>": "line 1, column 11: xml:a:b is not a name with a prefix",
    "<xml:1/>": "line 1, column 9: xml:1 is not a name with a prefix",
    "<xmlns:a/>": "line 1, column 11: an element must not have the prefix xmlns",
    "<a xmlns:p=''/>": "line 1, column 13: the prefix p is declared with no namespace",
    "<a xmlns:xmlns='u'/>": "line 1, column 18: the prefix xmlns must not be declared",
    "<a xmlns:xml='u'/>":
      "line 1, column 16: xml must mean http://www.w3.org/XML/1998/namespace, and nothing else may",
    "<a xmlns='http://www.w3.org/2000/xmlns/'/>":
      "line 1, column 40: no prefix but its own may mean http://www.w3.org/2000/xmlns/",
  };
  for (const [text, reason] of Object.entries(rows))
    test(`rejects ${JSON.stringify(text)} with position and reason`, () => {
      const refused = (error: unknown) => error instanceof XmlError && error.message === reason;
      assert.throws(() => eventsOf(text), { message: reason });
      assert.throws(() => eventsOf(...text.split("")), refused, "in slices of one character");
    });
});

describe("the parser finds an attribute that is repeated by two prefixes of one namespace", () => {
  const rows: Readonly<Record<string, string>> = {
    "where the prefixes were declared far apart": "<a xmlns:p='u'><b xmlns:q='u'><c p:b='' q:b=''/></b></a>",
    "after the namespace was declared and left before":
      "<a xmlns:p='u'><b xmlns:q='u' xmlns:r='v' q:b='' r:b=''/><b xmlns:q='u' p:b='' q:b=''/></a>",
    "after the prefix meant another namespace":
      "<a xmlns:p='u' xmlns:q='u'><b xmlns:q='v' p:b='' q:b=''/><c p:b='' q:b=''/></a>",
    "among many attributes": `<a xmlns:p='u' xmlns:q='u' p:b='' ${Array.from({ length: 20 }, (_, n) => `q:c${n}=''`).join(" ")} q:b=''/>`,
  };
  for (const [name, text] of Object.entries(rows))
    test(`finds a repeated attribute: ${name}`, () =>
      assert.throws(() => eventsOf(text), /the attribute q:b is there twice/));
  test("accepts attributes of the same name in two namespaces", () => {
    eventsOf("<a xmlns:p='u'><b xmlns:q='v' p:b='' q:b='' b=''/><c xmlns:q='w' p:b='' q:b='' b=''/></a>");
  });
});

describe("the parser refuses, though it may be XML,", () => {
  const rows: Readonly<Record<string, readonly [text: string, reason: RegExp]>> = {
    "a document type": ["<!DOCTYPE a><a/>", /DTD/],
    "65 levels": ["<a>".repeat(65), /nested more than 64 deep/],
    "65 attributes": [
      `<a ${Array.from({ length: 65 }, (_, index) => `b${index}=''`).join(" ")}/>`,
      /more than 64 attributes/,
    ],
    "a long name": [`<${"a".repeat(1025)}`, /An element's name is longer than 1024 characters/],
    "a long attribute name": [`<a ${"a".repeat(1025)}`, /An attribute's name is longer than 1024 characters/],
    "a long reference": [`<a>&#${"0".repeat(1025)}`, /reference is longer than 1024 characters/],
    "a long namespace": [`<a xmlns='${"n".repeat(1025)}'`, /A namespace is longer than 1024 characters/],
    "a long namespace of a prefix": [
      `<a xmlns:p='${"n".repeat(1025)}'`,
      /A namespace is longer than 1024 characters/,
    ],
  };
  for (const [name, [text, reason]] of Object.entries(rows))
    test(`refuses ${name}`, () => {
      const refused = (error: unknown) => error instanceof XmlRefused && reason.test(error.message);
      assert.throws(() => eventsOf(text), refused);
      assert.throws(() => eventsOf(...text), refused, "in slices of one character");
    });
  test("accepts documents at the limits", () => {
    const attributes = Array.from({ length: 64 }, (_, index) => `b${index}=''`).join(" ");
    const name = "a".repeat(1024);
    eventsOf(`${"<a>".repeat(63)}<${name} ${attributes}></${name}>${"</a>".repeat(63)}`);
    eventsOf(`<a xmlns=' ${name} ' xmlns:p='${name}' p:b=''/>`);
  });
});

test("reads the next document after an incomplete one without leftovers", () => {
  const list = new EventList();
  const parser = parserTo(list);
  for (const broken of ["<a xmlns='u'><b c='x", "<a xmlns:p='u'><!--", "\n\n<a>]]"]) {
    parser.begin();
    parser.write(broken);
    assert.throws(() => parser.end(), XmlError);
  }
  list.events.length = 0;
  parser.begin();
  parser.write("<b c='y'/>");
  parser.end();
  assert.deepEqual(list.events, [start("b", ["", "c", "y"]), end("b")]);
});

// Any document, sound or not

const RUNS = 5000;
const spoiled = fc.constantFrom(
  ..."<>&;'\"=/!?-[]: \r\n\t",
  "\u0001",
  "x",
  "&#x41;",
  "&lt;",
  "]]>",
  "<!--",
  "-->",
  "<![CDATA[",
  "<?p",
  "?>",
  "<?xml version='1.0'?>",
  "xmlns:p='urn:1'",
  "xmlns=''",
  "p:",
  "é",
  "😀",
);
const named = fc.constantFrom("a", "b", "p:a", "q:a", "xml:a", "p:b");
const declared = fc.constantFrom(
  "xmlns='urn:1'",
  "xmlns='urn:2'",
  "xmlns=''",
  "xmlns:p='urn:1'",
  "xmlns:p=' urn:2 '",
  "xmlns:q='urn:1'",
);
const valued = fc
  .tuple(named, fc.constantFrom("=''", "='a\tb\r\n'", ' = "&lt;&#10;"', "\n=\n']]>'"))
  .map((both) => both.join(""));
const attributes = fc
  .array(fc.oneof(declared, valued), { maxLength: 3 })
  .map((some) => some.map((one) => ` ${one}`).join(""));
const content = fc.letrec<{ content: string; element: string }>((tie) => ({
  element: fc
    .tuple(named, attributes, tie("content"), fc.constantFrom("", " ", "\r\n"))
    .map(([name, given, inner, space]) =>
      inner === "" ? `<${name}${given}${space}/>` : `<${name}${given}${space}>${inner}</${name}${space}>`,
    ),
  content: fc
    .array(
      fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom(
          "",
          "x",
          "\r\n",
          "\r",
          "&amp;",
          "]]",
          ">",
          "<!-- c -->",
          "<?p q?>",
          "<![CDATA[<]]]>",
          "😀",
        ),
        tie("element"),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join("")),
})).content;
const document = fc
  .tuple(fc.constantFrom("", "<?xml version='1.0'?>\n", "<!-- c -->"), attributes, content)
  .map(
    ([before, given, inner]) => `${before}<r xmlns:p="urn:p" xmlns:q="urn:q"><r${given}>${inner}</r></r>\r\n`,
  );
/** Some of them with something put in or taken out. */
const perhapsSpoiled = fc
  .tuple(document, fc.array(fc.tuple(fc.nat(400), fc.nat(2), spoiled), { maxLength: 2 }))
  .map(([text, spoils]) =>
    spoils.reduce((spoilt, [place, taken, given]) => {
      const at = place % (spoilt.length + 1);
      return spoilt.slice(0, at) + given + spoilt.slice(at + taken);
    }, text),
  );

function eventsOfSaxes(text: string): XmlEvent[] {
  const list = new EventList();
  const parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: "1.0" });
  let depth = 0;
  const tell = (part: string) => {
    if (depth > 0) list.text(part);
  };
  parser.on("opentag", (tag) => {
    depth += 1;
    const given = Object.values(tag.attributes).filter(({ uri }) => uri !== "http://www.w3.org/2000/xmlns/");
    list.open(
      tag.uri,
      tag.local,
      given.map(({ uri, local, value }) => [uri, local, value] as const),
    );
  });
  parser.on("closetag", () => {
    depth -= 1;
    list.close();
  });
  parser.on("text", tell);
  parser.on("cdata", tell);
  parser.write(text).close();
  return list.events;
}

/** What is in it, or why it is refused. */
const told = (read: () => readonly XmlEvent[]): readonly XmlEvent[] | string => {
  try {
    return read();
  } catch (error) {
    return (error as Error).message;
  }
};

/** saxes lets a local name begin as no name may, and an instruction's name end with a question mark. */
const FOUND_BY_US_ONLY = /(?:is not a name with a prefix|behind an instruction's name)$/;

test("reads and rejects the same documents as saxes", () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(perhapsSpoiled, (text) => {
      // saxes takes half a character for one.
      fc.pre(text.isWellFormed());
      const ours = told(() => eventsOf(text));
      const isRefused = typeof ours === "string";
      fc.pre(!isRefused || !FOUND_BY_US_ONLY.test(ours));
      const theirs = told(() => eventsOfSaxes(text));
      if (isRefused) assert.equal(typeof theirs, "string", ours);
      else assert.deepEqual(ours, theirs);
      seen[isRefused ? "refused" : "taken"] += 1;
    }),
    { numRuns: RUNS },
  );
  assert.ok(Math.min(seen.taken, seen.refused) > RUNS / 10, JSON.stringify(seen));
});

test("reads a document that is cut anywhere the same, or rejects it with the same reason and position", () => {
  fc.assert(
    fc.property(perhapsSpoiled, fc.array(fc.nat(400), { maxLength: 8 }), (text, places) => {
      const cuts = [
        0,
        ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b),
        text.length,
      ];
      const slices = cuts.slice(1).map((to, index) => text.slice(cuts[index], to));
      assert.deepEqual(
        told(() => eventsOf(...slices)),
        told(() => eventsOf(text)),
      );
    }),
    { numRuns: RUNS },
  );
});
