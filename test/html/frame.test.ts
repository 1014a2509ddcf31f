import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findAsset, linkedAssets } from "#html/served-assets.ts";
import { overview, signIn } from "./sample-pages.ts";

describe("the frame of a page", () => {
  test("has the search, the accounts, the navigation with one current page, the menu and the version", () => {
    const page = overview();
    assert.match(page, /<title>Overview – Mailroll<\/title>/);
    assert.match(page, /<form action="\/search" method="post">/);
    assert.match(page, /Account: <\/span>Northwind Coffee/);
    assert.match(page, /<a href="\/overview" aria-current="page">.*?<span>Overview<\/span>/);
    assert.match(page, /<form method="post" action="\/sign-out">/);
    assert.match(page, /Mailroll 0\.1\.0/);
  });
  test("of a card has neither navigation nor search", () => {
    assert.doesNotMatch(signIn(), /<nav|type="search"/);
  });
});

describe("the files of a page", () => {
  const { head, contentSecurityPolicy } = linkedAssets("/mail");
  const links = [...head.html.matchAll(/(?:href|src)="(.*?)"/g)].map(([, link = ""]) => link);
  const linked = (link: string) => findAsset(link.split("/").at(-1) ?? "");

  test("are linked below the prefix, under names that change with their content, and may be kept", () => {
    assert.equal(links.length, 6);
    for (const link of links) {
      assert.match(link, /^\/mail\/console\/assets\/\w+\.[0-9a-f]{16}\.(css|js|svg|woff2)$/);
      assert.match(linked(link)?.headers["Cache-Control"] ?? "", /immutable/);
    }
  });
  test("are only those that are served: no name leads to another file", () => {
    for (const name of ["", "..", "../console.js", "console.js", "constructor", "__proto__"])
      assert.equal(findAsset(name), null, name);
  });
  test("are small, as they are sent: the font, the style and the scripts", async () => {
    const sent = links.map(async (link) => (await linked(link)?.gzipped?.()) ?? linked(link));
    const total = (await Promise.all(sent)).reduce((sum, asset) => sum + (asset?.body.length ?? 0), 0);
    assert.ok(total > 50_000 && total < 76_000, `${total} bytes`);
  });
  test("are all that the policy allows: nothing inline, nothing of another host", () => {
    assert.match(contentSecurityPolicy, /^default-src 'none'; style-src 'self'; script-src 'self'; /);
    assert.match(contentSecurityPolicy, /frame-ancestors 'none'/);
    assert.doesNotMatch(contentSecurityPolicy, /unsafe|\*/);
  });
});
