/** Templates that take too long, too much memory, or what is not theirs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Liquid } from "liquidjs";
import { compileTemplate, renderTemplate } from "#delivery/templates/compiled-template.ts";
import { scopeOf } from "#delivery/templates/merge-fields.ts";
import { prepareContent } from "#delivery/templates/prepare.ts";
import { renderFor } from "#delivery/templates/render.ts";
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
  textOf,
  url,
} from "./sample.ts";

/** Refused, and soon: the limit of time is one second for each of two persons, and each is tried once. */
function refuses(template: string, expected: RegExp): void {
  const before = process.threadCpuUsage();
  const problems = problemsOf({ text: `${template}${textFooter}` });
  assert.match(problems.map(({ message }) => message).join("\n"), expected, template.slice(0, 80));
  assert.ok(process.threadCpuUsage(before).user < 10_000_000, template.slice(0, 80));
}

test("stops an endless loop, a huge range and a huge text", () => {
  refuses("{% for i in (1..1000000000) %}x{% endfor %}", /range from 1 to 1000000000/);
  refuses(
    '{% assign a = "x" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
    /"append" has a text of 131072 characters; at most 100000/,
  );
  refuses('{% for i in (1..99) %}{% assign a = "x" | append: a | slice: 9, "00000" %}{% endfor %}', /./);
  refuses(`{% for i in (1..10000) %}${"x".repeat(1000)}{% endfor %}`, /longer than 500 KB/);
  refuses(`{% assign a = "${"x,".repeat(10_001)}y" | split: "," %}`, /list of 10002 items; at most 10000/);
  refuses(
    '{{ "x" | replace: "", "yyyyyyyyyy" | split: "" | join: "zzzz" | times: "x" | raw }}',
    /filter "raw"/,
  );
});

const large = {
  a: "a".repeat(100_000),
  list: Array.from({ length: 10_000 }, (_, index) => `xxxx${(index * 7919) % 10_000}`),
};
test("counts what each filter makes once, up to 1,000,000 for a part", () => {
  const made = (call: string, times: number) => () => {
    const template = compileTemplate(`{% assign x = fields.${call} %}`.repeat(times));
    const scope = { ...scopeOf(ada, url, surroundings, []), fields: large };
    renderTemplate(template, scope as unknown as ReturnType<typeof scopeOf>, new Map());
  };
  for (const [call, times] of [
    ["a | upcase", 10],
    ["list | reverse", 100],
    ["list | sort", 100],
  ] as const) {
    made(call, times)();
    assert.throws(made(call, times + 1), /memory alloc limit exceeded/, call);
  }
});

test("ends a range whose numbers are too large to be counted", () => {
  for (const [from, to] of [
    ["9007199254740992", "9007199254740994"],
    ["-9007199254740996", "-9007199254740990"],
    ['"9007199254740992"', "9007199254740994"],
  ])
    for (const use of [
      `{% assign b = ${to} %}{% for i in (${from}..b) %}x{% endfor %}`,
      `{% assign a = ${from} %}{% assign c = (a..${to}) | size %}`,
      `{% assign a = ${from} %}{% if email and (a..${to}) contains 1 %}{% endif %}`,
      `{% case email %}{% when (${from}..${to}) %}{% endcase %}`,
      `{{ email | default: 1 | append: (${from}..${to}) }}`,
    ])
      refuses(use.replaceAll('"90', "'90").replaceAll('2"', "2'"), /range from .* to .* is not possible/);
  assert.equal(
    textOf("{% for i in (1..3) %}{{ i }}{% endfor %}{% assign n = 2 %}{{ (1..n) | join }}"),
    "1231 2",
  );
});

test("formats a date as Liquid does, for at most 100 characters with 20 codes", () => {
  const zone = process.env.TZ;
  try {
    process.env.TZ = "UTC";
    const liquid = new Liquid({ timezoneOffset: 0, locale: "en", preserveTimezones: true });
    const codes = [..."aAbBCdeHIjklLmMNpPqsSuUwWyYzZtn%hQ"];
    const flags = ["", "-", "_", "0", "^", "#", ":", "5", "_12", "^-", "03"];
    const values = [
      "2020-02-29T13:05:09.007Z",
      "1999-12-31T23:59:59+05:30",
      "2026-11-01",
      "815-1-1",
      "Nov 3 2026",
    ];
    for (const value of [...values, "0", "1700000000", "2001-01-21T00:00:00-08:00", "no date", ""])
      for (const flag of flags)
        for (const code of codes) {
          const template = `{{ "${value}" | date: "[%${flag}${code}]" }}`;
          const own = `{{ "${value}" | date: "[%${flag}${code}]" | _plain }}`;
          assert.equal(renderedBy(own), liquid.parseAndRenderSync(template), template);
        }
    // In Liquid these depend on the language of the machine.
    const leapDay = new Date("2020-02-29T13:05:09Z");
    for (const [code, shown] of [
      ["c", leapDay.toLocaleString("en-US")],
      ["x", leapDay.toLocaleDateString("en-US")],
      ["X", leapDay.toLocaleTimeString("en-US")],
    ] as const)
      assert.equal(renderedBy(`{{ "2020-02-29T13:05:09Z" | date: "%${code}" | _plain }}`), shown);
    for (const template of [
      '{{ "2020-02-03" | date ',
      '{{ 1700000000 | date: "%F %H:%M", -60 ',
      "{{ nil | date ",
    ])
      assert.equal(
        renderedBy(`${template}| _plain }}`),
        liquid.parseAndRenderSync(`${template}}}`),
        template,
      );
    process.env.TZ = "America/New_York";
    assert.equal(textOf('{{ birthday | date: "%-d %B %Y" }}'), "10 December 1815");
    for (const [value, shown] of [
      ["2026-11-01 10:00", "1 November 2026 10:00"],
      ["05-12-2024", "12 May 2024 00:00"],
      ["10:00 05-12-1200", "12 May 1200 10:00"],
      ["2024-05-12Z", "12 May 2024 00:00"],
      ["2024-05-12T10:00:00.5+14:00", "12 May 2024 10:00"],
      ["2024-05-12 10:00 PM -0330", "12 May 2024 22:00"],
      ["Sun, 12 May 2024 10:00:00 GMT+0200", "12 May 2024 10:00"],
      // No such time zone.
      ["2024-05-12T10:00:00+15:00", "11 May 2024 15:00"],
    ])
      assert.equal(textOf(`{{ "${value}" | date: "%-d %B %Y %H:%M" }}`), shown, value);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
  refuses('{{ "2026-01-01" | date: "%100000000d" }}', /at most 20 codes such as %d, each at most 100 wide/);
  refuses(`{{ "2026-01-01" | date: "${"%d".repeat(21)}" }}`, /at most 20 codes/);
  refuses(`{{ "2026-01-01" | date: "${"x".repeat(101)}" }}`, /has 101 characters; at most 100 are allowed/);
  refuses('{{ "2026-01-01" | date: "%d", "Europe/Berlin" }}', /time zone in minutes, such as -60/);
});
const renderedBy = (source: string): string =>
  renderTemplate(compileTemplate(source), scopeOf(ada, url, surroundings, []), new Map());

test("skips the person for whom a template would format a date a hundred thousand times", () => {
  const f = "{% assign f = f | append: f %}";
  const template = `{% if first_name == "Zed" %}{% assign f = "%A%A%A%A%A%A%A%A%A%A" %}{% for i in (1..14) %}${f}{% endfor %}{% assign q = "2020-01-01T00:00:00Z" | date: f %}{% endif %}`;
  const ready = prepared({ text: `${template}${textFooter}` });
  assert.ok("text" in renderFor(ready, ada, url));
  const before = process.threadCpuUsage();
  const result = renderFor(ready, { ...ada, firstName: "Zed" }, url);
  assert.match("cannotRender" in result ? result.cannotRender : "", /"append" has a text/);
  assert.ok(process.threadCpuUsage(before).user < 500_000);
});

test("tries again once if it took too long for somebody, and not for everybody", (t) => {
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
    [1, false],
  ] as const) {
    slow = times;
    assert.equal("text" in renderFor(campaign, ada, url), isRendered, `${times} times`);
  }
});

test("limits the time of all parts of a message together", (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => (now += 60));
  t.mock.method(process, "threadCpuUsage", (before?: NodeJS.CpuUsage) => ({
    user: now * 1000 - (before?.user ?? 0),
    system: 0,
  }));
  const loop = '{% if email == "hot@example.org" %}{% for i in (1..3) %}.{% endfor %}{% endif %}';
  const isRendered = (subject: string, preheader: string): boolean => {
    const campaign = prepared({ subject: `A${subject}`, preheader, text: `B${textFooter}` });
    return "text" in renderFor(campaign, { ...ada, address: "hot@example.org" }, url);
  };
  assert.deepEqual([isRendered(loop, ""), isRendered("", loop), isRendered(loop, loop)], [true, true, false]);
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
    html: `{% if first_name == "Eve" %}{% for i in (1..9000) %}{% assign a = "${"x".repeat(999)}" | upcase %}{% endfor %}{% endif %}${footer}`,
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
