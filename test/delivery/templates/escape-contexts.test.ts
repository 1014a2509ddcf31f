/** Liquid tags stand where they cannot change the place of what follows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ada, footer, htmlOf, nobody, problemsOf } from "./sample.ts";

const refusal = (template: string): string => {
  const [problem] = problemsOf({ html: `\n${template}${footer}` });
  return problem === undefined ? "accepted" : `${problem.line} ${problem.message}`;
};

test("refuses a Liquid tag in a tag, outside of quotes", () => {
  for (const template of [
    '<a hr{% if true %}ef="{% endif %}{{ fields.Town }}">x</a>',
    "<scr{% if true %}ipt>{% endif %}",
    '<p {% if first_name %}title="{% endif %}{{ fields.Town }}">x</p>',
    '<p {% comment %}title="{% endcomment %}{{ fields.Town }}>x</p>',
    "<scr{% comment %}x{% endcomment %}ipt>x</script>",
    "<{% if true %}script>{% endif %}",
    "< {%- if true -%} script>{% endif %}",
    "<p {% if gender %}hidden{% endif %}>x</p>",
    "<p title={% if gender %}a{% endif %}>x</p>",
    "</p {% if gender %}{% endif %}>",
    "<!{% if true %}--{% endif %} > -->",
  ])
    assert.match(
      refusal(template),
      /^2 \{% (if|comment) %\} cannot stand here\. Put the condition inside the quotes/,
    );
  assert.match(refusal('< {{- "" -}} script>x'), /^2 A merge field cannot be the name of a tag/);
});

test("refuses a block whose tags are in different places", () => {
  for (const template of [
    '{% if true %}<p title="{% endif %}{{ fields.Town }}">x</p>',
    '<p title="{% if true %}">{% endif %}x</p>',
    '<p title="{% if true %}" lang="{% endif %}">x</p>',
    '{% if gender %}x{% else %}<p title="{% endif %}{{ fields.Town }}">x</p>',
    '{% case gender %}{% when "a" %}<p title="{% endcase %}">x</p>',
    '{% for i in (1..2) %}<p title="{% endfor %}">x</p>',
    "{% if true %}<style>{% endif %}{{ fields.Town }}</style>",
    "{% if true %}<!-- {% endif %} {{ fields.Town }} -->",
  ])
    assert.match(
      refusal(template),
      /^2 \{% \w+ %\} is in another place than its \{% (if|case|for) %\}\./,
      template,
    );
});

test("refuses to leave a loop from within an attribute, or without a loop", () => {
  assert.match(
    refusal('{% for i in (1..2) %}<p title="{% if gender %}{% break %}{% endif %}">x</p>{% endfor %}'),
    /^2 \{% break %\} cannot be in an attribute/,
  );
  assert.match(
    refusal("{% if gender %}{% break %}{% endif %}"),
    /^2 \{% break %\} must be inside of \{% for %\}/,
  );
});

test("refuses Liquid that could end a comment or a style element, or keep it open", () => {
  for (const template of [
    "<!--{{ first_name }}-->",
    "<!-- -{% if gender %}x{% endif %}-> -->",
    "<!-- {{ first_name }}>-->",
  ])
    assert.match(refusal(template), /^2 Put a space/, template);
  for (const template of [
    "<style></sty{% if true %}le>{% endif %}<b></b></style>",
    "<style><{% if true %}/style>{% endif %}</style>",
  ])
    assert.match(refusal(template), /^2 \{% if %\} cannot stand here/, template);
  assert.match(refusal("<svg><![CDATA[ x ]]></svg>"), /CDATA/);
});

test("refuses merge fields where a browser would read a document or an address from any value", () => {
  for (const template of [
    '<iframe srcdoc="{{ fields.Town }}"></iframe>',
    '<meta http-equiv="refresh" content="0;url={{ fields.Town }}">',
    '<base href="{{ fields.Town }}">',
    '<svg><a><animate attributeName="href" values="{{ fields.Town }}"></animate></a></svg>',
    '<svg><a><set attributeName="href" to="{{ fields.Town }}"></set></a></svg>',
  ])
    assert.match(refusal(template), /^2 A merge field cannot be in "\w+" of <\w+>/, template);
});

test("ignores what is in a Liquid comment", () => {
  assert.equal(htmlOf('a{% comment %}<p title="{{ email }}{% endcomment %}b'), "ab");
});

test("escapes what only Outlook reads", () => {
  const template =
    '<!--[if mso]><b title="{{ fields.Town }}">{% if gender %}{{ fields.Town }}{% endif %}</b><![endif]-->';
  const hostile = { ...ada, fields: { Town: 'a"\n<' } };
  assert.equal(
    htmlOf(template, hostile),
    '<!--[if mso]><b title="a&quot;\n&lt;">a&quot;<br>&lt;</b><![endif]-->',
  );
  assert.match(refusal("<!--[if mso]><b title={{ fields.Town }} ></b><![endif]-->"), /in quotes/);
});

test("accepts conditions around elements and inside of values", () => {
  const template =
    '{% if gender %}<p class="{% if country == "GB" %}a{% else %}b{% endif %}">{% else %}<p>{% endif %}' +
    "{% for i in (1..3) %}{% if i == 3 %}{% break %}{% endif %}<b>{{ i }}</b>{% endfor %}</p><!-- {% if gender %}x{% endif %} -->" +
    '{% case country %}{% when "GB" %}<i>GB</i>{% else %}-{% endcase %}{% assign x = 1 %}{% # note %}';
  assert.equal(htmlOf(template, ada), '<p class="a"><b>1</b><b>2</b></p><!-- x --><i>GB</i>');
  assert.equal(htmlOf(template, nobody), "<p><b>1</b><b>2</b></p><!--  -->-");
});

test("checks Markdown, and names its line", () => {
  for (const [markdown, line] of [
    ["a\n\n[x](https://x.example/{% if gender %}) b {% endif %}", 3],
    ["a\n\n```{% if gender %}\nx\n```\n{% endif %}", 6],
  ] as const) {
    const [problem] = problemsOf({ markdown });
    assert.deepEqual([problem?.part, problem?.line], ["markdown", line]);
    assert.match(problem?.message ?? "", /\{% endif %\} is in another place/);
  }
});
