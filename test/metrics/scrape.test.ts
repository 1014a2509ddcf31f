/** /metrics over HTTP, where collecting the metrics fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listen, scrape, scrapeServer } from "#metrics/scrape.ts";

test("answers 500 without the cause, and reports the cause, when the metrics cannot be collected", async (t) => {
  const cause = new Error("secret detail");
  const reported: unknown[] = [];
  const server = scrapeServer(
    scrape({
      text: () => Promise.reject(cause),
      token: null,
      onFailure: (error) => void reported.push(error),
    }),
  );
  const port = await listen(server, "127.0.0.1", 0);
  t.after(() => server.close());
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(response.status, 500);
  assert.match(await response.text(), /^The metrics could not be collected; the log says why\.\s*$/);
  assert.deepEqual(reported, [cause]);
});
