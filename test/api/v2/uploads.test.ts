/** Uploads in parts, and their import as a job. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { noSubscriberCounts } from "#domain/import/batch.ts";
import { addressOf } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { finishJobs } from "./finish-jobs.ts";
import { problemOf } from "./problem-of.ts";
import { type PageOf, readReply } from "./read-reply.ts";

let api: ApiServer;
const UPLOADS = "/accounts/1/uploads";
const IMPORTS = "/accounts/1/imports";
const PREVIEW = `${IMPORTS}:preview`;
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

const TABLE = "email,first_name\nada@example.org,Ada\nnobody,=1+1\ngrace@example.org,Grace\n";
const headers = { "Content-Type": "application/octet-stream" };
const send = (path: string, offset: number, body: string) =>
  api.send("PUT", `${path}/content?offset=${offset}`, { body, headers });
const begin = async (): Promise<string> => {
  const body = { fileName: "members.csv", expectedSize: TABLE.length };
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
  const content = await api.send("GET", `${one}/content?offset=6`);
  assert.equal(await content.text(), TABLE.slice(6));

  const body = { uploadId: one.split("/").at(-1), contents: { kind: "subscribers", listId: "1" } };
  assert.deepEqual(await readReply(await api.send("POST", PREVIEW, { body })), {
    ...{ separator: "comma", sheets: null },
    hasHeader: true,
    product: null,
    columns: [
      {
        ...{ heading: "email", column: "email", dateOrder: null },
        samples: ["ada@example.org", "nobody", "grace@example.org"],
      },
      {
        ...{ heading: "first_name", column: "first_name", dateOrder: null },
        samples: ["Ada", "=1+1", "Grace"],
      },
    ],
    rows: [
      ["ada@example.org", "Ada"],
      ["nobody", "=1+1"],
      ["grace@example.org", "Grace"],
    ],
    names: [],
    problem: null,
  });
  const start = async (given: object) => {
    const one = await readReply<{ importId: string; job: { id: string } }>(
      await api.send("POST", IMPORTS, { body: given }),
      202,
    );
    await finishJobs(api.store);
    const job = await readReply<{ state: string; result: { rejected: { uploadId: string } } }>(
      await api.send("GET", `/accounts/1/jobs/${one.job.id}`),
    );
    return { ...one, job };
  };
  const { job: tried } = await start({ ...body, dryRun: true });
  const { job, ...started } = await start(body);
  assert.equal(job.state, "finished");
  const { uploadId } = job.result.rejected;
  const counts = { ...noSubscriberCounts, added: 2, newSubscribers: 2, rejected: 1 };
  assert.deepEqual(job.result, {
    ...{ importId: started.importId, uploadId: body.uploadId, isDryRun: false, isPartial: false, notes: [] },
    ...{
      pass: 2,
      rowCount: 3,
      sampleLines: { added: [2, 4] },
      byteCount: TABLE.length,
      ...{ mislabelledLineCount: 0, leftOutValues: [] },
      counts,
    },
    rejected: {
      ...{ rowCount: 1, isCut: false, uploadId },
      reasons: [{ reason: "… is not an e-mail address: it has no @", rowCount: 1 }],
    },
  });
  const batch = await readReply<{ counts: object; hasRejectedRows: boolean }>(
    await api.send("GET", `${IMPORTS}/${started.importId}`),
  );
  assert.deepEqual([batch.counts, batch.hasRejectedRows], [counts, true]);
  const { importId } = await readReply<{ importId: string }>(await api.send("GET", `${UPLOADS}/${uploadId}`));
  assert.equal(importId, started.importId);
  const rejected = await api.send("GET", `${IMPORTS}/${started.importId}/rejected-rows`);
  assert.equal(rejected.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(rejected.headers.get("content-disposition") ?? "", /import-\d+-rejected\.csv/);
  const lines = (await rejected.text()).split("\r\n");
  assert.equal(lines[0], "rejected_line,rejected_reason,email,first_name");
  assert.match(lines[1] ?? "", /^3,.*nobody,'=1\+1$/);
  const unchanged = `${IMPORTS}/${started.importId}/rejected-rows?spreadsheetSafe=false`;
  assert.match(await (await api.send("GET", unchanged)).text(), /,nobody,=1\+1\r\n$/);
  for (const id of [uploadId, tried.result.rejected.uploadId]) {
    const rows = (query: string) => api.send("GET", `${UPLOADS}/${id}/content${query}`);
    assert.match(await (await rows("")).text(), /,nobody,'=1\+1\r\n$/);
    assert.match(await (await rows("?spreadsheetSafe=false&offset=1")).text(), /,nobody,=1\+1\r\n$/);
    assert.equal((await problemOf(await rows("?offset=1"))).errors?.[0]?.parameter, "offset");
  }
  const given = { fileName: "mine.rejected.csv" };
  const sent = await readReply<{ id: string }>(await api.send("POST", UPLOADS, { body: given }), 201);
  await readReply(await send(`${UPLOADS}/${sent.id}`, 0, TABLE));
  const same = await api.send("GET", `${UPLOADS}/${sent.id}/content`);
  assert.equal(await same.text(), TABLE, "a file that a client has sent, whatever its name");
  const other = `/accounts/2/imports/${started.importId}/rejected-rows`;
  assert.equal((await problemOf(await api.send("GET", other))).status, 404);
});

test("an upload is listed and deleted, and is not found in another account", async () => {
  const one = await begin();
  const { items, next, previous } = await readReply<PageOf<{ fileName: string }> & { previous: null }>(
    await api.send("GET", UPLOADS),
  );
  assert.deepEqual([items[0]?.fileName, next, previous], ["members.csv", null, null]);
  const other = one.replace("/accounts/1/", "/accounts/2/");
  assert.equal((await problemOf(await api.send("GET", other))).status, 404);
  assert.equal((await problemOf(await send(other, 0, "x"))).status, 404);
  assert.equal((await problemOf(await api.send("DELETE", other))).status, 404);
  assert.equal((await api.send("DELETE", one)).status, 204);
  assert.equal((await problemOf(await api.send("GET", one))).status, 404);
});

test("a part that is empty or too large is refused, and so is one of a viewer", async () => {
  const one = await begin();
  const empty = await problemOf(await send(one, 0, ""));
  assert.equal(empty.status, 400);
  assert.deepEqual(Object.keys(empty.errors?.[0] ?? {}), ["detail"], "a part has no members to point to");
  const nowhere = await api.send("PUT", `${one}/content`, { body: "x", headers });
  assert.equal((await problemOf(nowhere)).errors?.[0]?.parameter, "offset");
  const large = await send(one, 0, "x".repeat(4 * 1024 ** 2 + 1)).catch(() => null);
  if (large !== null) assert.equal(large.status, 413);
  const viewer = await api.send("PUT", `${one}/content?offset=0`, { body: "x", headers, token: "viewer" });
  assert.equal(viewer.status, 403);
});

/** A finished upload of some text. */
const uploaded = async (text: string): Promise<string> => {
  const { id } = await readReply<{ id: string }>(
    await api.send("POST", UPLOADS, { body: { fileName: "table.csv" } }),
    201,
  );
  await readReply(await send(`${UPLOADS}/${id}`, 0, text));
  await readReply(await api.send("POST", `${UPLOADS}/${id}/finish`, { body: {} }));
  return id;
};

test("what is wrong with an import points into the body, and a preview has the same problem", async () => {
  const uploadId = await uploaded("email,Twon,birthday\nada@example.org,Rome,3/4/1990\n");
  const subscribers = { kind: "subscribers", listId: "1" };
  const ignoring = { ...subscribers, ignoreUnknown: true };
  for (const [contents, pointer, more = {}] of [
    [subscribers, "#/contents/map"],
    [{ ...subscribers, map: [{ heading: "Twon", column: "Nothing" }] }, "#/contents/map"],
    [ignoring, "#/dates"],
    [ignoring, "#/dates", { dates: [{ heading: "Twon", order: "dmy" }] }],
    [{ kind: "suppressions" }, "#/contents/as"],
    [ignoring, "#/uploadId", { encoding: "no-such-encoding" }],
  ] as const) {
    const body = { uploadId, contents, ...more };
    const problem = await problemOf(await api.send("POST", IMPORTS, { body }));
    assert.deepEqual([problem.status, problem.errors?.[0]?.pointer], [400, pointer]);
    const preview = await api.send("POST", PREVIEW, { body });
    if (pointer === "#/uploadId") assert.equal((await problemOf(preview)).errors?.[0]?.pointer, pointer);
    else assert.deepEqual((await readReply<{ problem: object }>(preview)).problem, problem);
  }
  const onNinetyNine = { ...ignoring, listId: "99" };
  for (const [status, body, pointer] of [
    [404, { uploadId, contents: onNinetyNine, dates: [{ order: "dmy" }] }, "#/contents/listId"],
    [404, { uploadId: "99", contents: ignoring }, "#/uploadId"],
    [400, { uploadId, contents: { kind: "suppressions", as: "x" } }, "#/contents/as"],
    [400, { uploadId, contents: { kind: "people", listId: "1" } }, "#/contents/kind"],
    [400, { uploadId, contents: {} }, "#/contents/kind"],
  ] as const) {
    const problem = await problemOf(await api.send("POST", IMPORTS, { body }));
    assert.deepEqual([problem.status, problem.errors?.[0]?.pointer], [status, pointer]);
    assert.equal(problem.errors?.length, 1);
  }
});

test("a table without headings is mapped by number, also the order of its dates", async () => {
  const uploadId = await uploaded("rosa@example.org,03/04/1990\nsam@example.org,\n");
  const map = [
    { heading: "1", column: "email" },
    { heading: "2", column: "birthday" },
  ];
  const contents = { kind: "subscribers", listId: "1", map, header: false };
  const preview = await readReply<{ hasHeader: boolean; columns: { heading: null }[]; rows: string[][] }>(
    await api.send("POST", PREVIEW, { body: { uploadId, contents: { ...contents, map: [] } } }),
  );
  assert.deepEqual([preview.hasHeader, preview.columns[0]?.heading, preview.rows.length], [false, null, 2]);
  const unmapped = await problemOf(
    await api.send("POST", IMPORTS, { body: { uploadId, contents: { ...contents, map: [] } } }),
  );
  const [error] = unmapped.errors ?? [];
  assert.equal(error?.pointer, "#/contents/map");
  assert.match(error.detail, /no meaning is given for the column 2; map each by its number/);
  assert.doesNotMatch(JSON.stringify(unmapped), /rosa/);
  const dates = [{ heading: "2", order: "dmy" }];
  await readReply(await api.send("POST", IMPORTS, { body: { uploadId, contents, dates } }), 202);
  await finishJobs(api.store);
  const address = addressOf("rosa@example.org");
  const found = await api.store.subscribers.byAddress({ account: 1, address });
  assert.equal(found?.data.birthday, "1990-04-03");
});

test("a preview says how whole names are split", async () => {
  const uploadId = await uploaded("email,Name\na@example.org,Ada\nj@example.org,Jutta von der Heide\n");
  const map = [{ heading: "Name", column: "full_name" }];
  const body = { uploadId, contents: { kind: "subscribers", listId: "1", map } };
  const { names } = await readReply<{ names: unknown }>(await api.send("POST", PREVIEW, { body }));
  assert.deepEqual(names, [
    { fullName: "Jutta von der Heide", firstName: "Jutta von der", lastName: "Heide" },
  ]);
});

test("a preview of suppressions has their columns, and says how dates are read", async () => {
  const uploadId = await uploaded("email;kind;date\nada@example.org;bounced;25.12.2025\n");
  const body = { uploadId, contents: { kind: "suppressions" }, separator: "semicolon" };
  assert.deepEqual(await readReply(await api.send("POST", PREVIEW, { body })), {
    ...{ separator: "semicolon", sheets: null },
    hasHeader: true,
    product: null,
    columns: [
      {
        ...{ heading: "email", column: "email", dateOrder: null },
        samples: ["ada@example.org"],
      },
      { heading: "kind", column: "kind", dateOrder: null, samples: ["bounced"] },
      { heading: "date", column: "date", dateOrder: "dmy", samples: ["25.12.2025"] },
    ],
    rows: [["ada@example.org", "bounced", "25.12.2025"]],
    names: [],
    problem: null,
  });
  const wrong = await api.send("POST", PREVIEW, { body: { ...body, separator: ";" } });
  assert.equal((await problemOf(wrong)).errors?.[0]?.pointer, "#/separator");
});

test("a user who has 20 uploads in an account is told how to delete one; another user is not affected", async () => {
  const begin = (token: "editor" | "owner") =>
    api.send("POST", "/accounts/2/uploads", { body: { fileName: "x.csv" }, token });
  for (let n = 0; n < 20; n += 1) await readReply(await begin("editor"), 201);
  const { status, detail } = await problemOf(await begin("editor"));
  assert.equal(status, 409);
  assert.match(detail, /already have 20 uploads in this account.*DELETE/);
  await readReply(await begin("owner"), 201);
});

test("an upload that an import reads is deleted after its job was cancelled", async () => {
  const uploadId = await uploaded("email\nada@example.org\n");
  const body = { uploadId, contents: { kind: "subscribers", listId: "1" } };
  const { job } = await readReply<{ job: { id: string } }>(await api.send("POST", IMPORTS, { body }), 202);
  const remove = () => api.send("DELETE", `${UPLOADS}/${uploadId}`);
  const { status, detail } = await problemOf(await remove());
  assert.deepEqual([status, /cancel the job first/.test(detail)], [409, true]);
  assert.equal((await api.send("POST", `/accounts/1/jobs/${job.id}/cancel`)).status, 200);
  assert.equal((await remove()).status, 204);
});
