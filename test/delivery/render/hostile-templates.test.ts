/** Templates that take too long, too much memory, or what is not theirs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate, renderTemplate } from "../../../src/delivery/render/compiled.ts";
import { prepareContent } from "../../../src/delivery/render/prepare.ts";
import { renderFor } from "../../../src/delivery/render/render.ts";
import { scopeOf } from "../../../src/delivery/render/values.ts";
import {
  ada,
  content,
  footer,
  htmlOf,
  nobody,
  prepared,
  problemsOf,
  surroundings,
  textFooter,
  url,
} from "./sample.ts";

/** Refused, and soon: the limit of time is one second for each of two persons, and each is tried once. */
function refuses(template: string, expected: RegExp): void {
  const start = performance.now();
  const problems = problemsOf({ text: `${template}${textFooter}` });
  assert.match(problems.map(({ message }) => message).join("\n"), expected, template.slice(0, 80));
  assert.ok(performance.now() - start < 15_000, template.slice(0, 80));
}

test("stops an endless loop, a huge range and a huge text", () => {
  refuses("{% for i in (1..1000000000) %}x{% endfor %}", /too large/);
  refuses(
    '{% assign a = "x" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
    /too large/,
  );
  refuses(`{% for i in (1..100000) %}${"x".repeat(1000)}{% endfor %}`, /longer than 500 KB/);
  refuses('{{ "2026-01-01" | date: "%100000000d" }}', /too large/);
  refuses(
    '{{ "x" | replace: "", "yyyyyyyyyy" | split: "" | join: "zzzz" | times: "x" | raw }}',
    /filter "raw"/,
  );
});

test("stops loops over a list that is in memory already, by time", () => {
  const list = `{% assign a = "${"x,".repeat(20_000)}" | split: "," %}`;
  refuses(`${list}{% for i in a %}{% for j in a %}{% endfor %}{% endfor %}`, /longer than 1 second/);
});

test("does not count time in which the machine stands still", () => {
  const scope = scopeOf(ada, url, surroundings, []);
  const still = {
    ...scope,
    get first_name() {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);
      return scope.first_name;
    },
  };
  const template = compileTemplate("{% if first_name %}Hello {{ last_name | _text }}{% endif %}");
  assert.equal(renderTemplate(template, still, new Set()), `Hello ${ada.lastName}`);
});

test("tries again once if it took too long for somebody", (t) => {
  const campaign = prepared({ text: `{% if first_name %}Hello{% endif %}${textFooter}` });
  let now = 0;
  t.mock.method(performance, "now", () => {
    now += 2000;
    return now;
  });
  let slow = 0;
  t.mock.method(process, "threadCpuUsage", (before?: NodeJS.CpuUsage) => {
    slow -= before === undefined ? 0 : 1;
    return { user: slow >= 0 ? 2_000_000 : 0, system: 0 };
  });
  for (const [times, isRendered] of [
    [1, true],
    [2, false],
  ] as const) {
    slow = times;
    assert.equal("text" in renderFor(campaign, ada, url), isRendered, `${times} times`);
  }
});

test("refuses deep nesting and long templates without failing itself", () => {
  refuses("{% if true %}".repeat(20_000) + "{% endif %}".repeat(20_000), /nested too deeply|characters/);
  refuses("x".repeat(300_001), /at most 300000/);
  refuses("{% if ".repeat(3000), /./);
  refuses(`{{ ${"a[".repeat(20_000)}`, /./);
});

test("has no files, no other templates, and no filter that lets values through", () => {
  for (const tag of [
    "include",
    "render",
    "layout",
    "block",
    "liquid",
    "echo",
    "capture",
    "cycle",
    "tablerow",
    "increment",
  ])
    refuses(`{% ${tag} "/etc/passwd" %}`, new RegExp(`no tag "${tag}"`));
  for (const filter of [
    "raw",
    "json",
    "inspect",
    "newline_to_br",
    "where_exp",
    "strip_html",
    "_text",
    "_plain",
  ])
    refuses(`{{ first_name | ${filter} }}`, new RegExp(`no filter "${filter}"`));
});

test("hides prototypes and inherited properties", () => {
  for (const name of [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "globals",
    "this",
  ])
    refuses(`{{ ${name} }}`, new RegExp(`no merge field "${name}"`));
  for (const path of ["constructor", "toString", "valueOf", "length"]) {
    refuses(`{{ fields["${path}"] }}`, /no field/);
    refuses(`{{ first_name.${path} }}`, /no parts/);
  }
  // Not an own property either if it is a field that the person does not have.
  const { html } = rendered(`[{{ fields["__proto__"] }}]`);
  assert.match(html, /\[\]/);
});

function rendered(template: string): { readonly html: string } {
  return { html: htmlOf(template, nobody) };
}

test("shows literal braces that entities hide from Liquid", () => {
  const result = prepareContent(content({ markdown: "a &#123;&#123; email }} b" }), surroundings);
  assert.ok("html" in result);
  const message = renderFor(result, ada, url);
  assert.ok("html" in message);
  assert.match(message.html ?? "", /a &#123;\{ email \}\} b/);
  assert.match(message.text, /^a \{\{ email \}\} b\n/);
});

test("has no tag raw, whose content nothing would check, and shows braces without it", () => {
  for (const template of [
    "{% raw %}<script>x</script>{% endraw %}",
    '{% raw %}<a href="{% endraw %}{{ email }}">',
  ])
    for (const part of ["html", "markdown", "text"])
      assert.match(
        problemsOf({ [part]: template })[0]?.message ?? "",
        /no tag "raw".*write \{\{ "\{\{" \}\}/,
      );
  assert.equal(htmlOf('{{ "{{" }} first_name }}'), "{{ first_name }}");
});

test("skips a person for whom a template fails, and says why", () => {
  const ready = prepared({
    html: `{% if first_name == "Eve" %}{% for i in (1..9999999) %}x{% endfor %}{% endif %}${footer}`,
  });
  assert.ok("html" in renderFor(ready, ada, url));
  const result = renderFor(ready, { ...ada, firstName: "Eve" }, url);
  assert.deepEqual(result, { cannotRender: "html: memory alloc limit exceeded" });
});

test("refuses HTML and templates that other programs would need minutes for", () => {
  const refused = (html: string): string => problemsOf({ html: html + footer })[0]?.message ?? "";
  const css = "<style>p .a b { color: red }</style>";
  assert.match(refused(css + "<b>".repeat(60_000)), /nested 60001 deep; at most 200/);
  assert.match(refused("{{ email }}".repeat(3000)), /3002 Liquid tags and outputs; at most 2000/);
  assert.equal(refused("<style".repeat(40_000)), "");
  assert.equal(refused(`${css}${"<p>x".repeat(2000)}`), "", "paragraphs that are not closed");
});

test("reads hostile styles, links and nesting in a short time", () => {
  const start = performance.now();
  const many = (text: string): string => text.repeat(Math.floor(200_000 / text.length));
  for (const html of [
    ...[
      " ",
      "1",
      "1 ",
      "scale(",
      "scale",
      "translate(",
      "opacity",
      "!",
      "/*",
      "\\",
      "&#",
      "1e",
      ";a:",
    ].flatMap((text) =>
      ["transform", "font", "left", "filter"].map((name) => `<p style="${name}:${many(text)}">x</p>`),
    ),
    ...["&#", "java", ":", "/", "{% if gender %}x{% else %}y{% endif %}".repeat(20)].map(
      (text) => `<a href="${text.includes("%") ? text : many(text)}">x</a>`,
    ),
    many('<link rel="stylesheet">'),
    `<style>${many("@import ")}</style>`,
    `{% for i in (1..20000) %}<b>{% endfor %}{% for i in (1..20000) %}</x>{% endfor %}`,
    many("<option>x</y>"),
  ])
    problemsOf({ html: footer + html, text: textFooter });
  assert.ok(performance.now() - start < 30_000, `${performance.now() - start}`);
});
