/** Markdown, the text that is made, the preheader and the layouts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutNames } from "#delivery/layouts/layouts.ts";
import { ada, footer, nobody, problemsOf, rendered } from "./sample.ts";

test("renders links, images and tables, and shows HTML as text", () => {
  const { html } = rendered({
    markdown:
      "[a](https://a.example) ![b](https://b.example/b.png) https://c.example\n\n|x|y|\n|-|-|\n|1|2|\n\n<b>no</b>",
  });
  assert.match(html ?? "", /<a [^>]*href="https:\/\/a\.example">a<\/a>/);
  assert.match(html ?? "", /<img [^>]*src="https:\/\/b\.example\/b\.png"/);
  assert.match(html ?? "", /<a [^>]*href="https:\/\/c\.example">/);
  assert.match(html ?? "", /<td[^>]*>1<\/td>/);
  assert.match(html ?? "", /&lt;b&gt;no&lt;\/b&gt;/);
});

test("refuses a definition whose uses would make a message of gigabytes", () => {
  const long = "u".repeat(100_000);
  for (const [definition, use] of [
    [`/${long}`, "[a]"],
    [`/${long}`, "![a]"],
    [`/ "${long}"`, "[a]"],
  ] as const) {
    const [problem] = problemsOf({ markdown: `[a]: ${definition}\n\n${use.repeat(45_000)}` });
    assert.match(problem?.message ?? "", /URLs and titles .* have \d{10} characters; at most 500000/);
  }
  assert.deepEqual(problemsOf({ markdown: `[a]: /${"u".repeat(100)}\n\n${"[a]".repeat(100)}` }), []);
});

test("makes a text in which cells, links and the texts of images are apart", () => {
  const textOf = (html: string): string =>
    rendered({ html: `${html}<hr>${footer}` })
      .text.split("\n------------------------")[0]
      ?.trim() ?? "";
  const [a, b] = ["https://a.example/", "https://b.example/"];
  const image = (alt: string): string => `<img src="https://x.example/x.png" alt="${alt}">`;
  for (const [html, text] of [
    [
      "<table><tr><td>Cell one</td><td>Cell two</td></tr><tr><th>3</th><td>4</td></tr></table>",
      "Cell one Cell two\n3 4",
    ],
    ["<table><tr><td><p>One</p></td><td><p>Two</p></td></tr></table>", "One\n\nTwo"],
    [`<a href="${a}">${image("Shop")}</a><a href="${b}">${image("Blog")}</a>`, `Shop <${a}> Blog <${b}>`],
    [`<a href="${a}">${image("")}</a><a href="${b}">${image("")}</a>`, `<${a}> <${b}>`],
    [`<a href="${a}">${a}</a><span><a href="${b}">${b}</a></span>`, `${a} ${b}`],
    [`<p>See <a href="${a}">here</a>, (<a href="${b}">there</a>).</p>`, `See here <${a}>, (there <${b}>).`],
    ['<p><a href="#top">Top</a>, <a href="#">a</a><a href="">b</a></p>', "Top, ab"],
    [`<a href="${a}">x</a>{% if true %}<a href="${b}">y</a>{% endif %}`, `x <${a}> y <${b}>`],
    [`${image("{{ first_name }} &amp; {{ last_name }}")}${image("News")}`, "Ada & Lovelace News"],
  ] as const)
    assert.equal(textOf(html), text, html);
});

test("gives the words of a layout their language, and each part the direction of its first letter", () => {
  for (const layout of layoutNames) {
    const { html } = rendered({ markdown: "Hello", layout });
    assert.match(html ?? "", /<html dir="auto">/);
    assert.match(html ?? "", /<td [^>]*class="content" dir="auto"/);
    assert.match(html ?? "", /<a [^>]*lang="en"[^>]*>Unsubscribe</);
    assert.doesNotMatch(html ?? "", /<html[^>]*lang=/);
  }
});

test("leaves no gap where Liquid leaves out a paragraph, a row or an item", () => {
  const markdown =
    "One\n\n{% if last_name %}\n\nTwo {{ last_name }}\n\n{% endif %}\n\n- a\n{% if last_name %}\n- b\n{% endif %}\n\n" +
    "|x|y|\n|-|-|\n|1|2|\n{% if last_name %}\n|3|4|\n{% endif %}\n";
  const plain = (html: string | null): string =>
    (html ?? "").replaceAll(/ (?:style|align|valign)="[^"]*"/g, "");
  const all = plain(rendered({ markdown }, ada).html);
  const none = plain(rendered({ markdown }, nobody).html);
  assert.match(all, /<p>Two Lovelace<\/p>/);
  assert.match(all, /<li>b\s*<\/li>/);
  assert.match(all, /<td>3<\/td>/);
  assert.doesNotMatch(none, /Two|<li>b|<td>3|<p>\s*<\/p>|<td>\s*<\/td>|<li>\s*<\/li>/);
  const { text } = rendered({ markdown }, nobody);
  assert.match(text, /^One\n\n \* a\s*\n\nx y\n1 2\n\nGarden Club/);
});

test("keeps Liquid with quotes and pipes intact in emphasis, links and tables", () => {
  const markdown =
    '**{{ first_name | default: "my *friend*" }}** [go](https://x.example/?t={{ fields["Town"] }})\n\n' +
    '|a|b|\n|-|-|\n|{{ first_name | upcase }}|{{ fields["Town"] | default: "x|y" }}|';
  const { html, text } = rendered({ markdown });
  assert.match(html ?? "", /<strong>Ada<\/strong> <a [^>]*href="https:\/\/x\.example\/\?t=London">go<\/a>/);
  assert.match(text, /ADA London/);
});

test("makes the text from the HTML, with links and without hidden elements", () => {
  const { text } = rendered({
    preheader: "Hidden at first",
    html: `<style>.x { display: none }</style><h1>Hello {{ first_name }}</h1><p>A &amp; B <a href="https://x.example/?n={{ first_name }}">here</a></p><p class="x">gone</p>${footer}`,
  });
  assert.equal(
    text,
    "Hello Ada\n\nA & B here <https://x.example/?n=Ada>\n\nGarden Club\n1 Main Street\nOxford Unsubscribe " +
      "<https://mail.example.org/u/AAECAwQFBgcICQoLDA0ODw>\n",
  );
});

test("makes no HTML of text", () => {
  const { html, text } = rendered({
    text: "Hello {{ first_name }}\n{{ postal_address }} {{ unsubscribe_url }}",
  });
  assert.equal(html, null);
  assert.match(text, /^Hello Ada\n/);
});

test("puts the preheader at the start of the body, hidden and escaped", () => {
  const { html, preheader } = rendered({ preheader: "For {{ first_name }} & <all>", html: footer });
  assert.equal(preheader, "For Ada & <all>");
  assert.match(html ?? "", /<body><div style="display:none;[^"]*">For Ada &amp; &lt;all&gt;&#847;/);
});

test("puts it after the head if there is no body, and not where a template has it already", () => {
  const head = "<html><head><title>x</title></head>";
  assert.ok(
    rendered({ preheader: "Soon", html: head + footer }).html?.startsWith(`${head}<div style="display:none;`),
  );
  const own = rendered({ preheader: "Soon", html: `<p>{{ preheader }}</p>${footer}` }).html ?? "";
  assert.equal(own.split("Soon").length, 2);
  assert.doesNotMatch(rendered({ html: footer }).html ?? "", /display:none/);
});

for (const layout of layoutNames)
  test(`the layout ${layout} is small, in tables, inlined, for phones and for the dark`, () => {
    const { html, text } = rendered({
      markdown: "# Hello\n\n[Go](https://x.example)\n",
      layout,
      preheader: "x",
    });
    assert.ok(html !== null && html.length < 20_000);
    assert.match(html, /<table [^>]*role="presentation"/);
    assert.match(html, /<h1 style="[^"]*font-size/);
    assert.match(html, /<meta name="viewport"/);
    assert.match(html, /@media \(prefers-color-scheme: dark\)/);
    assert.match(html, /Garden Club<br>1 Main Street<br>Oxford/);
    assert.match(html, /<a [^>]*href="https:\/\/mail\.example\.org\/u\/[^"]*">Unsubscribe<\/a>/);
    assert.match(html, /<p [^>]*class="action"><a [^>]*href="https:\/\/x\.example"/);
    assert.doesNotMatch(html, /\{\{|\{%/);
    assert.match(text, /Hello\n\nGo <https:\/\/x\.example>\n/);
  });
