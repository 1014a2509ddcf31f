/** What it costs to serve the reference and the OpenAPI document. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { referencePage } from "#api/v2/reference/page.ts";
import { routes, tags } from "#api/v2/routes.ts";
import { sendRequest } from "../../send-request.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
});
after(() => api.close());

test("a request for the reference or the description costs far less than making it, for any host", async () => {
  const cpuMs = async (work: () => unknown): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const making = await cpuMs(() => referencePage(routes, "http://a.example", tags));
  const times = 40;
  for (const path of ["reference", "openapi.json"]) {
    const send = (host: string) =>
      sendRequest(`${api.address}${path}`, {
        method: "HEAD",
        headers: { Host: host, "Accept-Encoding": "gzip" },
      });
    assert.equal((await send("first.example")).headers.get("content-encoding"), "gzip");
    const all = await cpuMs(async () => {
      for (let n = 0; n < times; n += 1) assert.equal((await send(`h${n % 20}.example`)).status, 200);
    });
    assert.ok(all < (times * making) / 3, `${path}: ${all} ms, but making it once takes ${making} ms`);
  }
});
