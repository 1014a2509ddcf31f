/** The database does not answer while something is being sent. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { download, eventPage, page } from "#console/kit/page.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const lost = (): Error => new StoreUnavailable("the database does not answer");
const stream = eventPage({
  path: "/{account}/stream",
  events: async function* () {
    yield { data: "first" };
    throw lost();
  },
});
const file = page({
  path: "/{account}/file",
  show: async () =>
    download({
      fileName: "a.csv",
      contentType: "text/csv",
      chunks: (async function* () {
        yield "first\n";
        throw lost();
      })(),
    }),
});

let server: ConsoleServer;
before(async () => {
  server = await startConsole({ pages: [stream, file] });
  await server.store.accounts.create({ name: "Default", at: 1 });
});
after(() => server.close());

test("a stream ends when the database does not answer, and that is no defect", async () => {
  const browser = await server.signedIn("viewer");
  const { body } = await browser.get("/console/1/stream");
  assert.equal(body, ":\n\ndata: first\n\n");
  assert.deepEqual(server.defects, []);
});

test("a download breaks off when the database does not answer, and that is no defect", async () => {
  const browser = await server.signedIn("viewer");
  await assert.rejects(browser.get("/console/1/file"));
  assert.deepEqual(server.defects, []);
});
