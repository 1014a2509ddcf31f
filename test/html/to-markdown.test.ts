/**
 * The rules by which markup becomes Markdown, over XHTML that an XML parser has read. What programs really
 * put into the clipboard is pasted in `test/browser/console/editor.browser.ts`.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import MarkdownIt from "markdown-it";
import { SaxesParser } from "saxes";
import {
  escapeText,
  type MarkupNode,
  markdownUrl,
  toMarkdown,
  withoutStyles,
} from "#html/editor/to-markdown.ts";

interface Parsed extends MarkupNode {
  readonly childNodes: Parsed[];
}
const textNode = (nodeValue: string): Parsed => ({
  nodeType: 3,
  nodeName: "#text",
  nodeValue,
  childNodes: [],
});
function parsed(xhtml: string): MarkupNode {
  const body: Parsed = { nodeType: 1, nodeName: "BODY", nodeValue: null, childNodes: [] };
  const open = [body];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    const node = {
      ...{ nodeType: 1, nodeName: name.toUpperCase(), nodeValue: null, childNodes: [] },
      getAttribute: (key: string) => attributes[key] ?? null,
    };
    open.at(-1)?.childNodes.push(node);
    open.push(node);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", (text) => open.at(-1)?.childNodes.push(textNode(text)));
  parser.write(`<root>${xhtml}</root>`).close();
  return body.childNodes[0] ?? body;
}
const converted = (xhtml: string): string => toMarkdown(parsed(xhtml));

const cases: Readonly<Record<string, readonly (readonly [what: string, xhtml: string, markdown: string])[]>> =
  {
    text: [
      [
        "is in paragraphs, with single spaces",
        "<p>One\n  two</p>\n<div>three</div>four",
        "One two\n\nthree\n\nfour",
      ],
      ["has its line breaks", "<p>One<br/>two</p>", "One\\\ntwo"],
      ["is in two paragraphs after two line breaks", "<p>One<br/><br/>two</p>", "One\n\ntwo"],
      [
        "means itself",
        "<p>*a* [b] &lt;i&gt; `c` _d_ e_f # g</p>",
        "\\*a\\* \\[b\\] \\<i> \\`c\\` \\_d\\_ e_f # g",
      ],
      [
        "begins no list and no heading",
        "<p># one</p><p>1. two</p><p>- three</p>",
        "\\# one\n\n1\\. two\n\n\\- three",
      ],
      [
        "keeps merge fields",
        "<p>Dear {{ first_name | default: '*' }},</p>",
        "Dear {{ first_name | default: '*' }},",
      ],
      ["that is hidden is left out", '<p>a<span style="display:none">b</span><i hidden="">c</i></p>', "a"],
    ],
    "bold and italic text": [
      ["is marked", "<p>a <b>b</b> <em>c</em> <strong><i>d</i></strong></p>", "a **b** *c* ***d***"],
      ["has its spaces outside of the marks", "<p>a<b> b </b>c</p>", "a **b** c"],
      ["is marked once", "<p><b>a</b><b> b</b><span><b>c</b></span></p>", "**a bc**"],
      ["may be marked by a style", '<p><span style="color:red; font-weight:700">a</span></p>', "**a**"],
      ["may be unmarked by a style", '<b style="font-weight:normal"><p>a</p></b>', "a"],
      ["is not bold in a heading", "<h2><b>a</b></h2>", "## a"],
    ],
    "links and pictures": [
      [
        "have their address",
        '<p><a href="https://a.example/?b=(1)">a</a></p>',
        "[a](https://a.example/?b=%281%29)",
      ],
      ["of other schemes are text", '<p><a href="javascript:alert(1)">a</a><a href="/b">b</a></p>', "ab"],
      [
        "are kept in one",
        '<p><a href="https://a.example"><b>a</b> b</a></p>',
        "[**a** b](https://a.example)",
      ],
      [
        "have alternative texts",
        '<img src="https://a.example/b.png" alt="a]b"/>',
        "![a\\]b](https://a.example/b.png)",
      ],
      ["from files are left out", '<p>a<img src="file:///C:/b.png"/><img src="data:,"/></p>', "a"],
      ["that only count are left out", '<p>a<img src="https://a.example/b.gif" width="1"/></p>', "a"],
    ],
    lists: [
      ["have marks", "<ul><li>a</li><li><p>b</p></li></ul>", "- a\n- b"],
      ["have numbers, from their start", '<ol start="3"><li>a</li><li>b</li></ol>', "3. a\n4. b"],
      ["may be in one another", "<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "1. a\n   - b\n2. c"],
      ["may be beside their item", "<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"],
      ["have items of several paragraphs", "<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"],
    ],
    "other blocks": [
      ["are quotes", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
      ["are dividers", "<p>a</p><hr/><p>b</p>", "a\n\n---\n\nb"],
      ["are code", "<pre>a\n  *b*</pre><p><code>c*d</code></p>", "```\na\n  *b*\n```\n\n`c*d`"],
      [
        "are tables",
        "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>c|d</td><td><b>e</b></td></tr></tbody></table>",
        "| a | b |\n| --- | --- |\n| c\\|d | **e** |",
      ],
      [
        "are tables that only place things",
        "<table><tr><td><h1>a</h1><p>b</p></td></tr></table>",
        "# a\n\nb",
      ],
    ],
  };
for (const [what, rows] of Object.entries(cases))
  describe(what, () => {
    for (const [title, xhtml, markdown] of rows) test(title, () => assert.equal(converted(xhtml), markdown));
  });

test("styles and handlers of markup get other names, and their values stay", () => {
  assert.equal(
    withoutStyles(`<style>p{}</style><p class="a"\nstyle='b' ONclick = "c"/onload=d>a style="e"</p>`),
    `<template>p{}</template><p class="a"\ndata-style='b' data-ONclick = "c"/data-onload=d>a style="e"</p>`,
  );
  assert.equal(converted('<p data-style="font-weight:bold">a</p>'), "**a**");
});

test("any text means itself, as the renderer of campaigns understands it", () => {
  const parser = new MarkdownIt({ html: false });
  for (const text of [
    "a_b_c",
    "__init__",
    "*",
    "2 * 3 * 4",
    "~~a~~",
    "&amp; &#65;",
    "\\*",
    "[a](b)",
    "![a](b)",
    "+ a",
    "===",
  ])
    assert.equal(parser.render(escapeText(text)), `<p>${parser.utils.escapeHtml(text)}</p>\n`, text);
});

test("an address is encoded, except for merge fields, and has a scheme that a message may have", () => {
  assert.equal(markdownUrl(" https://a.example/b c "), "https://a.example/b%20c");
  assert.equal(markdownUrl("{{ unsubscribe_url }}"), "{{ unsubscribe_url }}");
  assert.equal(markdownUrl("https://a.example/{{ fields['a b'] }}"), "https://a.example/{{ fields['a b'] }}");
  for (const url of [
    "javascript:alert(1)",
    " JAVASCRIPT:alert(1)",
    "data:text/html,a",
    "vbscript:a",
    "//a.example",
    "",
  ])
    assert.equal(markdownUrl(url), null, url);
});

test("lists and quotes deeper than eight lose their marks, and the text does not grow with the depth", () => {
  const deep = (tag: string) => `${`<${tag}>`.repeat(60)}a${`</${tag}>`.repeat(60)}`;
  assert.equal(converted(deep("blockquote")), `${"> ".repeat(8)}a`);
  assert.ok(
    converted(deep("ul").replaceAll("<ul>", "<ul><li>").replaceAll("</ul>", "</li></ul>")).length < 30,
  );
});
