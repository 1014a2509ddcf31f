/** No message without a visible unsubscribe link and a postal address. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { prepareContent } from "../../../src/delivery/render/prepare.ts";
import { renderFor } from "../../../src/delivery/render/render.ts";
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

test("refuses HTML in which not everybody sees the link", () => {
  const hidden = [
    "<p>no link</p>",
    `<!-- ${link} -->`,
    `<!--[if mso]>${link}<![endif]-->`,
    `{% comment %}${link}{% endcomment %}`,
    `{% if first_name %}${link}{% endif %}`,
    `{% unless first_name %}${link}{% endunless %}`,
    `{% if false %}${link}{% endif %}`,
    `<div hidden>${link}</div>`,
    `<div style="display:none">${link}</div>`,
    `<div style="DISPLAY : none !important"><div></div>${link}</div>`,
    `<style>.gone { display: none }</style><div class="gone">${link}</div>`,
    `<style>a { visibility: hidden }</style>${link}`,
    `<div style="opacity:0">${link}</div>`,
    `<div style="max-height:0;overflow:hidden">${link}</div>`,
    `<a style="font-size:0" href="{{ unsubscribe_url }}">Leave</a>`,
    `<template>${link}</template>`,
    `<textarea>${link}</textarea>`,
    `<title>${link}</title>`,
    '<a href="{{ unsubscribe_url }}"></a>',
    '<a href="{{ unsubscribe_url }}">&nbsp;&zwnj; </a>',
    '<a href="{{ unsubscribe_url }}"><span hidden>Leave</span></a>',
    '<a title="{{ unsubscribe_url }}">Leave</a>',
    '<a href="{{ unsubscribe_url }}x">Leave</a>',
    '<a href="{{ unsubscribe_url }}.html">Leave</a>',
    '<a href="https://x.example/?{{ unsubscribe_url }}">Leave</a>',
    '<a href="https://x.example/" href="{{ unsubscribe_url }}">Leave</a>',
    "{{ unsubscribe_url | upcase }}",
    '<img src="{{ unsubscribe_url }}">',
    '<p title="<a href={{ first_name }}">no link</p>',
  ];
  for (const html of hidden)
    assert.match(messages({ html: html + address, text: textFooter }), /^html: /m, html);
});

test("accepts a visible link, with text or an image", () => {
  const visible = [
    link,
    `<div hidden></div>${link}`,
    `<div style="display:none"><div></div>x</div>${link}`,
    `<div style="font-size:0"><span style="font-size:14px">${link}</span></div>`,
    '<A HREF=\'{{ unsubscribe_url }}\'><img src="https://x.example/leave.png" alt="Leave"></A>',
    `{% if first_name %}${link}{% else %}${link}{% endif %}`,
    `<p title="a > b">${link}</p>`,
    '<a href=" {{ unsubscribe_url }}?from=mail">Leave</a>',
    `<table><tr><td>${link}</table>`,
  ];
  for (const html of visible) assert.equal(messages({ html: html + address }), "", html);
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
  assert.match(
    messages({ html: `${link}<div hidden>{{ postal_address }}</div>` }),
    /^html: .*postal address/m,
  );
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
  });
  const styled = prepared({
    html: `<p style="display: {{ country }}">${link}</p>${address}`,
    text: textFooter,
  });
  assert.ok("html" in renderFor(styled, nobody, url));
  assert.deepEqual(renderFor(styled, { ...ada, country: "none" }, url), {
    cannotRender: "html: no unsubscribe link",
  });
});

test("skips a person whose subject is empty", () => {
  const ready = prepared({ subject: '{% if country != "FR" %}News{% endif %}', html: footer });
  assert.deepEqual(renderFor(ready, { ...ada, country: "FR" }, url), { cannotRender: "subject: empty" });
});
