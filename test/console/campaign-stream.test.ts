/** The live part of the page of a campaign: when it changes, and when the whole page is shown again. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sendingEvents } from "#console/pages/campaigns/progress.ts";
import { pages } from "#console/pages.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { begin, draftIn, FAILED, type Outcome, SENT, schedule, sendSome } from "../sending-campaign.ts";
import { addressOf } from "../store/actor.ts";
import type { Browser } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

type Step = () => Promise<unknown>;

let server: ConsoleServer;
let owner: Browser;
/** What happens while a stream waits for the next look, one after the other. */
let steps: Step[] = [];
before(async () => {
  server = await startConsole({
    pages: (options) => [
      sendingEvents(options, async () => {
        const step = steps.shift();
        if (step === undefined) throw new Error("the stream has not ended");
        await step();
      }),
      ...pages(options).filter(({ kind }) => kind !== "events"),
    ],
  });
  const { store } = server;
  await store.accounts.create({ name: "Acme", at: 1 });
  await store.lists.create({ account: 1, name: "News", at: 1 });
  const by = { account: 1, list: 1, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
  for (const email of ["ada@example.org", "grace@example.org", "alan@example.org"])
    await store.subscribers.add({ ...by, address: addressOf(email) });
  owner = await server.signedIn("owner");
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

const of = { account: 1, list: 1 };
const pageOf = async ({ campaign }: OfMailing): Promise<string> =>
  (await owner.get(`/console/1/campaigns/${campaign}`)).body;

/** The events of the stream in the page, whose names are "end" or "message". */
async function eventsIn(page: string, ...during: readonly Step[]): Promise<readonly string[]> {
  steps = [...during];
  const [, address = ""] = /data-stream="([^"]*)"/.exec(page) ?? [];
  const { body } = await owner.get(address);
  return body
    .split("\n\n")
    .filter((one) => /^(?:event|data): /m.test(one))
    .map((one) => (/^event: (.*)$/m.exec(one) ?? [])[1] ?? "message");
}
const sendOne = (one: OfMailing, outcome: Outcome) => () =>
  sendSome(server.store, one, server.now, { limit: 1, outcome: () => outcome });

test("the page is shown again when somebody failed, and not when a message was sent", async () => {
  const { store, now } = server;
  const one = await begin(store, await draftIn(store, of), now);
  const first = await pageOf(one);
  assert.doesNotMatch(first, /Retry 1 failed/);
  const events = await eventsIn(first, sendOne(one, SENT), sendOne(one, FAILED));
  assert.deepEqual(events, ["message", "message", "end"]);
  const second = await pageOf(one);
  assert.match(second, /Retry 1 failed/);
  const unknown = { state: "unknown", reply: "the connection was lost" } as const;
  assert.deepEqual(await eventsIn(second, sendOne(one, unknown)), ["message", "end"]);
  assert.match(await pageOf(one), /Retry 1 unknown/);
});

test("the page is shown again when the campaign begins to wait for its relay, and when it goes on", async () => {
  const { store } = server;
  const one = await begin(store, await draftIn(store, of), server.now);
  const sending = await pageOf(one);
  assert.match(sending, /<span class="badge info">Sending</);
  let until = 0;
  const fail = async () => {
    until = await store.ledger.relayFailed({ ...one, now: server.now, reason: "away" });
  };
  assert.deepEqual(await eventsIn(sending, fail), ["message", "end"]);
  const waiting = await pageOf(one);
  assert.match(waiting, /<span class="badge warning">Waiting</);
  const wait = async () => {
    server.now = until;
  };
  assert.deepEqual(await eventsIn(waiting, wait), ["message", "end"]);
  assert.match(await pageOf(one), /<span class="badge info">Sending</);
});

test("the page is shown again when somebody has changed the time of a scheduled campaign", async () => {
  const { store, now } = server;
  const one = await schedule(store, await draftIn(store, of), now + 3_600_000);
  const again = () => store.mailings.change({ ...one, change: "schedule", at: now + 7_200_000, now });
  assert.deepEqual(await eventsIn(await pageOf(one), again), ["message", "end"]);
});

test("a campaign of which only deferred recipients are left says what it waits for, without a rate", async () => {
  const { store, now } = server;
  const one = await begin(store, await draftIn(store, of), now);
  const deferred = { state: "deferred", code: 451, reply: "451 try again later" } as const;
  await sendSome(store, one, now, { limit: 1, outcome: () => deferred });
  assert.doesNotMatch(await pageOf(one), /asked to try again later/);
  await sendOne(one, SENT)();
  await sendOne(one, deferred)();
  const page = await pageOf(one);
  assert.match(page, /class="notice info".*2 recipients wait: the relay asked to try again later/s);
  assert.match(page, /still deferred 72 hours after the first attempt counts as failed/);
  assert.match(page, /33% · 1 of 3 recipients</);
  await store.mailings.change({ ...one, change: "pause", at: now, now });
  assert.doesNotMatch(await pageOf(one), /asked to try again later/);
});
