/** What the runner does when something goes wrong or must wait, on SQLite. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createDelivery } from "#app/delivery.ts";
import { Log } from "#app/log/log.ts";
import { collect } from "#domain/paging.ts";
import { CommitUnknown, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { holdReasons } from "#domain/sending/mailing.ts";
import { Registry } from "#metrics/registry.ts";
import { SendingMetrics } from "#metrics/sending.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { startFaultyRelay } from "../smtp/faulty-relay.ts";
import { startServer } from "../smtp/smtp-server.ts";
import {
  change,
  checkBalance,
  draft,
  emails,
  loseProcess,
  mailingOf,
  select,
  startSending,
  until,
  untilState,
  untilTrue,
} from "./sending.ts";

let folder: string;
let store: Store;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailroll-sending-"));
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 5, bytes: 2 ** 28 });
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe("a connection that is lost", () => {
  test("leaves a recipient unknown after the end of the message, and queues one again before it", async () => {
    let skew = 0;
    let isLossy = true;
    await using relay = await startFaultyRelay({
      at: (step, { recipient }) => {
        if (!isLossy) return undefined;
        if (step === "dot" && recipient === "p7@example.net") return "drop";
        if (step === "data" && recipient === "p8@example.net") return "drop";
        return undefined;
      },
    });
    const campaign = await draft(store, emails(20));
    await select(store, campaign);
    await using sending = startSending(store, relay.url, { connections: 3, clock: () => Date.now() + skew });
    const first = await until(store, campaign, ({ counts }) => counts.sent === 18 && counts.sending === 0);
    assert.deepEqual([first.counts.unknown, first.counts.queued, first.state], [1, 1, "sending"]);
    isLossy = false;
    skew = 3_600_000;
    sending.runner.wake();
    const { counts } = await untilState(store, campaign, "finished");
    assert.deepEqual([counts.sent, counts.unknown], [19, 1]);
    assert.equal(relay.complete.length, 20);
    assert.equal(new Set(relay.complete).size, 20);
    await checkBalance(store, campaign);
  });
});

test("starts another thread when one has died; what it was sending is unknown", async () => {
  await using relay = await startFaultyRelay({});
  const campaign = await draft(store, emails(60));
  await select(store, campaign);
  const threadEntry = new URL("./dying-thread.ts", import.meta.url);
  await using dying = startSending(store, relay.url, { connections: 4, threadEntry });
  await untilTrue(
    () => dying.seen.filter((seen) => seen.startsWith("thread died")).length >= 2,
    "two deaths",
  );
  await dying.stop();
  assert.ok(
    dying.seen.every((seen) => /^thread died: the test ends this thread; \d unknown$/.test(seen)),
    String(dying.seen),
  );
  const { counts } = await mailingOf(store, campaign);
  assert.equal(counts.sending, 0);
  assert.ok(counts.unknown <= 4 * dying.seen.length, `${counts.unknown} unknown`);
  await using sending = startSending(store, relay.url);
  const end = await untilState(store, campaign, "finished");
  assert.equal(end.counts.sent + end.counts.unknown, 60);
  assert.equal(new Set(relay.complete).size, relay.complete.length);
  assert.ok(relay.complete.length >= end.counts.sent);
  assert.deepEqual(sending.seen, []);
  await checkBalance(store, campaign);
});

test("holds a campaign whose message uses too much processor time, and goes on with the others", async () => {
  await using relay = await startFaultyRelay({
    // One message of the other campaign is under way when the thread is ended.
    at: (step, { recipient }) => (step === "dot" && recipient === "p0@slow.example" ? "stall" : undefined),
  });
  const loops = "{% for i in (1..900) %}{% for j in (1..900) %}{% assign x = j %}{% endfor %}{% endfor %}";
  const costly = await draft(store, emails(5), {}, `{% if email == "p1@example.net" %}${loops}{% endif %}`);
  const other = await draft(store, emails(9, "slow.example"));
  await select(store, other);
  await using sending = startSending(store, relay.url, { connections: 1, messageCpuMs: 400 });
  await until(store, other, ({ counts }) => counts.sending === 1);
  await select(store, costly);
  sending.runner.wake();
  const held = await untilState(store, costly, "held");
  assert.match(
    held.reason ?? "",
    /^The message to subscriber \d+ could not be made: making it used more than 0\.4 seconds of processor time\. Resume the campaign/,
  );
  const end = await untilState(store, other, "finished");
  assert.deepEqual([end.counts.sent, end.counts.unknown], [8, 1]);
  assert.deepEqual(
    sending.seen.filter((seen) => /held|died/.test(seen)),
    [
      "thread died: making it used more than 0.4 seconds of processor time; 1 unknown",
      `held: ${held.reason}`,
    ],
  );
  await checkBalance(store, other);
  // Whom it has not reached yet can still get it.
  assert.equal((await mailingOf(store, costly)).counts.queued, 5);
});

test("takes over what a dead process has left one campaign at a time, until that has a result", async () => {
  let isStalling = true;
  let stalled = 0;
  await using relay = await startFaultyRelay({
    at: (step) => {
      if (step !== "dot" || !isStalling) return undefined;
      stalled += 1;
      return "stall";
    },
  });
  const campaigns = [await draft(store, emails(3)), await draft(store, emails(3))];
  for (const campaign of campaigns) {
    await select(store, campaign);
    await loseProcess(store, campaign, 0);
  }
  const takenOver: number[] = [];
  let refused = 0;
  const take: Store["ledger"]["take"] = async (given) => {
    const taken = await store.ledger.take(given);
    if (taken.isTakenOver) takenOver.push(given.campaign);
    if (given.takesOver === false && taken.batch === null) refused += 1;
    return taken;
  };
  const ledger = { ...store.ledger, take };
  await using sending = startSending({ ...store, ledger }, relay.url, { connections: 1 });
  await untilTrue(() => stalled > 0 && refused > 1, "the other campaign waits");
  assert.equal(takenOver.length, 1);
  isStalling = false;
  relay.dropAll();
  for (const campaign of campaigns) await untilState(store, campaign, "finished");
  assert.equal(takenOver.length, 2);
  assert.deepEqual(sending.seen, []);
});

test("a campaign that fails to begin does not keep the others from it", async () => {
  await using relay = await startFaultyRelay({});
  const [broken, other] = [await draft(store, emails(1)), await draft(store, emails(1))];
  for (const campaign of [broken, other]) await change(store, campaign, "schedule");
  const begin: Store["ledger"]["begin"] = (given) =>
    given.campaign === broken.campaign ? Promise.reject(new Error("broken")) : store.ledger.begin(given);
  const ledger = { ...store.ledger, begin };
  await using sending = startSending({ ...store, ledger }, relay.url);
  await untilState(store, other, "finished");
  assert.ok(sending.seen.includes("store failed: Error: broken"), String(sending.seen));
  await change(store, broken, "cancel");
});

test("begins no campaign before the results of a dead thread are stored", async () => {
  await using relay = await startFaultyRelay({});
  const [first, next] = [await draft(store, emails(60)), await draft(store, emails(3))];
  await select(store, first);
  const stored = Promise.withResolvers<void>();
  let isHeld = false;
  const begun: number[] = [];
  const ledger: Store["ledger"] = {
    ...store.ledger,
    take: (given) => {
      begun.push(given.campaign);
      return store.ledger.take(given);
    },
    proceed: async (given) => {
      if (given.results.some(({ state }) => state === "unknown")) {
        isHeld = true;
        await stored.promise;
      }
      return store.ledger.proceed(given);
    },
  };
  const threadEntry = new URL("./dying-thread.ts", import.meta.url);
  await using sending = startSending({ ...store, ledger }, relay.url, { connections: 4, threadEntry });
  await untilTrue(() => isHeld, "a dead thread with a message in flight");
  await select(store, next);
  sending.runner.wake();
  await setTimeout(500);
  assert.ok(!begun.includes(next.campaign), "its slots would come on top of those of the dead thread");
  stored.resolve();
  await untilTrue(() => begun.includes(next.campaign), "the next campaign");
  await sending.stop();
  await using _healthy = startSending(store, relay.url);
  for (const campaign of [first, next]) {
    await untilState(store, campaign, "finished");
    await checkBalance(store, campaign);
  }
});

test("queues recipients again whose connections are still being opened when it stops", async () => {
  await using relay = await startFaultyRelay({ at: (step) => (step === "greeting" ? "stall" : undefined) });
  const campaign = await draft(store, emails(20));
  await select(store, campaign);
  await using sending = startSending(store, relay.url, { connections: 4 });
  await until(store, campaign, ({ counts }) => counts.sending === 4);
  await untilTrue(() => relay.open() === 4, "all connections wait for the greeting");
  await sending.stop();
  const { counts } = await mailingOf(store, campaign);
  assert.deepEqual([counts.sending, counts.unknown, counts.queued], [0, 0, 20]);
  assert.deepEqual(sending.seen, []);
  await checkBalance(store, campaign);
  await change(store, campaign, "cancel");
});

test("counts recipients as unknown whose process was killed", async () => {
  await using relay = await startFaultyRelay({});
  const campaign = await draft(store, emails(20));
  await select(store, campaign);
  await loseProcess(store, campaign, 4);
  const registry = new Registry();
  const runner = createDelivery({
    store,
    clock: Date.now,
    log: new Log("silent"),
    metrics: new SendingMetrics(registry),
    relay: relay.url,
    connections: 10,
    baseUrl: () => "http://localhost:8080",
    wakeJobs: () => {},
  });
  runner.start();
  await untilState(store, campaign, "finished");
  await runner.stop();
  const text = registry.text(await registry.snapshot());
  assert.match(text, /^mailroll_messages_total\{result="unknown"\} 4$/m);
  assert.match(text, /^mailroll_messages_total\{result="sent"\} 16$/m);
});

test("stores results later if the store fails, and starts nothing meanwhile", async () => {
  await using relay = await startFaultyRelay({});
  const campaign = await draft(store, emails(60));
  await select(store, campaign);
  let calls = 0;
  let startsDuringOutage = 0;
  const isAway = (): boolean => calls > 6 && calls <= 10;
  const { ledger } = store;
  const failing: Store = {
    ...store,
    ledger: {
      ...ledger,
      proceed: async (given) => {
        calls += 1;
        if (calls > 7 && calls <= 10) startsDuringOutage += given.starts.length;
        // Of two failures, one is that the answer is lost and not the write.
        if (isAway() && calls % 2 === 1) await ledger.proceed(given);
        if (isAway()) throw new StoreUnavailable("the test lets it fail");
        return ledger.proceed(given);
      },
    },
  };
  await using sending = startSending(failing, relay.url, { connections: 5 });
  const { counts } = await untilState(store, campaign, "finished");
  assert.ok(sending.seen.length >= 4 && sending.seen.every((seen) => seen.startsWith("store failed")));
  assert.equal(startsDuringOutage, 0);
  assert.deepEqual([counts.sent, counts.unknown], [60, 0]);
  assert.equal(relay.complete.length, 60);
  assert.equal(new Set(relay.complete).size, 60);
  await checkBalance(store, campaign);
});

test("waits for a relay that has failed, also if it accepts messages that were on their way", async () => {
  await using relay = await startServer({
    onRcptTo: ({ address }, _, done) => {
      if (address !== "p0@example.net") return done();
      done(Object.assign(new Error("4.3.1 No space left"), { responseCode: 452 }));
    },
    onData: (stream, _, done) => {
      stream.resume();
      // After the failure.
      stream.on("end", () => globalThis.setTimeout(() => done(null, "queued"), 200));
    },
  });
  const campaign = await draft(store, emails(10));
  await select(store, campaign);
  await using sending = startSending(store, `smtp://127.0.0.1:${relay.port}`, { connections: 10 });
  await until(store, campaign, ({ counts }) => counts.sent === 9);
  await sending.stop();
  const { counts, waitsUntil, reason } = await mailingOf(store, campaign);
  assert.deepEqual([counts.sent, counts.deferred], [9, 1]);
  assert.match(reason ?? "", /No space left/);
  assert.ok(waitsUntil !== null, "the campaign waits");
  assert.equal(sending.seen.length, 1);
  await change(store, campaign, "cancel");
});

test("lets a batch expire of which the process knows nothing", async () => {
  await using relay = await startFaultyRelay({});
  const campaign = await draft(store, emails(20));
  await select(store, campaign);
  // Only this one is sent meanwhile, and waits for its limit.
  const other = await draft(store, emails(20), { perDomainMinute: 1 });
  await select(store, other);
  const { ledger } = store;
  let expiry = 0;
  let extended = 0;
  const failing: Store = {
    ...store,
    ledger: {
      ...ledger,
      take: async (given) => {
        const taken = await ledger.take(given);
        if (given.campaign !== campaign.campaign || expiry > 0) return taken;
        expiry = given.until;
        throw new CommitUnknown("the test loses the answer", taken);
      },
      extend: async (given) => {
        await ledger.extend(given);
        if (expiry > 0) extended += 1;
        return null;
      },
    },
  };
  await using sending = startSending(failing, relay.url);
  await untilTrue(() => extended > 0, "the leases are extended");
  await sending.stop();
  assert.deepEqual(sending.seen, ["store failed: StoreUnavailable: the test loses the answer"]);
  const { account } = campaign;
  const given = { account, campaign: campaign.campaign, owner: "another", limit: 100 };
  const { batch } = await ledger.take({ ...given, now: expiry, until: expiry + 1000 });
  assert.equal(batch?.recipients.length, 20);
  for (const one of [campaign, other]) await change(store, one, "cancel");
});

test("goes on with its own batch after it stood still for longer than its lease", async () => {
  await using relay = await startFaultyRelay({});
  const campaign = await draft(store, emails(600));
  await select(store, campaign);
  const { ledger } = store;
  let skew = 0;
  let returned = 0;
  const frozen: Store = {
    ...store,
    ledger: {
      ...ledger,
      giveBack: async (given) => {
        await ledger.giveBack(given);
        returned += 1;
        return null;
      },
      // The first of two batches is done: the process stands still, and then takes over the second one.
      take: (given) => {
        const stoodStill = returned === 1 && skew === 0 ? 30_000 : 0;
        skew += stoodStill;
        return ledger.take({ ...given, now: given.now + stoodStill, until: given.until + stoodStill });
      },
    },
  };
  await using sending = startSending(frozen, relay.url, { clock: () => Date.now() + skew });
  const { counts } = await untilState(store, campaign, "finished");
  assert.deepEqual([counts.sent, counts.unknown], [600, 0]);
  assert.equal(relay.complete.length, 600);
  assert.equal(new Set(relay.complete).size, 600);
  assert.ok(sending.seen.includes("lost"), String(sending.seen));
  await checkBalance(store, campaign);
});

describe("a campaign that cannot be sent is paused with the reason", () => {
  const cases = [
    {
      title: "links that are not https",
      allowsHttp: false,
      sender: {},
      reason: /https/,
    },
    { title: "a sender without a postal address", sender: { postalAddress: " " }, reason: /postal address/ },
    { title: "a sender whose messages nobody signs", sender: { signing: "none" }, reason: /^Nobody signs/ },
    {
      title: "a From address outside of the signing domain",
      sender: { signing: "mailroll", dkimDomain: "example.com", dkimSelector: "s", dkimKey: "a key" },
      reason:
        /^The From address news@example\.org is not aligned with the signing domain example\.com, .* then resume the campaign\.$/,
    },
    {
      title: "a sender without a complete DKIM key",
      sender: { signing: "mailroll", dkimDomain: "example.org", dkimSelector: "s" },
      reason: /no complete DKIM key/,
    },
    {
      title: "a key that cannot be read",
      sender: { signing: "mailroll", dkimDomain: "example.org", dkimSelector: "s", dkimKey: "no key" },
      reason: /^No message can be made: .*\. Correct that and resume the campaign/,
    },
  ] as const;
  for (const { title, sender, reason, ...settings } of cases)
    test(title, async () => {
      await using relay = await startFaultyRelay({});
      const campaign = await draft(store, emails(3), sender);
      await select(store, campaign, settings);
      await using sending = startSending(store, relay.url);
      const paused = await until(store, campaign, (m) => m.state === "paused");
      assert.match(paused.reason ?? "", reason);
      await untilTrue(() => sending.seen.length > 0, "the report");
      assert.deepEqual(sending.seen, [`paused: ${paused.reason}`]);
      assert.deepEqual([paused.counts.queued, paused.counts.sending], [3, 0]);
      assert.equal(relay.complete.length, 0);
    });
  test("too many hard bounces", async () => {
    await using relay = await startFaultyRelay({
      at: (step, { recipient }) =>
        step === "rcpt" && recipient.endsWith("@gone.example") ? "550 5.1.1 No such user" : undefined,
    });
    const addresses = [...emails(190), ...emails(20, "gone.example"), ...emails(300, "late.example")];
    const campaign = await draft(store, addresses);
    await select(store, campaign);
    await using sending = startSending(store, relay.url);
    const paused = await until(store, campaign, (m) => m.state === "paused" && m.counts.sending === 0);
    assert.match(paused.reason ?? "", /too many hard bounces/);
    assert.ok(paused.counts.queued > 200, `${paused.counts.queued} queued`);
    await untilTrue(
      () => sending.seen.some((seen) => seen.startsWith("paused: There were too many")),
      "the report",
    );
  });
  test("a relay that refuses most recipients", async () => {
    await using relay = await startFaultyRelay({
      at: (step, { recipient }) =>
        step === "rcpt" && !/^p\d*[05]@/.test(recipient) ? "550 5.7.1 Not for you" : undefined,
    });
    const campaign = await draft(store, emails(500));
    await select(store, campaign);
    await using sending = startSending(store, relay.url);
    const paused = await until(store, campaign, (m) => m.state === "paused" && m.counts.sending === 0);
    assert.match(paused.reason ?? "", /^\d+ of \d+ messages failed\. /);
    assert.ok(paused.counts.queued > 200, `${paused.counts.queued} queued`);
    await untilTrue(
      () => sending.seen.some((seen) => /^paused: .* messages failed/.test(seen)),
      "the report",
    );
  });
});

describe("the limits of a sender", () => {
  test("hold per second", async () => {
    await using relay = await startFaultyRelay({});
    const campaign = await draft(store, emails(25), { perSecond: 10 });
    await select(store, campaign);
    const perSecond = new Map<number, number>();
    const ledger: Store["ledger"] = {
      ...store.ledger,
      proceed: async (args) => {
        const done = await store.ledger.proceed(args);
        const [second, started] = [
          Math.floor(args.now / 1000),
          done.starts.filter((one) => one === "started"),
        ];
        perSecond.set(second, (perSecond.get(second) ?? 0) + started.length);
        return done;
      },
    };
    await using sending = startSending({ ...store, ledger }, relay.url);
    assert.equal((await untilState(store, campaign, "finished")).counts.sent, 25);
    assert.equal(relay.complete.length, 25);
    const counts = [...perSecond.values()];
    // Two more, if this machine had much else to do before.
    assert.ok(Math.max(...counts) <= 12, `${counts.join()} in the seconds`);
    assert.deepEqual(sending.seen, []);
  });
  test("hold per domain and minute, and other domains go first", async () => {
    await using relay = await startFaultyRelay({});
    const limited = emails(30, "limited.example");
    const campaign = await draft(store, [...limited, ...emails(20).map((_, n) => `x@domain${n}.example`)], {
      perDomainMinute: 5,
    });
    await select(store, campaign);
    await using sending = startSending(store, relay.url);
    await until(store, campaign, ({ counts }) => counts.sent >= 25);
    await sending.stop();
    const others = relay.complete.filter((address) => !address.endsWith("@limited.example"));
    assert.equal(others.length, 20);
    // A minute may have ended meanwhile.
    assert.ok([5, 10].includes(relay.complete.length - others.length), `${relay.complete.length} in all`);
    await checkBalance(store, campaign);
    await change(store, campaign, "cancel");
  });
  test("hold per day: the rest is given back", async () => {
    await using relay = await startFaultyRelay({});
    const campaign = await draft(store, emails(30), { perDay: 12 });
    await select(store, campaign);
    await using sending = startSending(store, relay.url);
    await until(store, campaign, ({ counts }) => counts.sent >= 12 && counts.sending === 0);
    await sending.stop();
    assert.ok([12, 24].includes(relay.complete.length), `${relay.complete.length} sent`);
    await change(store, campaign, "cancel");
  });
  test("a daily limit that is raised is noticed, also beside one per domain and minute", async () => {
    await using relay = await startFaultyRelay({});
    const campaign = await draft(store, emails(20), { perDay: 5, perDomainMinute: 1000 });
    await select(store, campaign);
    const { account } = campaign;
    // The day does not end meanwhile.
    const noon = (Math.floor(Date.now() / 86_400_000) + 1.5) * 86_400_000;
    const began = Date.now();
    const clock = (): number => noon + Date.now() - began;
    let given = 0;
    const ledger: Store["ledger"] = {
      ...store.ledger,
      giveBack: async (batch) => {
        await store.ledger.giveBack(batch);
        given += 1;
        return null;
      },
    };
    await using sending = startSending({ ...store, ledger }, relay.url, { clock });
    await untilTrue(() => given > 0, "the rest is given back");
    assert.equal((await mailingOf(store, campaign)).counts.sent, 5);
    const sender = (await collect(store.senders.all.pages({ account })))[0];
    assert.ok(sender);
    await store.senders.set({ account, id: sender.id, perDay: 100 });
    sending.runner.wake();
    assert.equal((await untilState(store, campaign, "finished")).counts.sent, 20);
  });
});

test("a campaign that a wrong clock made wait for its relay is sent", async () => {
  await using relay = await startFaultyRelay({});
  const campaign = await draft(store, emails(300));
  await select(store, campaign);
  const of = { account: campaign.account, campaign: campaign.campaign };
  await store.ledger.relayFailed({ ...of, now: Date.now() + 30 * 86_400_000, reason: "away" });
  await using sending = startSending(store, relay.url);
  const { counts, reason } = await untilState(store, campaign, "finished");
  assert.deepEqual([counts.sent, reason], [300, null]);
  assert.deepEqual(sending.seen, []);
});

test("a scheduled campaign that was missed by more than an hour is held", async () => {
  const campaign = await draft(store, emails(3));
  await change(store, campaign, "schedule");
  await using sending = startSending(store, "smtp://127.0.0.1:1", {
    clock: () => Date.now() + 2 * 3_600_000,
  });
  const held = await untilState(store, campaign, "held");
  assert.equal(held.selected, 0);
  await untilTrue(() => sending.seen.length > 0, "the report");
  assert.deepEqual(sending.seen, [`held: ${holdReasons.overdue}`]);
});
