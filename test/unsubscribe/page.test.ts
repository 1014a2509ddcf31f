/** The page behind a link: what it shows to whom, and that opening it changes nothing. */
import assert from "node:assert/strict";
import { mkdtempSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { Log } from "#app/log/log.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import { masked } from "#unsubscribe/page.ts";
import { PREVIEW_TOKEN, unsubscribeUrl } from "#unsubscribe/path.ts";
import { makeToken } from "#unsubscribe/token.ts";
import { sendRequest } from "../send-request.ts";
import { senderValues } from "../store/sender-values.ts";
import { startUnsubscribeService, type UnsubscribeService } from "./unsubscribe-service.ts";

let shared: UnsubscribeService;
before(async () => {
  shared = await startUnsubscribeService();
});
after(() => shared.service.close());

async function start(
  t: TestContext,
  ...options: Parameters<typeof startUnsubscribeService>
): Promise<UnsubscribeService> {
  const tested = await startUnsubscribeService(...options);
  t.after(() => tested.service.close());
  return tested;
}
const everything = (tested: UnsubscribeService) =>
  Promise.all([tested.a.show("ada@example.org"), tested.unsubscribes(), tested.members()]);

test("a link scanner that opens and follows everything unsubscribes nobody", async () => {
  const tested = shared;
  const token = await tested.join("ada@example.org");
  const before = await everything(tested);
  const { body } = await tested.get(token);
  const found = [...body.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, path = ""]) => path);
  assert.deepEqual(found.sort(), [
    `/u/${token}`,
    `/u/${token}/list/${tested.lists.news}`,
    `/u/${token}/list/${tested.lists.offers}`,
  ]);
  for (const path of [...found, `/u/${token}/`, `/u/${token}/undo`, `/u/${token}?List-Unsubscribe=One-Click`])
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"]) {
      const { status } = await sendRequest(`${tested.service.origin}${path}`, { method });
      assert.equal(status, method === "GET" || method === "HEAD" ? 200 : 404, `${method} ${path}`);
    }
  assert.deepEqual(await everything(tested), before);
});

test("the page names the sender and a part of the address, needs one response and runs no script", async () => {
  const tested = shared;
  await tested.store.accounts.set({ id: tested.account, settings: { name: "<Acme> & Co" } });
  const { status, headers, body } = await tested.get(await tested.join("ada.lovelace@example.org"));
  assert.equal(status, 200);
  assert.match(
    body,
    /<p>If you press the button, <span class="address">a…@example\.org<\/span> gets no more mail from <b>&lt;Acme&gt; &amp; Co<\/b>/,
  );
  assert.doesNotMatch(body, /lovelace|<script|<link rel="(?:stylesheet|preload)|https?:\/\/(?!www\.w3\.org)/);
  assert.match(body, /<meta name="robots" content="noindex">/);
  assert.deepEqual(
    ["cache-control", "referrer-policy", "x-robots-tag", "x-frame-options"].map((name) => headers.get(name)),
    ["no-store", "no-referrer", "noindex, nofollow", "DENY"],
  );
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; /);
  assert.match(policy, /form-action 'self'; frame-ancestors 'none'$/);
  assert.doesNotMatch(policy, /script-src|unsafe/);
  assert.equal(headers.get("set-cookie"), null);
  assert.ok(body.length < 16_384, `${body.length} characters`);
});

test("the page names the campaign's sender rather than the account", async () => {
  const tested = shared;
  const { store, account } = tested;
  await tested.join("bob@example.org");
  const sender = await store.senders.create({
    account,
    ...senderValues,
    fromName: "Acme News",
    createdAt: 1,
  });
  const content = { ...emptyContent, sender: sender.id, lists: [tested.lists.news] };
  const composed = await store.mailings.create({ account, name: "Spring", content, at: 1 });
  assert.ok("campaign" in composed);
  const token = await tested.tokenOf("bob@example.org", composed.campaign.id);
  assert.match((await tested.get(token)).body, /no more mail from <b>Acme News<\/b>/);
});

test("the link of a preview says that it is none, and is not counted as guessing", async () => {
  const path = new URL(unsubscribeUrl("https://mail.example.org", PREVIEW_TOKEN)).pathname;
  for (let n = 0; n < 50; n += 1) {
    const reply = await sendRequest(`${shared.service.origin}${path}`, {
      method: n % 2 === 0 ? "GET" : "POST",
    });
    assert.equal(reply.status, 200);
    assert.match(reply.body, /This is a test message/);
  }
});

test("an address is masked, whatever it looks like", () => {
  assert.equal(masked("ada@example.org"), "a…@example.org");
  assert.equal(masked("al@example.org"), "…@example.org");
  assert.equal(masked("a@example.org"), "…@example.org");
  assert.equal(masked("🎈bc@example.org"), "🎈…@example.org");
  assert.equal(masked('"x@y"@example.org'), '"…@example.org');
});

test("links and buttons work below the path of the base address, also if a proxy removes it", async (t) => {
  const tested = await start(t, { "base-url": "https://mail.example.org/lists" });
  const token = await tested.join("ada@example.org");
  assert.equal(
    unsubscribeUrl("https://mail.example.org/lists", token),
    `https://mail.example.org/lists/u/${token}`,
  );
  for (const path of [`/lists/u/${token}`, `/u/${token}`]) {
    const { status, body } = await sendRequest(`${tested.service.origin}${path}`);
    assert.equal(status, 200);
    assert.match(body, new RegExp(`action="/lists/u/${token}"`));
  }
  const soap = { "Content-Type": "text/xml", SOAPAction: "x" };
  const posted = { method: "POST", headers: soap, body: "x" };
  assert.equal((await sendRequest(`${tested.service.origin}/lists/u/${token}`, posted)).status, 200);
  assert.equal((await tested.person("ada@example.org")).state, "unsubscribed");
});

test("a thousand wrong links are rate-limited, and a genuine one from the same address is not", async () => {
  const tested = shared;
  const token = await tested.join("carl@example.org");
  const { account, campaign } = tested;
  const wrong = (n: number): string =>
    makeToken(Buffer.from(String(n)), { account: account + (n % 3), campaign, subscriber: n });
  const replies = await Promise.all(Array.from({ length: 1000 }, (_, n) => tested.post(wrong(n))));
  const statuses = Map.groupBy(replies, ({ status }) => status);
  assert.deepEqual(new Set(statuses.keys()), new Set([404, 429]));
  assert.equal(statuses.get(404)?.length, 40);
  for (const { headers } of statuses.get(429) ?? [])
    assert.ok(Number(headers.get("retry-after")) > 0 && Number(headers.get("retry-after")) <= 60);
  assert.equal((await tested.post(token)).status, 200);
  assert.equal((await tested.person("carl@example.org")).state, "unsubscribed");
  assert.equal(await tested.soapAdd("new@example.org"), "0", "nor are calls");
});

test("a POST is answered with 503 and Retry-After if it could not be stored, and acts when it is repeated", async (t) => {
  const tested = await start(t);
  const token = await tested.join("ada@example.org");
  const file = join(tested.service.folder, "m.db");
  renameSync(file, `${file}.away`);
  const reply = await tested.post(token);
  assert.deepEqual([reply.status, reply.headers.get("retry-after")], [503, "5"]);
  assert.match(reply.body, /could not be saved.*<form method="post">/s);
  assert.equal((await tested.get(token)).status, 503);
  renameSync(`${file}.away`, file);
  assert.equal((await tested.post(token)).status, 200);
  assert.equal((await tested.person("ada@example.org")).state, "unsubscribed");
});

test("an unexpected error is a 503 too, and does not disclose its cause", async () => {
  const tested = shared;
  const token = await tested.join("dora@example.org");
  const fail = (error: Error) => async (): Promise<never> => {
    throw error;
  };
  for (const error of [new Error("internal detail"), new StoreUnavailable("internal detail")]) {
    Object.assign(tested.store.unsubscribeLinks, { leave: fail(error) });
    const reply = await tested.post(token);
    assert.deepEqual([reply.status, reply.headers.get("retry-after")], [503, "5"]);
    assert.doesNotMatch(reply.body, /internal detail/);
  }
});

test("the log has neither tokens nor addresses", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "log");
  const tested = await startUnsubscribeService({}, new Log("debug", openSync(file, "w")));
  const token = await tested.join("ada@example.org");
  const forged = `${token.slice(0, -2)}AB`;
  await tested.get(token);
  await tested.post(token);
  await tested.post(token, "/undo");
  await tested.post(token, `/list/${tested.lists.news}`);
  await Promise.all(Array.from({ length: 60 }, () => tested.post(forged)));
  Object.assign(tested.store.unsubscribeLinks, {
    leave: async () => {
      throw new Error("broken");
    },
  });
  await tested.post(token);
  await tested.service.close();
  const lines = readFileSync(file, "utf8");
  assert.match(lines, /\/u\/:token/);
  assert.match(lines, /too many invalid unsubscribe links/);
  assert.match(lines, /broken/);
  for (const secret of [token, forged, token.slice(4, 20), "ada@", "example.org"])
    assert.ok(!lines.includes(secret), secret);
});
