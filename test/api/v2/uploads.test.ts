/** Uploads in parts, and their import as a job. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { type ApiServer, startApi } from "./api-server.ts";
import { finishJobs } from "./finish-jobs.ts";
import { problemOf } from "./problem-of.ts";
import { type PageOf, readReply } from "./read-reply.ts";

let api: ApiServer;
const UPLOADS = "/accounts/1/uploads";
before(async () => {
  api = await startApi();
  await api.store.accounts.create({ name: "Acme", at: 1 });
  await api.store.accounts.create({ name: "Other", at: 1 });
  await api.store.lists.create({ account: 1, name: "News", at: 1 });
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const TABLE = "email,first_name\nada@example.org,Ada\nnobody,Nobody\ngrace@example.org,Grace\n";
const headers = { "Content-Type": "application/octet-stream" };
const send = (path: string, offset: number, body: string) =>
  api.send("PUT", `${path}?offset=${offset}`, { body, headers });
const begin = async (): Promise<string> => {
  const body = { name: "members.csv", size: TABLE.length };
  const { id } = await readReply<{ id: string }>(await api.send("POST", UPLOADS, { body }), 201);
  return `${UPLOADS}/${id}`;
};

test("a file is sent in parts, finished, previewed and imported as a job", async () => {
  const one = await begin();
  const [first, second] = [TABLE.slice(0, 30), TABLE.slice(30)];
  assert.deepEqual(await readReply(await send(one, 0, first)), { size: 30 });
  assert.deepEqual(await readReply(await send(one, 0, first)), { size: 30 });
  assert.equal((await problemOf(await send(one, 31, second))).errors?.[0]?.parameter, "offset");
  assert.equal((await readReply<{ size: number }>(await api.send("GET", one))).size, 30);
  await readReply(await send(one, 30, second));
  const wrong = await api.send("POST", `${one}/finish`, { body: { sha256: "0".repeat(64) } });
  assert.equal((await problemOf(wrong)).errors?.[0]?.pointer, "#/sha256");
  const sha256 = createHash("sha256").update(TABLE).digest("hex");
  await readReply(await api.send("POST", `${one}/finish`, { body: { sha256 } }));
  const content = await api.send("GET", `${one}/content?from=6`);
  assert.equal(await content.text(), TABLE.slice(6));

  const body = { upload: one.split("/").at(-1), contents: { kind: "subscribers", list: "1" } };
  const preview = await readReply<{ columns: { column: string }[]; rows: string[][]; problem: null }>(
    await api.send("POST", "/accounts/1/imports:preview", { body }),
  );
  assert.equal(preview.problem, null);
  assert.deepEqual(preview.rows[0], ["ada@example.org", "Ada"]);
  const started = await readReply<{ import: string; job: { id: string } }>(
    await api.send("POST", "/accounts/1/imports", { body }),
    202,
  );
  await finishJobs(api.store);
  const job = await readReply<{ state: string; result: { rejected: { rows: number; upload: number } } }>(
    await api.send("GET", `/accounts/1/jobs/${started.job.id}`),
  );
  assert.deepEqual([job.state, job.result.rejected.rows], ["finished", 1]);
  const rejected = await api.send("GET", `${UPLOADS}/${job.result.rejected.upload}/content`);
  assert.match(await rejected.text(), /nobody/);
  const batch = await readReply<{ counts: { added: number } }>(
    await api.send("GET", `/accounts/1/imports/${started.import}`),
  );
  assert.equal(batch.counts.added, 2);
});

test("an upload is listed and deleted, and is not found in another account", async () => {
  const one = await begin();
  const { items } = await readReply<PageOf<{ name: string }>>(await api.send("GET", UPLOADS));
  assert.equal(items[0]?.name, "members.csv");
  const other = one.replace("/accounts/1/", "/accounts/2/");
  assert.equal((await problemOf(await api.send("GET", other))).status, 404);
  assert.equal((await problemOf(await send(other, 0, "x"))).status, 404);
  assert.equal((await problemOf(await api.send("DELETE", other))).status, 404);
  assert.equal((await api.send("DELETE", one)).status, 204);
  assert.equal((await problemOf(await api.send("GET", one))).status, 404);
});

test("a part that is empty or too large is refused, and so is one of a viewer", async () => {
  const one = await begin();
  assert.equal((await problemOf(await send(one, 0, ""))).status, 400);
  assert.equal((await problemOf(await api.send("PUT", one, { body: "x", headers }))).status, 400);
  const large = await send(one, 0, "x".repeat(4 * 1024 ** 2 + 1)).catch(() => null);
  if (large !== null) assert.equal(large.status, 413);
  const viewer = await api.send("PUT", `${one}?offset=0`, { body: "x", headers, token: "viewer" });
  assert.equal(viewer.status, 403);
});
