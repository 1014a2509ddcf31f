/** What the delivery thread does with several campaigns, in this thread, with relays that accept at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextRound } from "node:timers/promises";
import { readClocks } from "#delivery/clock-reading.ts";
import { notBegun } from "#delivery/smtp/pool.ts";
import type { SenderRelays } from "#delivery/smtp/relays.ts";
import { RelaySlots } from "#delivery/threads/campaign-queue.ts";
import { SigningThread } from "#delivery/threads/composition.ts";
import { Delivery } from "#delivery/threads/delivery.ts";
import type { MailingToSend, RunId } from "#delivery/threads/protocol.ts";
import { Reports } from "#delivery/threads/protocol.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import { emptyContent, tooSlowReason } from "#domain/sending/mailing.ts";
import { senderValues, text } from "../../sending-campaign.ts";

const mailing = (
  account: number,
  content: string,
  more: Partial<MailingToSend["content"]> = {},
): MailingToSend => ({
  ...{
    account,
    campaign: account,
    name: "Autumn",
    fields: [],
    paced: [],
    baseUrl: "https://mail.example.org",
  },
  ...{ content: { ...emptyContent, subject: "News", text: content, ...more }, linkSecret: Buffer.alloc(32) },
  sender: { ...senderValues, id: account, createdAt: 1 },
});
const relaysThat = (send: SenderRelays["send"], connections: number): SenderRelays => ({
  ...{ connections, send, waitMs: () => 0, reserve: () => null, refusal: null, close: async () => {} },
});
const people = (count: number): MergeData[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ subscriber: index + 1, address: `p${index}@example.org`, firstName: "Ada", lastName: "" },
    ...{ gender: null, birthday: null, country: null, fields: {} },
  }));

/** Sends whatever is ready, as the runner does, until `isDone`. Returns the results of each campaign. */
async function sendUntil(
  mailings: readonly { readonly mailing: MailingToSend; readonly count: number }[],
  isDone: (sent: readonly number[], problems: readonly string[]) => boolean,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly number[]> {
  const sent = mailings.map(() => 0);
  const found: string[] = [];
  const accept = async () => {
    // As many rounds of the event loop as a conversation with a relay has replies.
    for (let reply = 0; reply < 4; reply += 1) await nextRound();
    return { kind: "accepted", code: 250, status: null, text: "250 OK" } as const;
  };
  const slots = new RelaySlots(() => relaysThat(accept, 5));
  const reports = new Reports({
    connections: 5,
    used: () => 0,
    post({ results, ready, problems }) {
      found.push(...problems.map(({ reason }) => reason));
      for (const { runId } of results) sent[runId] = (sent[runId] ?? 0) + 1;
      for (const { runId, subscriber } of ready)
        delivery.run({ do: "send", runId, subscribers: [subscriber], markedAt: readClocks() });
      delivery.next();
    },
  });
  const delivery = new Delivery(slots, reports, new SigningThread().sign);
  for (const [runId, { mailing: toSend, count }] of mailings.entries()) {
    delivery.run({ do: "open", runId: runId as RunId, mailing: toSend });
    delivery.run({ do: "compose", runId: runId as RunId, batch: 1, people: people(count) });
  }
  delivery.next();
  while (!isDone(sent, found)) {
    assert.deepEqual(found, []);
    signal.throwIfAborted();
    await nextRound();
  }
  for (const runId of mailings.keys()) delivery.run({ do: "close", runId });
  return sent;
}

test("a slow template of one account leaves most of the messages to a plain one of another", async (t) => {
  const loops = `{% for i in (1..150) %}{% for j in (1..150) %}{% assign x = j %}{% endfor %}{% endfor %}${text}`;
  const [slow = 0, plain = 0] = await sendUntil(
    [
      { mailing: mailing(1, loops), count: 400 },
      { mailing: mailing(2, text), count: 400 },
    ],
    ([, plain]) => plain === 400,
    t,
  );
  assert.equal(plain, 400);
  assert.ok(slow < 100, `${slow} slow messages were made during 400 plain ones`);
});

test("a slow campaign goes on after the plain ones", async (t) => {
  const loops = `{% for i in (1..150) %}{% for j in (1..150) %}{% assign x = j %}{% endfor %}{% endfor %}${text}`;
  const sent = await sendUntil(
    [
      { mailing: mailing(1, loops), count: 8 },
      { mailing: mailing(2, text), count: 50 },
      { mailing: mailing(1, text), count: 50 },
    ],
    ([slow, plain, own]) => slow === 8 && plain === 50 && own === 50,
    t,
  );
  assert.deepEqual(sent, [8, 50, 50]);
});

test("content that takes long to prepare leaves the time to a plain campaign of another account", async (t) => {
  const rules = Array.from({ length: 300 }, (_, n) => `.a${n} .b, .a${n} > .c { margin: ${n}px }`).join("\n");
  const rows = Array.from({ length: 200 }, (_, n) => `<p class="a${n}"><b class="b">x</b></p>`).join("\n");
  const html = `<style>${rules}</style>${rows}<p>{{ postal_address }}</p><a href="{{ unsubscribe_url }}">Leave</a>`;
  const heavy = mailing(1, text, { html });
  const HEAVY = 8;
  const sent = await sendUntil(
    [
      ...Array.from({ length: HEAVY }, () => ({ mailing: heavy, count: 20 })),
      { mailing: mailing(2, text), count: 200 },
    ],
    (sent) => sent[HEAVY] === 200,
    t,
  );
  // One after the other, all of them would be prepared first.
  const begun = sent.slice(0, HEAVY).filter((count) => count > 0).length;
  assert.ok(begun < HEAVY, "all heavy campaigns were prepared before 200 plain messages were sent");
});

test("a campaign is paused after five messages that took too long, over all its runs", async (t) => {
  // Each look at the clock is 20 ms later, and all of it is processor time.
  let now = performance.now();
  t.mock.method(performance, "now", () => (now += 20));
  t.mock.method(process, "threadCpuUsage", (before?: NodeJS.CpuUsage) => ({
    user: now * 1000 - (before?.user ?? 0),
    system: 0,
  }));
  // Not for the persons of the checks.
  const loop = `{% if first_name == "Ada" and last_name == "" %}{% for i in (1..99) %}{% assign x = i %}{% endfor %}{% endif %}${text}`;
  const found: string[][] = [];
  const slowOnes = (turns: readonly number[][]) =>
    sendUntil(
      turns.map(([campaign = 0, count = 0]) => ({ mailing: mailing(campaign, loop), count })),
      (sent, problems) => {
        const isDone = problems.length > 0 || sent.every((count, runId) => count === turns[runId]?.[1]);
        if (isDone) found.push([...problems]);
        return isDone;
      },
      t,
    );
  await slowOnes([
    [1, 4],
    [2, 4],
  ]);
  await slowOnes([
    [1, 3],
    [1, 3],
  ]);
  assert.deepEqual(found, [[], [tooSlowReason]]);
});

test("who was marked more than five seconds ago is queued again, unless the relay knows of the message", async (t) => {
  const { now } = Date;
  for (const [aheadMs, state] of [
    [4000, "sent"],
    [6000, "queued"],
  ] as const) {
    const found: string[] = [];
    const send: SenderRelays["send"] = async (_message, mayBegin) => {
      // The connection is there only now.
      t.mock.method(Date, "now", () => now() + aheadMs);
      const reply = { code: 250, status: null, text: "250 OK" };
      return mayBegin?.() === true ? { kind: "accepted", ...reply } : notBegun("too late");
    };
    const slots = new RelaySlots(() => relaysThat(send, 1));
    const reports = new Reports({
      ...{ connections: 1, used: () => 0 },
      post({ results, ready }) {
        found.push(...results.map(({ result }) => result.state));
        const markedAt = readClocks();
        for (const { runId, subscriber } of ready)
          delivery.run({ do: "send", runId, subscribers: [subscriber], markedAt });
      },
    });
    const delivery = new Delivery(slots, reports, new SigningThread().sign);
    delivery.run({ do: "open", runId: 1, mailing: mailing(1, text) });
    delivery.run({ do: "compose", runId: 1, batch: 1, people: people(1) });
    delivery.next();
    while (found.length === 0) {
      t.signal.throwIfAborted();
      await nextRound();
    }
    delivery.run({ do: "close", runId: 1 });
    t.mock.restoreAll();
    assert.deepEqual(found, [state]);
  }
});
