import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ASSETS_PATH } from "#html/assets.ts";
import { assetNames } from "#html/served-assets.ts";
import { type Service, startService } from "../service.ts";

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.close());

test("the files of the pages are served with a type, and may be kept for ever", async () => {
  for (const name of assetNames()) {
    const response = await fetch(`${service.origin}${ASSETS_PATH}/${name}`);
    assert.equal(response.status, 200, name);
    assert.match(
      response.headers.get("content-type") ?? "",
      /^(text\/(css|javascript)|font\/woff2|image\/svg)/,
    );
    assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.ok((await response.arrayBuffer()).byteLength > 0);
  }
});

test("an unknown file is 404", async () => {
  for (const name of ["console.0000000000000000.css", "constructor", "..%2fconsole.js"])
    assert.equal((await fetch(`${service.origin}${ASSETS_PATH}/${name}`)).status, 404, name);
});
