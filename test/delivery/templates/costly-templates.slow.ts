/** What templates that take too long may take, within their limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { filterBounds, filterNames, type tagBounds } from "#delivery/templates/allowed-liquid.ts";
import { compileTemplate, renderTemplate } from "#delivery/templates/compiled-template.ts";
import { scopeOf } from "#delivery/templates/merge-fields.ts";
import { ada, footer, problemsOf, surroundings, textFooter, url } from "./sample.ts";

/** Refused, and soon: the limit of time is one second for each of two persons, and each is tried once. */
function refuses(template: string, expected: RegExp): void {
  const before = process.threadCpuUsage();
  const problems = problemsOf({ text: `${template}${textFooter}` });
  assert.match(problems.map(({ message }) => message).join("\n"), expected, template.slice(0, 80));
  assert.ok(process.threadCpuUsage(before).user < 10_000_000, template.slice(0, 80));
}

test("stops loops over a list that is in memory already, by time", () => {
  const list = `{% assign a = "${"x,".repeat(9000)}" | split: "," %}`;
  refuses(`${list}{% for i in a %}{% for j in a %}{% endfor %}{% endfor %}`, /longer than 1 second/);
});

/** How long it takes to render a template with these values of `fields`, or until it is refused. */
function cpuMs(source: string, fields: Readonly<Record<string, unknown>> = {}): number {
  const template = compileTemplate(source);
  const scope = { ...scopeOf(ada, url, surroundings, []), fields } as ReturnType<typeof scopeOf>;
  const before = process.threadCpuUsage();
  try {
    renderTemplate(template, scope, new Map());
  } catch (error) {
    assert.match(
      (error as Error).message,
      /at most|limit exceeded|longer than 1 second/,
      source.slice(0, 80),
    );
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** What is worst for each filter, within its limits. */
const worst = {
  ...{ a: "a".repeat(100_000), spaces: " ".repeat(99_999), sharp: "\u0390".repeat(100_000) },
  ...{ searched: `${"a".repeat(499)}b${"a".repeat(500)}`, digits: "9".repeat(100_000) },
  list: Array.from({ length: 10_000 }, (_, index) => `xxxx${(index * 7919) % 10_000}`),
  // Their hashes are the numbers: many are in one bucket.
  same: Array.from({ length: 10_000 }, (_, index) => String((index * 8192) % 2 ** 24)),
  empty: Array.from({ length: 10_000 }, () => ""),
  format: "%A%A%A%A%A%A%A%A%A%A%c%c%c%c%c%c%c%c%c%c",
};
const calls = {
  ...{ default: "empty | default: fields.a", upcase: "sharp | upcase", downcase: "sharp | downcase" },
  ...{ capitalize: "sharp | capitalize", strip: "spaces | strip: fields.spaces", lstrip: "spaces | lstrip" },
  ...{ rstrip: "spaces | rstrip: fields.spaces", truncate: "sharp | truncate: 99999" },
  ...{ truncatewords: "spaces | truncatewords: 9", append: "empty | append: fields.a" },
  ...{ prepend: "a | prepend: fields.a", replace: 'a | replace: "a", "bbbbbbbbb"' },
  ...{ replace_first: "a | replace_first: fields.searched, fields.a", remove: "a | remove: fields.searched" },
  ...{ remove_first: "a | remove_first: fields.searched", slice: "sharp | slice: -99999, 99999" },
  ...{ split: "a | split: fields.searched", join: "list | join: fields.searched" },
  ...{ first: "list | first", last: "list | last", size: "sharp | size", reverse: "list | reverse" },
  ...{ sort: 'list | sort: "first.first.first"', uniq: "same | uniq", plus: "digits | plus: fields.digits" },
  ...{ minus: "digits | minus: 1", times: "digits | times: fields.digits", abs: "digits | abs" },
  ...{ divided_by: "digits | divided_by: 3", modulo: "digits | modulo: 3", round: "digits | round: 999" },
  ...{ ceil: "digits | ceil", floor: "digits | floor", at_least: "digits | at_least: 1" },
  ...{ at_most: "digits | at_most: 1", date: '"2020-01-01T00:00:00Z" | date: fields.format' },
  ...{ url_encode: "sharp | url_encode", escape: "a | escape", escape_once: "a | escape_once" },
} satisfies Record<keyof typeof filterBounds, string>;

test("bounds every filter: one call takes at most 50 ms of processor time", () => {
  const fieldOf = (call: string): string => (call.startsWith('"') ? call : `fields.${call}`);
  for (const [name, call] of Object.entries(calls)) {
    // The quickest of three: a processor that others use counts some of their time.
    const times = [0, 1, 2].map(() => cpuMs(`{% assign x = ${fieldOf(call)} %}`, worst));
    assert.ok(Math.min(...times) <= 50, `${name}: ${times.join(", ")} ms`);
  }
  const searched = Object.entries(filterBounds).filter(([, bound]) => bound === "search");
  assert.deepEqual(
    searched.map(([name]) => name),
    ["replace", "replace_first", "remove", "remove_first", "split"],
  );
  for (const [name] of [...searched, ["contains"]]) {
    const call =
      name === "contains"
        ? `{% if email contains "${"x".repeat(1001)}" %}{% endif %}`
        : `{{ email | ${name}: "${"x".repeat(1001)}", "" }}`;
    refuses(call, /searches for a text of 1001 characters; at most 1000/);
  }
  for (const name of filterNames)
    refuses(`{{ "${"x".repeat(100_001)}" | ${name}: "" }}`, /text of 100001 characters; at most 100000/);
});

/** What each tag could do for longest, within its limits. */
const tagged = {
  assign: "{% assign x = fields.list | sort %}".repeat(2000),
  if: `{% if ${"fields.list == fields.other or ".repeat(100)} false %}{% endif %}`.repeat(90),
  elsif: `{% if false %}${"{% elsif fields.list contains fields.a or fields.list == fields.other %}".repeat(2000)}{% endif %}`,
  unless: `{% unless ${"fields.a contains fields.searched and ".repeat(100)} true %}{% endunless %}`.repeat(
    9,
  ),
  case: `{% case fields.list %}{% when ${"fields.other, ".repeat(20_000)} 1 %}{% endcase %}`,
  when: `{% case fields.list %}${"{% when fields.other %}".repeat(2000)}{% endcase %}`,
  for: "{% for i in fields.list reversed %}{% for j in fields.list reversed %}{% endfor %}{% endfor %}",
} satisfies Record<
  {
    [Tag in keyof typeof tagBounds]: (typeof tagBounds)[Tag] extends "none" ? never : Tag;
  }[keyof typeof tagBounds],
  string
>;
test("bounds every tag: the time is checked between its steps", () => {
  const other = worst.list.with(-1, "another");
  for (const [name, source] of Object.entries(tagged)) {
    const ms = cpuMs(source, { ...worst, other });
    assert.ok(ms < 1500, `${name}: ${ms} ms`);
  }
  // One filter after the other in one tag.
  assert.ok(cpuMs(`{% assign x = fields.list${" | sort".repeat(160)} %}`, worst) < 1500);
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
  assert.equal(renderTemplate(template, still, new Map()), `Hello ${ada.lastName}`);
});

test("reads hostile styles, links and nesting in a short time", () => {
  const start = performance.now();
  const many = (text: string): string => text.repeat(Math.floor(200_000 / text.length));
  for (const html of [
    ...[" ", ";", "; ", "display", "display:", "display :", "&#", "\\"].map(
      (text) => `<p style="${many(text)}">x</p>`,
    ),
    ...["&#", "java", ":", "/", "{% if gender %}x{% else %}y{% endif %}".repeat(20)].map(
      (text) => `<a href="${text.includes("%") ? text : many(text)}">x</a>`,
    ),
    many('<p style="display:none">'),
    ...["<b>", "</x>"].map(
      (tag) => `{% for i in (1..100) %}{% for j in (1..200) %}${tag}{% endfor %}{% endfor %}`,
    ),
    many("<option>x</y>"),
  ])
    problemsOf({ html: footer + html, text: textFooter });
  assert.ok(performance.now() - start < 30_000, `${performance.now() - start}`);
});
