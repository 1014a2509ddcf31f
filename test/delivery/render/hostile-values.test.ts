/** Values that people choose cannot become markup, links, styles, headers or Liquid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scanHtml } from "../../../src/delivery/render/html/scan.ts";
import { renderFor } from "../../../src/delivery/render/render.ts";
import type { MergeData } from "../../../src/domain/ports/sending/mailings.ts";
import { ada, footer, htmlOf, prepared, problemsOf, rendered, textOf, url } from "./sample.ts";

const named = (firstName: string): MergeData => ({ ...ada, firstName });

/** Any, also half of a pair. */
const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

test("escapes values in text and in attributes", () => {
  assert.equal(
    htmlOf(`<p title="{{ first_name }}" lang='{{ first_name }}'>{{ first_name }}</p>`, named(`"'<&>`)),
    "<p title=\"&quot;&#39;&lt;&amp;&gt;\" lang='&quot;&#39;&lt;&amp;&gt;'>&quot;&#39;&lt;&amp;&gt;</p>",
  );
});

test("does not escape twice if a template escapes", () => {
  assert.equal(htmlOf("{{ first_name | escape }}", named("A&B")), "A&amp;B");
});

test("encodes a value in a link, but neither the unsubscribe link nor what is already encoded", () => {
  assert.equal(
    htmlOf(
      '<a href="https://x.example/?a={{ first_name }}&b={{ first_name | url_encode }}">x</a>',
      named("A&B c"),
    ),
    '<a href="https://x.example/?a=A%26B%20c&b=A%26B+c">x</a>',
  );
});

test("inserts no link to a script", () => {
  const link = (value: string, template: string): string =>
    htmlOf(template, { ...ada, fields: { "Web site": value } });
  const field = '{{ fields["Web site"] }}';
  const scripts = [
    ...["javascript:alert(1)", " \tJaVaScript:alert(1)", "data:text/html,x", "vbscript:x"],
    ...["java\tscript:alert(1)", "j\na\tvascript\n:alert(1)", "\u00a0javascript:x", "data\t:text/html,x"],
  ];
  for (const value of scripts) {
    assert.equal(link(value, `<a href="${field}">x</a>`), '<a href="">x</a>');
    assert.equal(
      link(value, `<a href="{% if gender %}${field}{% endif %}">x</a>`),
      '<a href="">x</a>',
      "in a branch",
    );
    assert.doesNotMatch(
      link(value, `<a href="{% if gender == 'x' %}https://a{% else %}${field}{% endif %}">x</a>`),
      /(script|data):/i,
    );
  }
  const markdown = `[x](${field.replaceAll('"', "'")})`;
  for (const value of scripts)
    assert.match(
      rendered({ markdown }, { ...ada, fields: { "Web site": value } }).html ?? "",
      /<a [^>]*href="">x/,
    );
  assert.equal(
    link("https://x.example/?a=1&b=2", `<a href="${field}">x</a>`),
    '<a href="https://x.example/?a=1&amp;b=2">x</a>',
  );
});

test("inserts only words into a style", () => {
  assert.equal(
    htmlOf('<p style="color: {{ first_name }}">x</p>', named("red;background:url(https://evil.example)")),
    '<p style="color: redbackgroundurlhttpsevil.example">x</p>',
  );
});

test("refuses merge fields where no escaping helps", () => {
  const cases = [
    ["<p {{ first_name }}>x</p>", /name of a tag or of an attribute/],
    ["<{{ first_name }}>", /name of a tag/],
    ["<p title={{ first_name }}>x</p>", /in quotes/],
    ['<p onclick="{{ first_name }}">x</p>', /removes?.*"onclick"/],
    ["<script>{{ first_name }}</script>", /scripts/],
    ["</p {{ first_name }}>", /end tag/],
  ] as const;
  for (const [template, message] of cases) {
    const [problem] = problemsOf({ html: `\n\n${template}` });
    assert.match(problem?.message ?? "", message, template);
    assert.equal(problem?.line, 3);
  }
});

test("inserts values into Markdown after it was read", () => {
  const value = "**bold** [link](https://evil.example) <b>x</b>\n# Title\n| a | b |";
  const { html, text } = rendered(
    { markdown: "Town: {{ fields.Town }}." },
    { ...ada, fields: { Town: value } },
  );
  assert.match(
    html ?? "",
    /Town: \*\*bold\*\* \[link\]\(https:\/\/evil\.example\) &lt;b&gt;x&lt;\/b&gt;<br># Title<br>\| a \| b \|\./,
  );
  assert.ok(text.startsWith(`Town: ${value}.`));
});

test("does not read Liquid in a value", () => {
  const value = "{{ email }}{% include 'x' %}{% raw %}";
  assert.equal(textOf("{{ first_name }}", named(value)), value);
  assert.equal(htmlOf("{{ first_name }}", named("{{ email }}")), "{{ email }}");
});

test("keeps a subject in one line without control characters", () => {
  const { subject } = rendered(
    { subject: "Hi {{ first_name }}!", markdown: "x" },
    named("Eve\r\nBcc: all@example.org\u0000\u202e\u2028x\ud800"),
  );
  assert.equal(subject, "Hi Eve Bcc: all@example.org x\ufffd!");
});

test("removes control characters and changes of the writing direction from values", () => {
  assert.equal(textOf("[{{ first_name }}]", named("a\u0000b\u001b\u202ec\u2066d\u0085\r\ne")), "[abcd e]");
});

test("renders a value of 10,000 characters", () => {
  assert.equal(htmlOf("{{ first_name }}", named("&".repeat(10_000))), "&amp;".repeat(10_000));
});

/** Tags, comments and attribute names, without values. */
function structureOf(html: string): string {
  const found: string[] = [];
  scanHtml(html, {
    start: (name) => found.push(`<${name}>`),
    end: (name) => found.push(`</${name}>`),
    comment: () => found.push("<!-- -->"),
  });
  return found.join("");
}

test("gives every person the same markup, whatever the values are", () => {
  const template =
    '<p title="{{ first_name }}" style="color:{{ first_name }}">{{ first_name }}<a href="{{ first_name }}">x</a>' +
    '<a href="https://x.example/{{ first_name }}">y</a><!-- {{ first_name }} --></p><style>p{color:{{ first_name }}}</style>';
  const ready = prepared({ html: `${template}${footer}` });
  const structureFor = (person: MergeData): string => {
    const result = renderFor(ready, person, url);
    return structureOf("html" in result ? (result.html ?? "") : "");
  };
  const expected = structureFor(ada);
  assert.match(expected, /<style>/);
  const odd = fc.constantFrom(
    "<",
    ">",
    '"',
    "'",
    "&",
    "-->",
    "</style>",
    "</p>",
    "<script>",
    "`",
    "{{",
    "%}",
    "\0",
    "\n",
  );
  const value = fc.array(fc.oneof(odd, fc.string({ unit: character })), { maxLength: 8 });
  fc.assert(
    fc.property(value, (pieces) => {
      assert.equal(structureFor(named(pieces.join(""))), expected);
    }),
    { numRuns: 300 },
  );
});
