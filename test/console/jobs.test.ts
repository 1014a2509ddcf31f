/** The pages about jobs, and the stream of one job's progress. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { jobEvents } from "#console/pages/jobs/job.ts";
import { pages } from "#console/pages.ts";
import {
  changeSubscribersJob,
  dryRunJob,
  restoreRecipientsJob,
  retryRecipientsJob,
  selectRecipientsJob,
} from "#domain/job/kinds.ts";
import type { SubscriberSearch } from "#domain/subscriber/search.ts";
import { finishJobs } from "../api/v2/finish-jobs.ts";
import { draftIn } from "../sending-campaign.ts";
import { addressOf } from "../store/actor.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

let server: ConsoleServer;
let list = 0;
/** What happens while a stream waits for the next look. */
let whileWaiting: () => Promise<unknown> = async () => {};
before(async () => {
  server = await startConsole({
    pages: (options) => [
      jobEvents(options, () => whileWaiting().then(() => {})),
      ...pages(options).filter(({ kind }) => kind !== "events"),
    ],
  });
  const { store } = server;
  for (const name of ["Default", "Other"]) await store.accounts.create({ name, at: 1 });
  list = (await store.lists.create({ account: 1, name: "News", at: 1 })).id;
  for (const email of ["ada@example.org", "grace@example.org"])
    await store.subscribers.add({
      ...{
        account: 1,
        at: 1,
        origin: { kind: "operator" },
        list,
        address: addressOf(email),
        recordedCall: null,
      },
    });
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

const everybody: SubscriberSearch = { address: null, name: null, state: null, list: null, filter: [] };
let mark = 0;
/** Nobody does it until `finishJobs`. */
async function startChange(
  total: number | null = 2,
  now = server.now,
): Promise<{ readonly id: number; readonly path: string }> {
  mark += 1;
  const origin = { kind: "operator", name: "<b>root</b>" } as const;
  const lease = await server.store.jobs.start({
    account: 1,
    kind: "change-subscribers",
    name: changeSubscribersJob(1, "remove", String(mark)),
    args: { search: everybody, change: { kind: "remove", list }, at: now, origin },
    total,
    at: now,
    lease: { owner: "test", until: now + 1 },
    audit: { at: now, origin, from: "", action: "test" },
    audited: {},
  });
  assert.ok(lease);
  await server.store.jobs.handBack({ ...lease, dueAt: now });
  return { id: lease.id, path: `/console/1/jobs/${lease.id}` };
}

test("the page of a job shows its state and progress, who started it, and its result at the end", async () => {
  const browser = await server.signedIn("viewer");
  const { path } = await startChange();
  const waiting = await browser.get(path);
  assert.equal(waiting.status, 200);
  assert.match(waiting.body, /<h1>Remove subscribers from a list<\/h1>/);
  assert.match(waiting.body, /<span class="badge neutral">Waiting<\/span>/);
  assert.match(waiting.body, /<progress aria-label="Progress" value="0" max="2">/);
  assert.match(waiting.body, new RegExp(`data-stream="${path}/events"`));
  assert.match(waiting.body, /&lt;b&gt;root/);
  assert.doesNotMatch(waiting.body, /<b>root/);
  await finishJobs(server.store);
  const ended = await browser.get(path);
  assert.match(ended.body, /<span class="badge good">Finished<\/span>/);
  assert.match(ended.body, /<dt>Changed<\/dt><dd>2<\/dd>/);
  assert.doesNotMatch(ended.body, /data-stream|<progress/);
});

test("the time left counts from when a process took the job, however long it had waited", async () => {
  const browser = await server.signedIn("viewer");
  const { id, path } = await startChange(8, server.now - 3_600_000);
  const { jobs } = server.store;
  const [began, until] = [server.now - 120_000, server.now + 30_000];
  const lease = await jobs.take({ id, owner: "test", now: began, until });
  assert.ok(lease);
  const done = { progress: {}, done: 2, result: null, ending: null, error: null };
  await jobs.proceed({ ...lease, ...done, now: began + 1, until });
  assert.match((await browser.get(path)).body, /2 of 8 subscribers, about 6 minutes left/);
  assert.equal((await jobs.byId({ account: 1, id }))?.startedAt, began);
  await jobs.proceed({ ...lease, ...done, ending: "finished", now: server.now, until });
});

test("the stream of a job sends its progress when it has changed, and ends with the job", async () => {
  const browser = await server.signedIn("viewer");
  const { path } = await startChange();
  let looks = 0;
  whileWaiting = async () => {
    looks += 1;
    if (looks === 3) await finishJobs(server.store);
  };
  const { status, headers, body } = await browser.get(`${path}/events`);
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "text/event-stream");
  assert.equal(body.match(/^data: .*Waiting/gm)?.length, 1);
  assert.match(body, /event: end\ndata: finished\n\n$/);
});

test("the stream of a job ends when it is cancelled, or if there is no such job", async () => {
  const browser = await server.signedIn(null);
  const { id, path } = await startChange();
  whileWaiting = async () => {
    const { store } = server;
    await store.jobs.cancel({ account: 1, id, now: server.now });
    await finishJobs(store);
  };
  assert.match((await browser.get(`${path}/events`)).body, /event: end\ndata: cancelled\n\n$/);
  assert.equal((await browser.get("/console/1/jobs/999999/events")).body, ":\n\nevent: end\ndata: \n\n");
});

test("an editor cancels a job on its page; a viewer cannot", async () => {
  const [editor, viewer] = [await server.signedIn("editor"), await server.signedIn("viewer")];
  const { path } = await startChange();
  assert.doesNotMatch((await viewer.get(path)).body, /Cancel this job/);
  assert.equal((await viewer.post(path, "cancel")).status, 403);
  const page = await editor.get(path);
  assert.match(page.body, /Cancel this job/);
  assert.match(page.body, /What it has done stays done/);
  const sent = await editor.post(path, "cancel");
  assert.equal(sent.status, 303);
  const shown = await editor.follow(sent);
  assert.match(shown.body, /The job is cancelled/);
  assert.match(shown.body, /<span class="badge neutral">Cancelled<\/span>/);
  const again = await editor.post(path, "cancel");
  assert.equal(again.status, 422);
  assert.match(again.body, /has ended already/);
});

test("a job that must not be cancelled says why", async () => {
  const owner = await server.signedIn("owner");
  const { now } = server;
  const origin = { kind: "operator" } as const;
  const lease = await server.store.jobs.start({
    ...{ account: 1, kind: "delete-list", name: "delete-list 77", total: null, at: now, audited: {} },
    args: { list: 77, at: now, origin },
    lease: { owner: "test", until: now + 60_000 },
    audit: { at: now, origin, from: "", action: "test" },
  });
  const { body } = await owner.get(`/console/1/jobs/${lease?.id}`);
  assert.match(body, /<h1>Deletion of list 77<\/h1>/);
  assert.match(body, /Running/);
  assert.match(body, /<progress aria-label="Progress"><\/progress>/);
  assert.match(body, /cannot be cancelled: part of the list is deleted already/);
  assert.doesNotMatch(body, /Cancel this job/);
  await finishJobs(server.store);
});

test("jobs are listed with links to their pages, by pages", async () => {
  const browser = await server.signedIn("viewer");
  for (let at = 0; at < 51; at += 1) await startChange(null);
  const { body } = await browser.get("/console/1/jobs");
  assert.match(body, /href="\/console\/1\/settings" aria-current="page"/, "in the navigation");
  assert.match(body, /href="\/console\/1\/jobs" aria-current="page"/, "among the tabs of the settings");
  assert.equal(body.match(/class="row-link"/g)?.length, 50);
  const [, next = ""] = /href="([^"]+)" rel="next"/.exec(body) ?? [];
  const second = await browser.get(next);
  assert.equal(second.status, 200);
  assert.match(second.body, /rel="prev"/);
});

test("a job of another account is not found, nor is one that never was", async () => {
  const { path } = await startChange();
  const browser = await server.signedIn("owner", 2);
  assert.equal((await browser.get(path)).status, 404);
  const other = path.replace("/1/", "/2/");
  assert.equal((await browser.get(other)).status, 404);
  assert.equal((await browser.post(other, "cancel")).status, 404);
  assert.match((await browser.get("/console/2/jobs")).body, /No jobs/);
});

test("the page of a job about a campaign leads to the campaign, as long as it exists", async () => {
  const { store, now } = server;
  const { campaign } = await draftIn(store, { account: 1, list });
  const states = ["failed"] as const;
  const common = { account: 1, total: null, at: now, lease: { owner: "test", until: now + 1 }, audited: {} };
  const started = [
    await store.jobs.start({
      ...{ ...common, kind: "retry-recipients", name: retryRecipientsJob(campaign) },
      args: { campaign, states },
    }),
    await store.jobs.start({
      ...{ ...common, kind: "restore-recipients", name: restoreRecipientsJob(campaign), args: { campaign } },
    }),
    await store.jobs.start({
      ...{ ...common, kind: "select-recipients", name: selectRecipientsJob(campaign), args: { campaign } },
    }),
    await store.jobs.start({
      ...{ ...common, kind: "dry-run-campaign", name: dryRunJob(campaign), args: { campaign } },
    }),
  ].map((job) => `/console/1/jobs/${job?.id}`);
  const own = `/console/1/campaigns/${campaign}`;
  const [editor, viewer] = [await server.signedIn("editor"), await server.signedIn("viewer")];
  for (const path of started)
    assert.match((await viewer.get(path)).body, new RegExp(`href="${own}"[^>]*><span>Show the campaign<`));
  const dryRun = started.at(-1) ?? "";
  assert.match((await editor.get(dryRun)).body, new RegExp(`href="${own}/dry-run\\?job=\\d+"`));
  assert.doesNotMatch((await viewer.get(dryRun)).body, /Show the dry run/);
  await store.campaigns.delete({ account: 1, id: campaign, at: now, lease: common.lease });
  for (const path of started) {
    const { status, body } = await viewer.get(path);
    assert.equal(status, 200);
    assert.doesNotMatch(body, /Show the campaign/);
  }
});
