/** Merge fields: names, defaults, empty values, and where they are escaped how. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ada,
  footer,
  htmlOf,
  nobody,
  prepared,
  problemsOf,
  rendered,
  textFooter,
  textOf,
  url,
} from "./sample.ts";

test("inserts everything that a template may use", () => {
  const template =
    "{{ email }} {{ first_name }} {{ last_name }} {{ gender }} {{ birthday }} {{ country }} {{ fields.Town }} " +
    '{{ fields["Town"] }} {{ sender_name }} {{ campaign_name }} {{ subject }} {{ preheader }} {{ unsubscribe_url }}';
  const { text } = rendered({ preheader: "Soon", text: `${template}\n{{ postal_address }}` });
  assert.equal(
    text,
    `ada@example.org Ada Lovelace female 1815-12-10 GB London London Garden Club Spring News Soon ${url}\n` +
      "Garden Club\n1 Main Street\nOxford",
  );
});

test("takes the default of an empty value, and reports an empty value without one", () => {
  const template = {
    subject: "Hello {{ first_name }}",
    markdown:
      '{{ first_name | default: "friend" }} {{ last_name | upcase }} {{ fields["Town"] }} {{ email }}',
  };
  const { html, emptyFields } = rendered(template, nobody);
  assert.match(html ?? "", /<p[^>]*>friend {2}/);
  assert.deepEqual([...emptyFields].sort(), ['fields["Town"]', "first_name", "last_name"]);
  assert.deepEqual(rendered(template, ada).emptyFields, []);
});

test("reports every empty output, under its text if it is not a plain merge field", () => {
  const emptyOutputs = (template: string, person = nobody) =>
    rendered({ text: `${template}${textFooter}` }, person).emptyFields;
  assert.deepEqual(emptyOutputs("{% assign x = first_name %}{{ x }}"), ["x"]);
  assert.deepEqual(emptyOutputs("{{- first_name |\n default: last_name -}}"), [
    "first_name | default: last_name",
  ]);
  assert.deepEqual(emptyOutputs('{{ first_name | default: "" }}'), ['first_name | default: ""']);
  assert.deepEqual(emptyOutputs("{{ '' }}{{ first_name | append: last_name }}"), ["''", "first_name"]);
  assert.deepEqual(emptyOutputs("{{ first_name | default: last_name }}{{ 0 }}{{ false }}", ada), []);
  const html = `<p>{{ '"<é>' | remove: '"<é>' }}</p>${footer}`;
  assert.deepEqual(rendered({ html }, nobody).emptyFields, [`'"<é>' | remove: '"<é>'`]);
});

test("reports a long empty output by its beginning", () => {
  for (const long of ["x", "é", "😀", " "].map((one) => one.repeat(49_000))) {
    const template = `{{ first_name | default: "${long}" | truncate: 0, "" }}`;
    const [name = "", ...more] = rendered({ text: `${template}${textFooter}` }, nobody).emptyFields;
    assert.deepEqual(more, []);
    assert.match(name, /^first_name \| default: ".*…$/);
    assert.ok(name.length <= 91 && name.isWellFormed(), name);
  }
  const many = '{{ first_name | default: "" | append: "" | prepend: "" }}日本語'.repeat(1900);
  assert.equal(rendered({ text: `${many}${textFooter}` }, nobody).emptyFields.length, 1);
});

test("does not report an empty value that an if leaves out", () => {
  const template = { markdown: "Dear {% if first_name %}{{ first_name }}{% else %}friend{% endif %}" };
  const { text, emptyFields } = rendered(template, nobody);
  assert.match(text, /^Dear friend\n/);
  assert.deepEqual(emptyFields, []);
});

test("treats an empty value as false, as blank, as nil and as the empty text", () => {
  for (const condition of ["first_name", 'first_name != ""', "first_name != blank", "first_name != nil"])
    assert.deepEqual(
      [ada, nobody].map((person) => textOf(`{% if ${condition} %}yes{% else %}no{% endif %}`, person)),
      ["yes", "no"],
      condition,
    );
  assert.equal(textOf("{{ first_name.size }} {{ fields.Town.size }}", nobody), "0 0");
});

test("finds the value of a field with any name", () => {
  const person = { ...ada, fields: JSON.parse('{"__proto__":"odd","Favourite colour":"blue"}') };
  assert.equal(textOf('{{ fields["__proto__"] }} {{ fields["Favourite colour"] }}', person), "odd blue");
});

test("names the nearest merge field, field, filter and tag of a misspelt one, with the line", () => {
  const cases = [
    ["\n\n{{ frist_name }}", 3, "first_name"],
    ["\n{{ fields.Twon }}", 2, "fields.Town"],
    ['{{ fields["Favorite colour"] }}', 1, 'fields["Favourite colour"]'],
    ["{{ Town }}", 1, "fields.Town"],
    ["{{ first_name | upcas }}", 1, '"upcase"'],
    ["{% iff first_name %}{% endif %}", 1, '"if"'],
  ] as const;
  for (const [template, line, near] of cases) {
    const [problem, ...more] = problemsOf({ html: template });
    assert.deepEqual(more, []);
    assert.ok(problem !== undefined, template);
    assert.deepEqual([problem.part, problem.line], ["html", line], template);
    assert.ok(problem.message.includes(`Did you mean ${near}?`), problem.message);
  }
});

test("refuses a name that is not quoted, a part of a text, and the subject in the subject", () => {
  assert.match(problemsOf({ text: "{{ fields[first_name] }}" })[0]?.message ?? "", /in quotes/);
  assert.match(problemsOf({ text: "{{ first_name.constructor }}" })[0]?.message ?? "", /no parts/);
  assert.match(
    problemsOf({ subject: "{{ subject }}", text: "x" })[0]?.message ?? "",
    /no merge field "subject"/,
  );
});

test("reports all problems at once", () => {
  const problems = problemsOf({ subject: "{{ a }}", preheader: "{{ b }}", html: "{{ c }}", text: "{% d %}" });
  assert.deepEqual(
    problems.map(({ part }) => part),
    ["subject", "preheader", "html", "text"],
  );
});

test("refuses content without a subject, without a body, with two bodies, or with an unknown layout", () => {
  const parts = (given: Parameters<typeof problemsOf>[0]): readonly string[] =>
    problemsOf(given).map(({ part }) => part);
  assert.deepEqual(parts({ subject: " ", markdown: "x" }), ["subject"]);
  assert.deepEqual(parts({}), ["html"]);
  assert.deepEqual(parts({ html: "x", markdown: "x" }), ["markdown"]);
  assert.match(problemsOf({ markdown: "x", layout: "newsleter" })[0]?.message ?? "", /"newsletter"/);
  assert.match(
    problemsOf({ subject: "{{ first_name }}", markdown: "x" })[0]?.message ?? "",
    /subject is empty/,
  );
});

test("gives the same result for merge fields with and without the machinery of Liquid", () => {
  // An assignment switches to Liquid for the whole template.
  const template =
    '{{ first_name }} {{- last_name }} {{ fields.Town | default: "x" }} <a title="{{ email }}">';
  for (const person of [ada, nobody])
    assert.equal(htmlOf(`{% assign x = 1 %}${template}`, person), htmlOf(template, person));
  assert.equal(textOf('{% assign first_name = "Eve" %}{{ first_name }}'), "Eve");
});

test("inserts numbers and words that are no merge fields, and reports those that are empty", () => {
  const template =
    '{{ 5 }} {{ true }} {{ nil }} {{ "x" }} {% assign a = "b,,c" | split: "," %}{% for p in a %}{{ p }}.{% endfor %}';
  const { text, emptyFields } = rendered({ text: `${template}${textFooter}` });
  assert.match(text, /^5 true {2}x b\.\.c\./);
  assert.deepEqual(emptyFields, ["nil", "p"]);
  assert.match(rendered({ text: `{{ 5 }} {{ true }}${textFooter}` }).text, /^5 true\n/);
});

test("says when the text cannot be made from the HTML", () => {
  const html = `<html><head>{% assign who = first_name %}</head><body>{{ who }}${footer}</body></html>`;
  const [problem] = problemsOf({ html });
  assert.ok(problem?.part === "text");
  assert.match(
    problem.message,
    /cannot be made from the HTML: undefined variable: who.*give the text yourself/,
  );
  assert.deepEqual(problemsOf({ html, text: textFooter }), []);
  const broken = `<html><head>{% if first_name %}</head><body>{% endif %}${footer}</body></html>`;
  assert.match(problemsOf({ html: broken })[0]?.message ?? "", /cannot be made from the HTML/);
});

test("prepares once what it renders many times", () => {
  const { html } = prepared({ markdown: "Hello {{ first_name }}" });
  assert.equal(html?.hasFixedMarkup, true);
});

test("reports a name that does not exist once per line, however often the line uses it", () => {
  const text = `{{ fields.Twon }} {{ fields.Twon }} {{ nme }} {{ nme }}\n{{ fields.Twon }}${textFooter}`;
  assert.deepEqual(
    problemsOf({ text }).map(({ line, message }) => `${line} ${message.split(".")[0]}`),
    ['1 There is no field "Twon"', '2 There is no field "Twon"', '1 There is no merge field "nme"'],
  );
});
