/** CSS is inlined, and Liquid survives it wherever it stands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inlineCss } from "#delivery/templates/html/inline-css.ts";
import { protectLiquid } from "#delivery/templates/placeholders.ts";
import { ada, htmlOf, nobody, problemsOf } from "./sample.ts";

/** The template after inlining, as its author would write it. */
function inlined(template: string): string {
  const liquid = protectLiquid(template);
  return inlineCss(liquid).replaceAll(
    new RegExp(liquid.pattern, "g"),
    (_, index: string) => liquid.pieces[Number(index)]?.source ?? "",
  );
}
const css = "<style>.a { color: red } td { padding: 1px }</style>";

test("inlines rules and keeps media queries in the style element", () => {
  assert.equal(
    inlined("<style>p { color: red } @media (max-width: 9px) { p { color: blue } }</style><p>x</p>"),
    '<style>@media (max-width: 9px) {\np {\ncolor: blue;\n}\n}</style><p style="color: red;">x</p>',
  );
});

test("merges rules with the style of an element, which has precedence", () => {
  assert.equal(
    inlined('<style>p { color: red; margin: 0 }</style><p style="color: blue">x</p>'),
    '<p style="margin: 0; color: blue;">x</p>',
  );
});

test("changes nothing but the attributes it sets", () => {
  const templates = [
    "<table>{% for i in (1..3) %}<tr><td>{{ i }}</td></tr>{% endfor %}</table>",
    '<td {% if gender %}class="b"{% else %}class="c"{% endif %}>x</td>',
    '{% if gender %}<div class="x">{% else %}<div class="y">{% endif %}x</div>',
    '<p title="{{ first_name | default: "a > b" }}">x</p>',
    `<p title='{% if first_name == "<p>" %}"{% endif %}'>x</p>`,
    "<P Title=Unquoted>one<p>two<br/>three",
    "<!--[if mso]><table><tr><td>{{ first_name }}<![endif]-->",
    "{%- assign x = 1 -%} {{- x -}} {% raw %}{{ <b> }}{% endraw %} {% # a comment > %}",
    '<a href="{% if gender %}https://a.example/?x={{ email }}&y{% else %}#{% endif %}">&amp; &nbsp; é</a>',
    "<style>p { color: {{ fields.Town }} } {% if gender %} .a { margin: 0 } {% endif %}</style>",
    "a < b > c </ > <> <3",
  ];
  for (const template of templates) {
    const result = inlined(`${css}${template}<i class="a">x</i>`);
    assert.match(result, /<i style="color: red;" class="a">/, template);
    const rest = result
      .slice(result.startsWith(css) ? css.length : 0)
      .replace('<i style="color: red;" class="a">', '<i class="a">')
      .replaceAll(' style="padding: 1px;"', "");
    assert.equal(rest, `${template}<i class="a">x</i>`);
  }
});

test("adds to a style with Liquid in it", () => {
  assert.equal(
    inlined(`${css}<p class="a" style="{% if gender %}margin:0;{% endif %}top:{{ country }}">x</p>`),
    '<p class="a" style="color: red; {% if gender %}margin:0;{% endif %}top:{{ country }}">x</p>',
  );
});

test("keeps the rules for a class that Liquid chooses", () => {
  const template = `${css}<p class="{% if gender %}a{% endif %}">x</p>`;
  assert.equal(inlined(template), template);
  assert.match(htmlOf(template, ada), /<p class="a">/);
  assert.match(htmlOf(template, nobody), /<p class="">/);
});

test("uses placeholders that no template contains", () => {
  assert.equal(
    inlined(`${css}<p>lqxo0z LQXt1z lq1x {{ country }}</p>`),
    "<p>lqxo0z LQXt1z lq1x {{ country }}</p>",
  );
});

test("renders rows, attributes and styles with Liquid for each person", () => {
  const template =
    `${css}<table>{% if last_name %}<tr><td class="a">{{ last_name }}</td></tr>{% endif %}` +
    '<tr><td bgcolor="{% if gender %}red{% endif %}">x</td></tr></table>';
  const cell = 'style="padding: 1px;"';
  const last = `<tr><td ${cell} bgcolor="red">x</td></tr></table>`;
  assert.equal(
    htmlOf(template, ada),
    `<table><tr><td style="padding: 1px; color: red;" class="a">Lovelace</td></tr>${last}`,
  );
  assert.equal(htmlOf(template, nobody), `<table><tr><td ${cell} bgcolor="">x</td></tr></table>`);
});

test("refuses more CSS than it can inline in a short time", () => {
  const rules = Array.from({ length: 3000 }, (_, index) => `.c${index} { color: red }`).join("\n");
  const [problem] = problemsOf({ html: `<style>${rules}</style>${"<p>x</p>".repeat(1000)}` });
  assert.match(problem?.message ?? "", /about 3000 selectors for 1006 elements, .* are not used\.$/);
});

test("fetches nothing and reads no files", () => {
  const link = '<link rel="stylesheet" href="file:///etc/passwd"><img src="https://x.example/a.png">';
  assert.equal(
    inlined(
      `<style>@import url("https://x.example/a.css"); p { color: red }</style>${link}<p>x</p>`,
    ).includes(link),
    true,
  );
});
