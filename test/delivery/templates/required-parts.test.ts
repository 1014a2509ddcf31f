/** No message without an unsubscribe link and a postal address. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { prepareContent } from "#delivery/templates/prepare.ts";
import { renderFor } from "#delivery/templates/render.ts";
import {
  ada,
  content,
  footer,
  nobody,
  prepared,
  problemsOf,
  surroundings,
  textFooter,
  url,
} from "./sample.ts";

const link = '<a href="{{ unsubscribe_url }}">Leave</a>';
const address = "<p>{{ postal_address }}</p>";
const messages = (given: Parameters<typeof problemsOf>[0]): string =>
  problemsOf(given)
    .map(({ part, message }) => `${part}: ${message}`)
    .join("\n");

test("refuses HTML in which the link is not in text or a link that everybody gets", () => {
  const refused = [
    "<p>no link</p>",
    `<!-- ${link} -->`,
    `<!--[if mso]>${link}<![endif]-->`,
    `{% comment %}${link}{% endcomment %}`,
    `{% if first_name %}${link}{% endif %}`,
    `{% unless first_name %}${link}{% endunless %}`,
    `{% if false %}${link}{% endif %}`,
    `<head>${link}</head>`,
    `<head>${link}<body>`,
    "<head><title>{{ unsubscribe_url }}</title></head>",
    "<style>/* {{ unsubscribe_url }} */</style>",
    '<a title="{{ unsubscribe_url }}">Leave</a>',
    '<a href="https://x.example/?{{ unsubscribe_url }}">Leave</a>',
    '<a href="https://x.example/" href="{{ unsubscribe_url }}">Leave</a>',
    "{{ unsubscribe_url | upcase }}",
    "https://x.example/{{ unsubscribe_url }}",
    '<img src="{{ unsubscribe_url }}">',
    '<p title="<a href={{ first_name }}">no link</p>',
  ];
  for (const html of refused)
    assert.match(messages({ html: html + address, text: textFooter }), /^html: .*unsubscribe link/m, html);
  assert.match(messages({ html: `<a href="{{ unsubscribe_url }}x">Leave</a>${address}` }), /whole link/);
});

test("refuses HTML in which a style attribute with display:none hides the link or the address", () => {
  const around = (html: string): readonly string[] => [
    ...["display:none", "DISPLAY : none !important", "color:red;display:none;margin:0"].map(
      (style) => `<div style="${style}"><div></div><table><tr><td>${html}</td></tr></table></div>`,
    ),
    `<DIV STYLE='display&#58;none'>${html}</DIV>`,
    `<div style="display:none"><body>${html}</body></div>`,
    `<style>.gone { display: none }</style><div class="gone">${html}</div>`,
    `<ul><li style="display:none">not closed<li>${html}</ul>`,
  ];
  for (const html of [
    ...around(link),
    '<a style="display:none" href="{{ unsubscribe_url }}">Leave</a>',
    '<area style="display:none" href="{{ unsubscribe_url }}">',
  ])
    assert.match(messages({ html: html + address, text: textFooter }), /^html: .*unsubscribe link/m, html);
  for (const html of around("<b>{{ postal_address }}</b>"))
    assert.match(messages({ html: link + html, text: textFooter }), /^html: .*postal address/m, html);
});

test("accepts a link in text or in an href that everybody gets", () => {
  const accepted = [
    link,
    "{{ unsubscribe_url }}",
    "<p>Leave:<b>{{ unsubscribe_url }}</b>.</p>",
    `<head><title>News</title></head>${link}`,
    `<head><title>News</title><body>${link}</body>`,
    `<div style="display:none"><div></div>x</div>${link}`,
    `<div style="display:none"><br style="display:none">x</div>${link}`,
    `<br style="display:none">${link}`,
    `<div style="display:block;x-display:none">${link}</div>`,
    `<div data-style="display:none">${link}</div>`,
    '<A HREF=\'{{ unsubscribe_url }}\'><img src="https://x.example/leave.png" alt="Leave"></A>',
    '<map name="m"><area href="{{ unsubscribe_url }}"></map>',
    `{% if first_name %}${link}{% else %}${link}{% endif %}`,
    `<p title="a > b">${link}</p>`,
    '<a href=" {{ unsubscribe_url }}?from=mail">Leave</a>',
    `<table><tr><td>${link}</table>`,
    `<!--[if !mso]><!-->${link}<!--<![endif]-->`,
  ];
  for (const html of accepted) assert.equal(messages({ html: html + address, text: textFooter }), "", html);
});

test("refuses text without the link, also if the HTML has it", () => {
  const html = link + address;
  for (const text of [
    "Hello",
    "{% if first_name %}{{ unsubscribe_url }}{% endif %}",
    "{{ unsubscribe_url }}x",
    "xhttps://x.example/?{{ unsubscribe_url }}",
    "https://x.example/{{ unsubscribe_url }}",
    "https://x.example/?a={{ unsubscribe_url }}",
    "x@{{ unsubscribe_url }}",
  ])
    assert.match(
      messages({ html, text: `${text}\n{{ postal_address }}` }),
      /^text: .*unsubscribe link/m,
      text,
    );
  assert.equal(messages({ html, text: textFooter }), "");
  for (const text of ["{{ unsubscribe_url }}", "Leave:{{ unsubscribe_url }}.", "(<{{ unsubscribe_url }}>)"])
    assert.equal(messages({ html, text: `${text}\n{{ postal_address }}` }), "", text);
  assert.match(messages({ text: "Hello {{ postal_address }}" }), /^text: .*Add \{\{ unsubscribe_url \}\}/m);
});

test("refuses content that does not show the postal address of the sender", () => {
  assert.match(messages({ html: link, text: textFooter }), /^html: .*postal address/m);
  assert.match(messages({ html: `${link}<p title="{{ postal_address }}"></p>` }), /^html: .*postal address/m);
  assert.match(messages({ html: link + address, text: "{{ unsubscribe_url }}" }), /^text: .*postal address/m);
  assert.equal(
    messages({ html: `${link}Garden Club, 1 Main Street, Oxford` }),
    "",
    "written into the template",
  );
});

test("does not ask for the address of a sender that was not chosen yet", () => {
  const result = prepareContent(content({ html: link }), { ...surroundings, sender: null });
  assert.ok(!("problems" in result));
});

test("checks the message of each person", () => {
  const ready = prepared({ html: `{% if country != "FR" %}${link}{% endif %}${address}`, text: textFooter });
  assert.ok("html" in renderFor(ready, ada, url));
  assert.deepEqual(renderFor(ready, { ...ada, country: "FR" }, url), {
    cannotRender: "html: no unsubscribe link",
    missing: "unsubscribe link",
  });
  const styled = prepared({
    html: `<p style="display: {{ country }}">${link}</p>${address}`,
    text: textFooter,
  });
  assert.ok("html" in renderFor(styled, nobody, url));
  assert.deepEqual(renderFor(styled, { ...ada, country: "none" }, url), {
    cannotRender: "html: no unsubscribe link",
    missing: "unsubscribe link",
  });
});

test("checks for each person that the postal address is in the text", () => {
  const hidden = { ...ada, fields: { Town: "Paris" } };
  for (const html of [
    `${link}<p style="{% if fields.Town == "Paris" %}display:none{% endif %}">{{ postal_address }}</p>`,
    `${link}{% if fields.Town == "Paris" %}<!-- {% comment %} x {% endcomment %} {{ postal_address }} -->{% else %}${address}{% endif %}`,
    `${link}{% if fields.Town == "Paris" %}<p title="{{ postal_address }}"></p>{% else %}${address}{% endif %}`,
  ]) {
    const ready = prepared({ html, text: textFooter });
    assert.ok("html" in renderFor(ready, ada, url), html);
    const expected = { cannotRender: "html: no postal address", missing: "postal address" };
    assert.deepEqual(renderFor(ready, hidden, url), expected, html);
  }
});

test("treats a postal address without letters and digits as missing", () => {
  for (const postalAddress of ["-", "...", "\u200b", "\u3164"]) {
    const sender = { fromName: "Garden Club", postalAddress };
    const result = prepareContent(content({ html: link + address, text: textFooter }), {
      ...surroundings,
      sender,
    });
    assert.ok("problems" in result);
    assert.deepEqual(
      result.problems.map(({ part, message }) => `${part}: ${message}`),
      [
        "html: The postal address of the sender has no letters or digits. Give the sender a street and a town.",
      ],
    );
  }
});

test("skips a person whose subject is empty", () => {
  const ready = prepared({ subject: '{% if country != "FR" %}News{% endif %}', html: footer });
  assert.deepEqual(renderFor(ready, { ...ada, country: "FR" }, url), { cannotRender: "subject: empty" });
});
