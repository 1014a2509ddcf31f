/** No message without a visible unsubscribe link and a postal address. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hidingOf } from "#delivery/render/html/hiding.ts";
import { prepareContent } from "#delivery/render/prepare.ts";
import { renderFor } from "#delivery/render/render.ts";
import { lookAtHtml } from "#delivery/render/required-parts.ts";
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

test("refuses HTML in which a style hides the link or the address", () => {
  const styles = [
    ...["font-size:0em", "font-size:0.0pt", "font-size:.01em", "font-size:1%", "font:0/0 a", "FONT: 0px/0 a"],
    ...["font:bold 700 1px/1px Arial", "font-size:14px;font-size:0 !important", "font-size:calc(0px)"],
    ...["dis/**/play:none", "/* x */display:/* y */none", "d\\69splay:none", "display&#58;none"],
    ...["display:n&#111;ne", "display:none!important", "color:red;visibility&colon; hidden"],
    ...["opacity:0.05", "opacity:0.0 !important", "opacity:9%", "opacity:1e-3", "filter:opacity(0)"],
    ...["filter:alpha(opacity=0)", "clip:rect(0,0,0,0)", "clip-path:inset(50%)", "clip-path:circle(0)"],
    ...["transform:scale(0)", "transform:rotate(1deg) scaleX(0.01)", "transform:translateX(-9999px)"],
    ...["transform:matrix(0,0,0,0,0,0)", "scale:0", "zoom:0", "text-indent:-9999px", "text-indent:-999em"],
    ...["position:absolute;left:-9999px", "position:absolute;top:-200vh", "margin-left:-99999px"],
    ...["margin:-5000px 0 0", "margin-top:calc(-1000px - 1em)", "height:1px;overflow:hidden"],
    ...["max-height:0px;overflow-y:hidden", "width:0.5px;overflow:clip", "width:0%;overflow:hidden"],
    ...["content-visibility:hidden", "display:table-column"],
  ];
  for (const style of styles) {
    const html = `<div style="${style}"><table><tr><td><p>${link}</p></td></tr></table></div>${address}`;
    assert.match(messages({ html, text: textFooter }), /^html: .*unsubscribe link/m, style);
    const other = `<div style="${style}"><b>{{ postal_address }}</b></div>${link}`;
    assert.match(messages({ html: other, text: textFooter }), /^html: .*postal address/m, style);
  }
});

test("refuses HTML in which nobody finds the link", () => {
  const hidden = [
    `<details><p>${link}</p></details>`,
    `<details><summary>More</summary>${link}</details>`,
    `<datalist>${link}</datalist>`,
    `<span style="display:none"><div></span>${link}</div>`,
    `<div style="display:none"><table><tr><td></div>${link}</td></tr></table></div>`,
    `<div style="font-size:0"><span style="font-size:2em">${link}</span></div>`,
    ...[
      "\u3164",
      "\u2800",
      "\u200e",
      "\ufe0f",
      "\u200b\u2060",
      "\u115f\u00a0",
      "&#x3164;",
      "&#10240;",
      "&lrm;",
    ].map((text) => `<a href="{{ unsubscribe_url }}">${text}</a>`),
    ...[
      'width="1" height="1"',
      'width="0"',
      'style="width:0;height:0"',
      'width="1px" alt=" "',
      'style="display:none" alt="x"',
    ].map((size) => `<a href="{{ unsubscribe_url }}"><img src="https://x.example/a.png" ${size}></a>`),
  ];
  for (const html of hidden)
    assert.match(messages({ html: html + address, text: textFooter }), /^html: .*unsubscribe link/m, html);
});

test("refuses style sheets that the check cannot see, apart from fonts", () => {
  const font = "https://fonts.googleapis.com/css?family=Ubuntu";
  for (const html of [
    '<link rel="stylesheet" href="https://x.example/a.css">',
    "<LINK HREF='https://x.example/a.css' REL='alternate StyleSheet'>",
    '<style>@import url("https://x.example/a.css"); p { color: red }</style>',
    "<style>@layer x { a { display: none } }</style>",
    "<style>@\\6c ayer x { a { display: none } }</style>",
  ])
    assert.match(messages({ html: html + footer }), /^html: .*Write the rules/m, html);
  for (const html of [
    `<link href="${font}" rel="stylesheet" type="text/css"><style>@import url(${font});</style>`,
    '<link rel="icon" href="https://x.example/a.ico">',
  ])
    assert.equal(messages({ html: html + footer }), "", html);
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
    `<table><tr><td style="font-size:0px"><div style="font-size:13px;line-height:1">${link}</div></td></tr></table>`,
    `<div style="font:bold 14px/1.5 Arial">${link}</div>`,
    `<div style="font-size:1em;margin:0 auto;opacity:.8;text-indent:1em;transform:none;clip:auto">${link}</div>`,
    `<div style="font-size:100%;height:1px;max-width:600px;width:100%;overflow:hidden"></div>${link}`,
    `<p style="display:none">x<div>${link}</div>`,
    `<ul><li style="display:none">x<li>${link}</ul>`,
    `<table><tr><td style="display:none">x<td>${link}</table>`,
    `<details open>${link}</details>`,
    `<details><summary>${link}</summary>x</details>`,
    '<a href="{{ unsubscribe_url }}"><img src="https://x.example/leave.png" width="80" height="20"></a>',
    '<a href="{{ unsubscribe_url }}">取消订阅</a>',
    '<a href="{{ unsubscribe_url }}">✕</a>',
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

test("checks for each person that the postal address is visible", () => {
  const hidden = { ...ada, fields: { Town: "Paris" } };
  for (const html of [
    `${link}<p style="{% if fields.Town == "Paris" %}display:none{% endif %}">{{ postal_address }}</p>`,
    `${link}<p style="font-size:{% if fields.Town == "Paris" %}0{% else %}12px{% endif %}">{{ postal_address }}</p>`,
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

test("remembers no long tags: one with a value in it is another one in every message", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heapUsed = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heapUsed();
  for (let n = 0; n < 300; n += 1) {
    const tag = `<p style="display:none" title="${n}${"x".repeat(100_000)}">`;
    assert.ok(hidingOf(tag, 0, tag.length).isHidden);
  }
  const kept = (heapUsed() - before) / 1024 ** 2;
  assert.ok(kept < 5, `${kept.toFixed(1)} MiB kept of 300 tags of 0.1 MiB`);
});

test("looks at unclosed elements and stray end tags as quickly as at well-formed HTML", () => {
  const cpuOf = (html: string): number => {
    const before = process.threadCpuUsage();
    lookAtHtml(html, url, "Oxford");
    return process.threadCpuUsage(before).user;
  };
  cpuOf("<b></b>".repeat(60_000));
  const wellFormed = cpuOf("<b></b>".repeat(60_000));
  for (const [start, rest] of [
    ["<b>".repeat(60_000), "</i>"],
    ["<div>".repeat(60_000), "</p>"],
    [`<i><div>${"<b>".repeat(450)}`, "</i>"],
    [`<ul>${"<b>".repeat(450)}`, "<u></u></li>"],
  ] as const) {
    const stray = cpuOf(start + rest.repeat(60_000));
    assert.ok(stray < 8 * wellFormed + 20_000, `${rest}: ${stray} µs, well-formed ${wellFormed} µs`);
  }
});
