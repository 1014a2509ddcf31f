/** Drafts, their content and who would get them, in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditedBy } from "#domain/access/audit.ts";
import { collect } from "#domain/paging.ts";
import { TestLimitReached } from "#domain/ports/errors.ts";
import type { DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { AudiencePosition, CountedAudience } from "#domain/ports/sending/mailings.ts";
import type { Store } from "#domain/ports/store.ts";
import { MAX_TESTS_PER_HOUR, testHourOf } from "#domain/sending/delivery.ts";
import {
  type Audience,
  type CampaignContent,
  emptyContent,
  KEPT_VERSIONS,
  VERSION_MS,
} from "#domain/sending/mailing.ts";
import { type RecipientState, recipientStates } from "#domain/sending/recipient.ts";
import type { Condition, Filter } from "#domain/subscriber/filter.ts";
import { STEP } from "#store/writes/step-limits.ts";
import { begin, draftIn, SENT, senderValues, sendSome } from "../../sending-campaign.ts";
import { actor, NOW, newAccount } from "../actor.ts";
import { deletedOf, finish, leaseAt, purge, stepOf } from "../job-steps.ts";
import { closeSound } from "../recount.ts";
import { newWorld, type Sql, type World } from "./world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const audit: AuditedBy = { at: NOW, origin: { kind: "operator" }, from: null, action: "campaign.set" };

export function mailingsSuite(name: string, open: () => Promise<Store>, sql: Sql): void {
  describe(`composed campaigns in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));
    const newSender = async (account: number): Promise<number> =>
      (await store.senders.create({ ...senderValues, account, createdAt: NOW })).id;

    test("a draft has its content, is shown to operators, and is not visible to integrations", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      const recorded = await w.campaign([w.list], NOW, null);
      const content = { subject: "Hello", html: "<p>Hi</p>", excludedLists: [w.other] };
      const one = await w.draft(content);
      const id = one.campaign;
      const found = await store.mailings.byId(one);
      assert.deepEqual(found?.content, { ...emptyContent, ...content, lists: [w.list] });
      assert.deepEqual([found.mailing.state, found.campaign.sentAt], ["draft", null]);
      const ids = async (pages: AsyncIterable<readonly { readonly id: number }[]>) =>
        (await collect(pages)).map((campaign) => campaign.id);
      assert.deepEqual(await ids(store.campaigns.all.pages({ account })), [id, recorded]);
      assert.deepEqual(await ids(store.campaigns.visible.pages({ account })), [recorded]);
      assert.equal(await store.campaigns.visibleById({ account, id }), null);
      assert.equal((await store.campaigns.visibleById({ account, id: recorded }))?.id, recorded);
      assert.equal((await store.campaigns.byId({ account, id }))?.id, id);
      assert.equal(await store.campaigns.lastSent({ account }), null);
      assert.deepEqual(
        (await store.mailings.ofCampaigns({ account, campaigns: [recorded, id] })).map((m) => m.campaign),
        [id],
      );
      assert.equal(await store.mailings.byId({ account, campaign: recorded }), null, "recorded by hand");
    });

    /** How many people it goes to. */
    const sizeOf = async (asked: Audience & { readonly account: number }) => {
      let [count, position] = [0, { list: 0, after: 0 } as AudiencePosition | null];
      while (position !== null) {
        const step: CountedAudience = await store.mailings.countAudience({ ...asked, position });
        count += step.count;
        position = step.next;
      }
      return count;
    };

    test("a filter leaves out whoever does not match, in the number, the selection and before each message", async () => {
      const w = await newWorld(store, sql);
      const { account, list, other } = w;
      const made = await w.createField("Town");
      assert.ok(typeof made === "object");
      const town = made.id;
      const data = (countryNumber: number | null, value: string | null) => ({ countryNumber, town: value });
      const people = {
        "german@example.org": data(276, "Berlin"),
        "elsewhere@example.org": data(276, "Bonn"),
        "moves@example.org": data(276, "berlin"),
        "foreign@example.org": data(250, "Berlin"),
        "unknown@example.org": data(null, null),
      };
      for (const [email, { countryNumber, town: value }] of Object.entries(people)) {
        const values = value === null ? [] : [{ field: town, value }];
        await w.addData(list, email, { countryNumber, values });
        await w.add(other, email);
      }
      const filter = [
        { about: "country", test: "is", value: "DE" },
        { about: { field: String(town) }, test: "is", value: "Berlin" },
      ] as const;
      const audience = { account, lists: [list, other], excludedLists: [], filter };
      assert.equal(await sizeOf({ ...audience, filter: [] }), 5, "each of them once");
      assert.equal(await sizeOf(audience), 2);
      assert.equal(await sizeOf({ ...audience, lists: [list] }), 2);
      const listed = await collect(store.mailings.candidates.pages(audience));
      assert.deepEqual(
        listed.map(({ person, leftOut }) => [person.address, leftOut]),
        Object.keys(people).map((email) => [
          email,
          email === "german@example.org" || email === "moves@example.org"
            ? null
            : "does not match the filter",
        ]),
      );

      const sender = await newSender(account);
      const sent = await begin(store, await w.draft({ lists: [list, other], filter, sender }), NOW);
      const selected = await collect(store.mailings.recipients.pages({ ...sent, state: null }));
      assert.deepEqual(
        selected.map(({ address }) => address),
        ["german@example.org", "moves@example.org"],
      );
      await w.addData(list, "moves@example.org", { values: [{ field: town, value: "Hamburg" }] });
      await sendSome(store, sent, NOW, { limit: 10, outcome: () => SENT });
      const outcomes = await collect(store.mailings.recipients.pages({ ...sent, state: null }));
      assert.deepEqual(
        outcomes.map(({ state, skipped }) => [state, skipped]),
        [
          ["sent", null],
          ["skipped", "does not match the filter"],
        ],
      );

      const about = { campaign: sent.campaign };
      const got: Condition = { about, test: "received", value: "" };
      const both = async () => [
        await sizeOf({ ...audience, filter: [got] }),
        await sizeOf({ ...audience, filter: [{ ...got, test: "not received" }] }),
      ];
      assert.deepEqual(await both(), [1, 4]);
      const known = await store.mailings.knownToFilter({ account, filter: [...filter, got] });
      assert.deepEqual(
        [[...known.types], [...known.campaigns]],
        [[[String(town), "STRING"]], [sent.campaign]],
      );
      await sql(`UPDATE mailing SET purged_at = 1 WHERE campaign_id = ${sent.campaign}`);
      assert.deepEqual(await both(), [0, 0], "nobody knows who got it");
      await sql(
        `UPDATE field SET is_deleting = ${name.includes("PostgreSQL") ? "true" : "1"} WHERE id = ${town}`,
      );
      assert.equal(await sizeOf(audience), 0);
    });

    test("counts each person once, whatever lists they are on, and nobody who gets nothing", async () => {
      const w = await newWorld(store, sql);
      const { account, list, other } = w;
      const staff = await actor(store, account).list("Staff");
      const on = async (local: string, ...lists: readonly number[]) => {
        for (const one of lists) await w.add(one, `${local}@example.org`);
      };
      await on("both", list, other);
      await on("second", other);
      await on("excluded", list, staff);
      await on("gone", list, other);
      await w.unsubscribe("gone@example.org");
      await w.addPending(list, "unconfirmed@example.org");
      await on("unconfirmed", other);
      await w.addPending(other, "waits@example.org");
      const unnamed: Condition = { about: "first name", test: "is empty", value: "" };
      for (const filter of [[], [unnamed]])
        for (const [lists, excludedLists, count] of [
          [[list, other], [staff], 3],
          [[other, list], [staff], 3],
          [[list, other], [], 4],
          [[list], [staff], 1],
          [[other], [], 3],
          [[], [], 0],
        ] as const)
          assert.equal(
            await sizeOf({ account, lists, excludedLists, filter }),
            count,
            JSON.stringify([lists, excludedLists, filter]),
          );
    });

    /** Whom a filter about a campaign leaves in, of the members of the list. */
    async function matching(w: World, campaign: number, word: "received" | "not received") {
      const filter: Filter = [{ about: { campaign }, test: word, value: "" }];
      const audience = { account: w.account, lists: [w.list], excludedLists: [], filter };
      const found = await collect(store.mailings.candidates.pages(audience));
      return found.filter(({ leftOut }) => leftOut === null).map(({ person }) => person.subscriber);
    }

    test("whoever may have got a campaign has received it, also while an unknown result is tried again", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const states = [...recipientStates, "failed"] as const;
      const people = await w.people(states.length + 1);
      const inState = (...wanted: readonly RecipientState[]) =>
        people.filter((_, n) => wanted.some((state) => state === states[n]));
      await w.ledger(
        one,
        "sending",
        states.map((state, n) => [people[n] ?? 0, state]),
      );
      const got = inState("sending", "sent", "unknown");
      const others = people.filter((id) => !got.includes(id));
      const both = async () => [
        await matching(w, one.campaign, "received"),
        await matching(w, one.campaign, "not received"),
      ];
      assert.deepEqual(await both(), [got, others]);
      await store.mailings.retry({ ...one, states: ["failed", "unknown"], now: NOW, lease: leaseAt(NOW) });
      const queued = await collect(store.mailings.recipients.pages({ ...one, state: "queued" }));
      assert.equal(queued.length, inState("queued", "failed", "unknown").length);
      assert.deepEqual(await both(), [got, others]);
    });

    test("a filter matches nobody without a ledger: of a draft, a campaign that is being deleted, or a foreign one", async () => {
      const w = await newWorld(store, sql);
      const [ann = 0] = await w.people(1);
      const [draft, deleting, sent] = [await w.draft(), await w.draft(), await w.draft()];
      for (const one of [deleting, sent]) await w.ledger(one, "finished", [[ann, "sent"]]);
      const isDeleting = (is: boolean) =>
        sql(`UPDATE campaign SET is_deleting = (1 = ${is ? 1 : 0}) WHERE id = ${deleting.campaign}`);
      await isDeleting(true);
      const stranger = await newWorld(store, sql);
      await stranger.people(1);
      for (const [of, { campaign }] of [
        [w, draft],
        [w, deleting],
        [stranger, sent],
      ] as const)
        for (const word of ["received", "not received"] as const)
          assert.deepEqual(await matching(of, campaign, word), [], word);
      await isDeleting(false);
      assert.deepEqual(await matching(w, deleting.campaign, "received"), [ann]);
    });

    test("a filter matches nobody while the ledger that it needs is being deleted", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const [ann = 0] = await w.people(1);
      const total = STEP + 10;
      await w.ledger(
        one,
        "finished",
        Array.from({ length: total }, (_, n) => [ann + n, "sent"]),
      );
      await sql(`UPDATE mailing SET ended_at = 1 WHERE campaign_id = ${one.campaign}`);
      assert.deepEqual(await matching(w, one.campaign, "received"), [ann]);
      await store.jobs.ensurePeriodic({ now: NOW });
      const job = (await store.jobs.left()).find(({ name: called }) => called === "purge");
      const lease = job && (await store.jobs.take({ ...leaseAt(NOW), now: NOW, id: job.id }));
      assert.ok(lease);
      while ((await w.count("recipient", one.campaign)) === total) await stepOf(store, lease, NOW);
      assert.ok((await w.count("recipient", one.campaign)) > 0);
      for (const word of ["received", "not received"] as const)
        assert.deepEqual(await matching(w, one.campaign, word), [], word);
      await finish(store, lease, NOW);
    });

    describe("a filter that needs what does not exist any more", () => {
      const boolean = (value: boolean) => (name.includes("PostgreSQL") ? String(value) : value ? "1" : "0");
      /** A campaign to two people who match, one who does not, and what its filter needs, which may go. */
      async function filtered() {
        const w = await newWorld(store, sql);
        const { account, list } = w;
        const town = await w.createField("Town");
        assert.ok(typeof town === "object");
        for (const [email, value] of [
          ["ada@example.org", "Berlin"],
          ["grace@example.org", "Berlin"],
          ["mary@example.org", "Bonn"],
        ] as const)
          await w.addData(list, email, { values: [{ field: town.id, value }] });
        const earlier = await w.draft();
        await w.ledger(earlier, "finished", []);
        const about = { field: String(town.id) };
        const filter: readonly Condition[] = [
          { about, test: "is", value: "Berlin" },
          { about: { campaign: earlier.campaign }, test: "not received", value: "" },
        ];
        const one = await w.draft({ filter, sender: await newSender(account) });
        const state = async () => {
          const { mailing } = (await store.mailings.byId(one)) ?? assert.fail();
          return [mailing.state, mailing.reason];
        };
        const setDeleting = (isDeleting: boolean) =>
          sql(`UPDATE field SET is_deleting = ${boolean(isDeleting)} WHERE id = ${town.id}`);
        return { ...w, one, town: town.id, earlier: earlier.campaign, state, setDeleting };
      }

      test("holds a campaign that is due, with the reason, each time it is resumed until it is cancelled", async () => {
        const { account, one, town, earlier, state, change } = await filtered();
        const later = { at: NOW + HOUR, now: NOW };
        // Deleted after the checks, and before the campaign is scheduled.
        const deletion = { account, at: NOW, lease: leaseAt(NOW) };
        deletedOf(await store.fields.delete({ ...deletion, id: town }));
        await store.campaigns.delete({ ...deletion, id: earlier });
        await store.mailings.change({ ...one, ...later, change: "schedule" });
        assert.equal(await store.ledger.begin({ ...one, now: NOW }), "scheduled", "it is not due");
        const held = [
          "held",
          `Nobody got this campaign, because its filter needs what does not exist any more: field ${town}, the recipients of campaign ${earlier}. Cancel it, and send a duplicate without that condition.`,
        ];
        assert.equal(await store.ledger.begin({ ...one, now: NOW + HOUR }), "held");
        assert.deepEqual(await state(), held);
        const jobs = await store.jobs.left();
        assert.equal(
          jobs.find((job) => job.name === `select-recipients ${one.campaign}`),
          undefined,
          "nobody is selected",
        );
        await change(one, "resume", NOW + HOUR);
        assert.deepEqual(await state(), ["scheduled", null]);
        assert.equal(await store.ledger.begin({ ...one, now: NOW + HOUR }), "held");
        assert.deepEqual(await state(), held);
        await change(one, "resume", NOW + HOUR);
        assert.equal(await store.ledger.begin({ ...one, now: NOW + 3 * HOUR }), "held", "overdue as well");
        assert.deepEqual(await state(), held);
        await change(one, "cancel", NOW + HOUR);
        assert.deepEqual(await state(), ["cancelled", null]);
      });

      test("holds a campaign between two batches, skips nobody for it, and lets it go on when that is back", async () => {
        const { one, town, state, setDeleting, change, idOf } = await filtered();
        await begin(store, one, NOW);
        await sendSome(store, one, NOW, { limit: 1, outcome: () => SENT });
        await setDeleting(true);
        const by = { ...one, owner: "test", now: NOW, until: NOW + 20_000, limit: 10 };
        /** What becomes of who is left. After a campaign was held, the first look only walks to them. */
        const attempt = async () => {
          const batch = (await store.ledger.take(by)).batch ?? (await store.ledger.take(by)).batch;
          assert.ok(batch !== null);
          const given = { ...by, batch: batch.id, results: [], starts: batch.recipients };
          const { starts, state } = await store.ledger.proceed(given);
          await store.ledger.giveBack(given);
          const { mailing, isBalanced } = (await store.mailings.balance(one)) ?? assert.fail();
          const { sent, queued } = mailing.counts;
          return [starts, state, { sent, queued, isBalanced }];
        };
        const inVain = [["stopped"], "held", { sent: 1, queued: 1, isBalanced: true }];
        assert.deepEqual(await attempt(), inVain);
        assert.deepEqual(await state(), [
          "held",
          `Nobody else gets this campaign, because its filter needs what does not exist any more: field ${town}. Cancel it. For those who have not got it, duplicate it, and replace that condition by one that campaign ${one.campaign} was not received.`,
        ]);
        await change(one, "resume");
        assert.deepEqual(await attempt(), inVain, "resumed");
        await setDeleting(false);
        await sql(`DELETE FROM custom_value WHERE subscriber_id = ${await idOf("grace@example.org")}`);
        await change(one, "resume");
        const skipped = { skipped: "does not match the filter" };
        assert.deepEqual(await attempt(), [[skipped], "sending", { sent: 1, queued: 0, isBalanced: true }]);
      });

      test("stores the results of what was being sent when it holds a campaign", async () => {
        const { one, earlier, state } = await filtered();
        await begin(store, one, NOW);
        const by = { ...one, owner: "test", now: NOW, until: NOW + 20_000 };
        const { batch } = await store.ledger.take({ ...by, limit: 10 });
        const [first, second] = batch?.recipients ?? [];
        assert.ok(batch && first && second);
        await store.ledger.proceed({ ...by, batch: batch.id, results: [], starts: [first] });
        await sql(`UPDATE mailing SET purged_at = 1 WHERE campaign_id = ${earlier}`);
        const results = [{ ...SENT, subscriber: first.subscriber } as DeliveryResult];
        const proceeded = await store.ledger.proceed({ ...by, batch: batch.id, results, starts: [second] });
        assert.deepEqual([proceeded.starts, proceeded.state], [["stopped"], "held"]);
        assert.match(
          String((await state())[1]),
          new RegExp(`any more: the recipients of campaign ${earlier}\\.`),
        );
        const { mailing, isBalanced } = (await store.mailings.balance(one)) ?? assert.fail();
        assert.deepEqual([mailing.counts.sent, mailing.counts.queued, isBalanced], [1, 1, true]);
      });
    });

    test("a campaign of another account is unknown", async () => {
      const w = await newWorld(store, sql);
      const { campaign } = await w.draft();
      const foreign = { account: await newAccount(store), campaign };
      const times = { at: NOW, now: NOW };
      assert.equal(await store.mailings.byId(foreign), null);
      assert.equal(await store.mailings.setContent({ ...foreign, changes: { subject: "X" } }), null);
      assert.equal(await store.mailings.change({ ...foreign, ...times, change: "schedule" }), null);
      assert.equal(await store.mailings.balance(foreign), null);
      assert.equal(await store.mailings.recordTest({ ...foreign, sender: 1, recipients: 1, at: NOW }), null);
      assert.deepEqual(
        await store.mailings.ofCampaigns({ account: foreign.account, campaigns: [campaign] }),
        [],
      );
    });

    test("a campaign is at the daily limit of its sender until the day ends or the limit is raised", async () => {
      const w = await newWorld(store, sql);
      const { account, list } = w;
      for (const email of ["limit1@example.org", "limit2@example.org"])
        await actor(store, account).add(list, email);
      const limited = await draftIn(store, { account, list }, {}, { perDay: 1 });
      const other = await draftIn(store, { account, list }, {}, { perDay: 100 });
      const unlimited = await draftIn(store, { account, list });
      const all = [limited, other, unlimited];
      const campaigns = all.map(({ campaign }) => campaign);
      const at = (now: number, of = account) => store.mailings.atDailyLimit({ account: of, campaigns, now });
      for (const one of all) await begin(store, one, NOW);
      assert.deepEqual(await at(NOW), []);
      for (const one of all) await sendSome(store, one, NOW, { limit: 1, outcome: () => SENT });
      assert.deepEqual(await at(NOW), [limited.campaign]);
      assert.deepEqual(await at(NOW, await newAccount(store)), [], "another account");
      assert.deepEqual(await at(NOW + 86_400_000), []);
      const id = (await store.mailings.byId(limited))?.content.sender ?? 0;
      await store.senders.set({ account, id, perDay: 2 });
      assert.deepEqual(await at(NOW), []);
      for (const one of all) await store.mailings.change({ ...one, change: "cancel", at: NOW, now: NOW });
    });

    test("a campaign is at the limit by domain if all of its next recipients are of such domains", async () => {
      const w = await newWorld(store, sql);
      const { account, list } = w;
      for (const email of ["one@a.example", "two@a.example", "one@b.example"])
        await actor(store, account).add(list, email);
      const limited = await draftIn(store, { account, list }, {}, { perDomainMinute: 1 });
      const unlimited = await draftIn(store, { account, list });
      const all = [limited, unlimited];
      const campaigns = all.map(({ campaign }) => campaign);
      const at = (now: number, of = account) => store.mailings.atDomainLimit({ account: of, campaigns, now });
      for (const one of all) await begin(store, one, NOW);
      const by = { ...limited, owner: "test", now: NOW, until: NOW + 20_000 };
      const { batch } = await store.ledger.take({ ...by, limit: 100 });
      assert.ok(batch !== null);
      const starts = batch.recipients.map(({ subscriber, address }) => ({ subscriber, address }));
      const proceed = async (now: number, some: typeof starts) => {
        const given = { ...by, now, batch: batch.id };
        const { starts: outcomes } = await store.ledger.proceed({ ...given, results: [], starts: some });
        const sent = some.filter((_, nth) => outcomes[nth] === "started");
        const results = sent.map(({ subscriber }) => ({ ...SENT, subscriber }) as DeliveryResult);
        await store.ledger.proceed({ ...given, results, starts: [] });
      };
      await proceed(
        NOW,
        starts.filter(({ address }) => address.endsWith("@a.example")),
      );
      assert.deepEqual(await at(NOW), [], "the other domain is free");
      await proceed(
        NOW,
        starts.filter(({ address }) => address.endsWith("@b.example")),
      );
      const endsAt = (Math.floor(NOW / 60_000) + 1) * 60_000;
      const waiting = { campaign: limited.campaign, perMinute: 1, domains: ["a.example"], endsAt };
      assert.deepEqual(await at(NOW), [waiting]);
      assert.deepEqual(await at(NOW, await newAccount(store)), [], "another account");
      assert.deepEqual(await at(endsAt), []);
      await store.ledger.giveBack({ ...by, batch: batch.id });
      assert.deepEqual(await at(NOW), [waiting], "nobody has them");
      for (const one of all) await store.mailings.change({ ...one, change: "cancel", at: NOW, now: NOW });
    });

    test("what a draft names must exist", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      const foreign = await newWorld(store, sql);
      const create = (changes: object) =>
        store.mailings.create({ account, name: "X", content: { ...emptyContent, ...changes }, at: NOW });
      assert.deepEqual(await create({ lists: [foreign.list] }), { unknownList: foreign.list });
      assert.deepEqual(await create({ excludedLists: [w.list, 999_999] }), { unknownList: 999_999 });
      assert.deepEqual(await create({ sender: 999_999 }), { unknownSender: 999_999 });
      const one = await w.draft();
      assert.deepEqual(await store.mailings.setContent({ ...one, changes: { lists: [foreign.list] } }), {
        unknownList: foreign.list,
      });
    });

    test("a sender sends a limited number of test messages an hour, of all its campaigns together", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      const [sender, other] = [await newSender(account), await newSender(account)];
      const [one, two] = [await w.draft(), await w.draft()];
      const record = (of: typeof one, recipients: number, at = NOW, by = sender) =>
        store.mailings.recordTest({ ...of, sender: by, recipients, at, audit });
      assert.ok(await record(one, MAX_TESTS_PER_HOUR - 4));
      await assert.rejects(record(two, 5), TestLimitReached);
      assert.ok(await record(two, 4), "what was refused does not count");
      await assert.rejects(record(one, 1), TestLimitReached);
      const { rows } = await store.audit.all.page(
        { account, action: null, since: null },
        { after: null, limit: 9 },
      );
      assert.deepEqual(
        rows.map((entry) => entry.after?.testMessages),
        [4, MAX_TESTS_PER_HOUR - 4],
        "nor is it in the audit log",
      );
      assert.ok(await record(one, 1, NOW, other), "each sender has its own limit");
      const { endsAt } = testHourOf(NOW);
      await assert.rejects(record(one, 1, endsAt - 1), TestLimitReached);
      assert.ok(await record(one, MAX_TESTS_PER_HOUR, endsAt));
    });

    test("concurrent requests get no more test messages than the limit allows", async () => {
      const w = await newWorld(store, sql);
      const sender = await newSender(w.account);
      const one = await w.draft();
      const tried = await Promise.allSettled(
        Array.from({ length: 13 }, () =>
          store.mailings.recordTest({ ...one, sender, recipients: 5, at: NOW }),
        ),
      );
      assert.equal(tried.filter(({ status }) => status === "fulfilled").length, MAX_TESTS_PER_HOUR / 5);
    });

    test("the count of test messages is kept while its hour lasts, and deleted later", async () => {
      const w = await newWorld(store, sql);
      const sender = await newSender(w.account);
      const one = await w.draft();
      const record = (at: number) =>
        store.mailings.recordTest({ ...one, sender, recipients: MAX_TESTS_PER_HOUR, at });
      const counts = async () => (await sql(`SELECT 1 FROM handed_over WHERE sender_id = ${sender}`)).length;
      // Later than every other test of this database: the job runs once a day.
      const { endsAt: start } = testHourOf(NOW + 400 * DAY);
      const end = start + HOUR;
      assert.ok(await record(start));
      await purge(store, end - 1);
      await assert.rejects(record(end - 1), TestLimitReached);
      await purge(store, start + DAY + HOUR);
      assert.equal(await counts(), 0);
    });

    test("a change of the content keeps the rest, and the audit log has digests of long texts and filters", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      const one = await w.draft({ html: "<p>A secret plan</p>", subject: "Old" });
      const filter: Filter = [{ about: "last name", test: "is", value: "Lovelace" }];
      const changes = { html: "<p>Another plan</p>", subject: "New", filter };
      const changed = await store.mailings.setContent({ ...one, name: "Summer", changes, audit });
      assert.ok(changed && "content" in changed);
      assert.deepEqual(changed.content, { ...emptyContent, ...changes, lists: [w.list] });
      assert.equal(changed.campaign.name, "Summer");
      assert.deepEqual(await store.mailings.byId(one), changed);
      const tests = { sender: await newSender(account), recipients: 2, at: NOW };
      assert.deepEqual(await store.mailings.recordTest({ ...one, ...tests, audit }), one);
      const { rows } = await store.audit.all.page(
        { account, action: null, since: null },
        { after: null, limit: 9 },
      );
      const [tested, entry] = rows;
      assert.deepEqual(tested?.after, { testMessages: 2 });
      assert.deepEqual(entry?.about, { kind: "campaign", id: String(one.campaign) });
      assert.deepEqual([entry.before?.subject, entry.after?.subject], ["Old", "New"]);
      assert.match(String(entry.after?.html), /^19 characters, SHA-256 \S{16}$/);
      assert.notEqual(entry.before?.html, entry.after?.html);
      assert.deepEqual([entry.before?.filter, typeof entry.after?.filter], [null, "string"]);
      // An erasure would not find the name there.
      assert.doesNotMatch(JSON.stringify(rows), /plan|Lovelace/);
    });

    test("the last ten versions of a draft are kept, and what one user saves within minutes is one of them", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft({ subject: "0" });
      const save = async (subject: string, at: number, user: number | null, isRestored = false) => {
        const origin = user === null ? ({ kind: "operator" } as const) : ({ kind: "user", user } as const);
        const by = { ...audit, at, origin };
        await store.mailings.setContent({ ...one, changes: { subject }, isRestored, audit: by });
      };
      const kept = async () => {
        const versions = await store.mailings.versions(one);
        return await Promise.all(
          versions.map(async ({ number, savedAt, actor: { name } }) => [
            ...[number, (await store.mailings.version({ ...one, number }))?.content.subject],
            ...[savedAt - NOW, name],
          ]),
        );
      };
      await save("a", NOW, 1);
      await save("b", NOW + VERSION_MS - 1, 1);
      assert.deepEqual(await kept(), [[1, "b", VERSION_MS - 1, "1"]]);
      await save("c", NOW + VERSION_MS, 1);
      await save("d", NOW + VERSION_MS + 1, 2);
      await save("a", NOW + VERSION_MS + 2, 2, true);
      assert.deepEqual(await kept(), [
        [4, "a", VERSION_MS + 2, "2"],
        [3, "d", VERSION_MS + 1, "2"],
        [2, "c", VERSION_MS, "1"],
        [1, "b", VERSION_MS - 1, "1"],
      ]);
      for (let nth = 1; nth <= KEPT_VERSIONS; nth += 1) await save(`${nth}`, NOW + nth, nth % 2);
      assert.deepEqual(
        (await store.mailings.versions(one)).map(({ number }) => number),
        Array.from({ length: KEPT_VERSIONS }, (_, index) => 14 - index),
      );
      assert.equal(await store.mailings.version({ ...one, number: 4 }), null);
      assert.deepEqual(await store.mailings.versions({ ...one, account: await newAccount(store) }), []);
      const deletion = { account: one.account, id: one.campaign, at: NOW, lease: leaseAt(NOW) };
      await store.campaigns.delete(deletion);
      assert.deepEqual(await sql(`SELECT 1 FROM campaign_version WHERE campaign_id = ${one.campaign}`), []);
    });

    test("a text that is removed stays in the version before, and a save that changes nothing is none", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft({});
      const save = (changes: Partial<CampaignContent>, at = NOW) =>
        store.mailings.setContent({ ...one, changes, audit: { ...audit, at } });
      const kept = async () =>
        (await store.mailings.versions(one)).map(({ number, savedAt }) => [number, savedAt - NOW]);
      await save({ html: null, markdown: "Hello" });
      const [before = []] = await kept();
      const [number = 0] = before;
      // As when another kind of message is chosen, which has no text yet.
      await save({ markdown: null });
      await save({ html: "<p>Hello" });
      assert.deepEqual(await kept().then((versions) => versions.slice(0, 2)), [[number + 1, 0], before]);
      const found = await store.mailings.version({ ...one, number });
      assert.equal(found?.content.markdown, "Hello");
      await save({ html: "<p>Hello" }, NOW + VERSION_MS);
      assert.equal((await kept()).length, number + 1);
    });

    test("the candidates are the members of all included lists, once each, with why somebody is left out", async () => {
      const w = await newWorld(store, sql);
      const third = await store.lists
        .create({ account: w.account, name: "Not these", at: NOW })
        .then(({ id }) => id);
      const { account, list, other } = w;
      const [active, both, gone, excluded, pending, blocked, alsoGone] = [..."abcdefg"].map(
        (letter) => `${letter}@example.org`,
      ) as [string, string, string, string, string, string, string];
      await w.add(list, active);
      await w.add(list, both);
      await w.add(other, both);
      await w.add(list, gone);
      await w.unsubscribe(gone);
      await w.add(list, excluded);
      await w.addPending(third, excluded);
      await w.addPending(list, pending);
      await w.add(other, blocked);
      await w.block(blocked);
      await w.add(other, alsoGone);
      await w.unsubscribe(alsoGone);
      await w.add(third, alsoGone);
      const audience = { account, lists: [list, other], excludedLists: [third], filter: [] };
      const found = await collect(store.mailings.candidates.pages(audience));
      assert.deepEqual(
        found.map(({ person, leftOut }) => [person.address, leftOut]),
        [
          [active, null],
          [both, null],
          [gone, "unsubscribed"],
          [excluded, "on an excluded list"],
          [blocked, "blocked"],
          [alsoGone, "unsubscribed"],
        ],
      );
      const addresses: string[][] = [];
      let cursor: string | null = null;
      do {
        const page = await store.mailings.candidates.page(audience, { after: cursor, limit: 2 });
        addresses.push(page.rows.map(({ person }) => person.address));
        cursor = page.next;
      } while (cursor !== null);
      assert.deepEqual(addresses, [
        [active, both],
        [gone, excluded],
        [blocked, alsoGone],
      ]);
      const last = await store.mailings.candidates.page(audience, { before: null, limit: 2 });
      assert.deepEqual(
        last.rows.map(({ person }) => person.address),
        [blocked, alsoGone],
      );
      assert.notEqual(last.previous, null);
    });

    test("templates get the values of a person, and of fields by name", async () => {
      const w = await newWorld(store, sql);
      const [town, empty] = [await w.createField("Town"), await w.createField("__proto__")];
      assert.ok(typeof town === "object" && typeof empty === "object");
      const values = [
        { field: town.id, value: "London" },
        { field: empty.id, value: "kept" },
      ];
      await w.addData(w.list, "ada@example.org", { firstName: "Ada", values });
      const subscriber = await w.idOf("ada@example.org");
      const person = await store.mailings.person({ account: w.account, subscriber });
      assert.deepEqual(
        [person?.address, person?.firstName, person?.birthday],
        ["ada@example.org", "Ada", null],
      );
      const fields = new Map(Object.entries(person?.fields ?? {}));
      assert.deepEqual([fields.size, fields.get("Town"), fields.get("__proto__")], [2, "London", "kept"]);
      assert.equal(await store.mailings.person({ account: await newAccount(store), subscriber }), null);
    });
  });
}
