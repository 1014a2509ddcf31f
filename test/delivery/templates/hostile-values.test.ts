/** Values that people choose cannot become markup, links, styles, headers or Liquid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scanHtml } from "#delivery/templates/html/scan.ts";
import { renderFor } from "#delivery/templates/render.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
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

/** What a browser makes of the href of the only link. */
function linkOf(template: string, person: MergeData): string {
  const href = /href="([^"]*)"/.exec(htmlOf(template, person))?.[1] ?? assert.fail(template);
  return href.replaceAll("&amp;", "&").replaceAll("&#39;", "'");
}

test("lets a value choose neither the scheme nor the host of a link that the template begins", () => {
  const person = (firstName: string, town: string): MergeData => ({
    ...ada,
    firstName,
    fields: { Town: town },
  });
  const cases = [
    [
      "https://{{ first_name }}.shop.example.org/",
      "evil.example/",
      "https://evil.example%2F.shop.example.org/",
    ],
    [
      "https://shop.example.org/{{ first_name }}",
      "@evil.example/x",
      "https://shop.example.org/@evil.example/x",
    ],
    ["/{{ first_name }}", "/evil.example", "/%2Fevil.example"],
    ["x{{ first_name }}", ":alert(1)", "x%3Aalert(1)"],
    ["{% if gender %}{% endif %}{{ first_name }}", "javascript:x", ""],
    ["{% if gender %}x{% endif %}{{ first_name }}", "javascript:x", "xjavascript%3Ax"],
    ["{% if country == 'x' %}x{% endif %}{{ first_name }}", "javascript:x", "javascript%3Ax"],
    ["mailto:{{ first_name }}?subject=a", "a@b.example?bcc=c", "mailto:a@b.example%3Fbcc%3Dc?subject=a"],
    ["{{ first_name }}/x?y={{ fields.Town }}", "https://a.example", "https://a.example/x?y=/%3A%26"],
    ["{{ first_name }}?x", "javascript:alert(1)//", "?x"],
  ] as const;
  for (const [href, firstName, expected] of cases)
    assert.equal(linkOf(`<a href="${href}">x</a>`, person(firstName, "/:&")), expected, href);
});

test("encodes values in the links of a text that is made from HTML or Markdown", () => {
  const person = { ...named("evil.example/ x"), fields: { Town: "java\tscript:x" } };
  const html =
    '<a href="https://{{ first_name }}.shop.example.org/?a={{ first_name | url_encode }}">x</a> ' +
    `<a href="{{ fields.Town }}">y</a>${footer}`;
  assert.match(
    rendered({ html }, person).text,
    /^x <https:\/\/evil\.example%2F%20x\.shop\.example\.org\/\?a=evil\.example%2F\+x> y <>/,
  );
  const { text } = rendered({ markdown: "See https://x.example/{{ first_name }} {{ first_name }}" }, person);
  assert.match(text, /<https:\/\/x\.example\/evil\.example\/%20x> evil\.example\/ x\n/);
});

test("refuses a link in which a value could become the scheme or the end of the host", () => {
  const cases = [
    ["{{ first_name }}{{ last_name }}", /whole link, or be followed by/],
    ["{{ first_name }}:alert(2)", /whole link, or be followed by/],
    ["{% if gender %}{{ first_name }}{% endif %}:alert(2)", /whole link, or be followed by/],
    ["java{{ first_name }}:alert(2)", /before the colon/],
    ["https://shop.example.org{{ fields.Town }}", /end of a host\. Put a \/ before it/],
    ["https://shop.example.org{{ fields.Town }}/x", /end of a host/],
    ["https:shop.example.org{{ fields.Town }}", /end of a host/],
    ["//shop{{ fields.Town }}?x", /end of a host/],
    ["https&colon;&sol;/shop.example.org{{ fields.Town }}", /end of a host/],
    [
      "{% if gender %}https://a.example{% else %}https://b.example{% endif %}{{ fields.Town }}",
      /end of a host/,
    ],
    ["x&#{{ fields.Town }}", /Complete the entity/],
    ["{% for i in (1..2) %}{{ first_name }}{% endfor %}", /loop/],
  ] as const;
  for (const [href, message] of cases) {
    const [problem] = problemsOf({ html: `\n<a href="${href}">x</a>${footer}` });
    assert.match(problem?.message ?? "", message, href);
    assert.equal(problem?.line, 2);
  }
});

test("refuses links to scripts and documents in the template itself", () => {
  for (const href of [
    "javascript:alert(1)",
    " java\tscript:alert(1)",
    "java&#115;cript&colon;alert(1)",
    "&#x6a;avascript:x",
    "VBScript:x",
    "data:text/html,x",
    "{% if gender %}https://x.example{% else %}javascript:x{% endif %}",
    "java{% if gender %}script:{% endif %}x",
    "{% if country == 'x' %}x{% endif %}java{% if gender %}script:{% endif %}x",
    "java{% if country == 'x' %}x{% endif %}script:x",
  ]) {
    const [problem] = problemsOf({ html: `<a href="${href}">x</a>${footer}` });
    assert.match(problem?.message ?? "", /^A link cannot start with "(javascript|vbscript|data):"/, href);
  }
  const [problem] = problemsOf({ markdown: "\n\n[x]({% if true %}javascript:alert(1){% endif %})" });
  assert.deepEqual([problem?.part, problem?.line], ["markdown", 3]);
  assert.match(problem?.message ?? "", /cannot start with "javascript:"/);
  const image = '<img src="data:image/png;base64,AAAA" srcset="a.png 1x, {{ fields.Town }} 2x">';
  assert.equal(htmlOf(image), image.replace("{{ fields.Town }}", "London"));
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
