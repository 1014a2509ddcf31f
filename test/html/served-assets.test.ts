import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { ASSETS_PATH } from "#html/assets.ts";
import { assetNames, editorModule } from "#html/served-assets.ts";
import { type Service, startService } from "../service.ts";

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.close());

/** As it is sent: `fetch` would unpack it. */
async function get(name: string, encodings: string) {
  const url = `${service.origin}${ASSETS_PATH}/${name}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers: { "Accept-Encoding": encodings } }, resolve)
      .once("error", reject)
      .end();
  });
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

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

test("text is served compressed to those who take it, and the two are kept apart; a font is compressed already", async () => {
  for (const name of assetNames()) {
    const zipped = await get(name, "gzip, br");
    const again = await get(name, "br, gzip");
    const plain = await get(name, "gzip;q=0, br");
    const isText = !name.endsWith(".woff2");
    assert.equal(zipped.headers["content-encoding"], isText ? "gzip" : undefined, name);
    assert.equal(plain.headers["content-encoding"], undefined, name);
    for (const { headers } of [zipped, plain])
      assert.equal(headers.vary, isText ? "Accept-Encoding" : undefined);
    assert.deepEqual(isText ? gunzipSync(zipped.bytes) : zipped.bytes, plain.bytes);
    assert.deepEqual(again.bytes, zipped.bytes);
    assert.equal(Number(zipped.headers["content-length"]), zipped.bytes.length);
  }
});

test("the editor is one file of at most 200 KB", async () => {
  const { status, bytes, headers } = await get((await editorModule()) ?? assert.fail(), "gzip");
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "text/javascript; charset=utf-8");
  assert.ok(bytes.length <= 200_000, `${bytes.length} bytes`);
});

test("where the editor cannot be made, pages get none, and it is not tried again", async () => {
  const script = `
    import { editorModule } from "#html/served-assets.ts";
    const first = editorModule();
    console.log(await first, editorModule() === first);`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script],
    {
      cwd: import.meta.dirname,
      // Read when esbuild is loaded.
      env: { ...process.env, ESBUILD_BINARY_PATH: "/bin/false" },
    },
  );
  assert.equal(stdout, "null true\n");
  assert.match(stderr, /Warning: the editor of campaigns could not be made: /);
});
